"""Whether a cited paragraph says what is claimed: by the rules, and where they leave it open and a
model is configured, by the model."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import structlog

from bottega.core.embeddings import Embedder
from bottega.core.llm.gateway import Gateway
from bottega.core.vectors.store import Vector
from bottega.errors import ModelError
from bottega.library.judging.alignment import Embed
from bottega.library.judging.judge import judge_claim
from bottega.library.judging.verdicts import Judgement, MatchLevel, Verdict
from bottega.library.prompts.judge_claim import ClaimInput
from bottega.library.prompts.judge_claim import judge_claim as task
from bottega.library.verifying.citing import Cited
from bottega.library.verifying.verified import Judge

log = structlog.get_logger()

Terms = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Opinion:
    supports_claim: bool
    verdict: Verdict
    score: float
    match_level: MatchLevel
    reasons: list[str]
    judged_by: Judge


class ClaimJudge:
    def __init__(self, embedder: Embedder, gateway: Gateway) -> None:
        self._embedder = embedder
        self._gateway = gateway

    async def judge(self, claim: str, cited: Cited, terms: Terms) -> Opinion:
        judgement = await asyncio.to_thread(
            judge_claim,
            claim,
            cited.text,
            terms=terms,
            neighbours=cited.leads,
            embed=blocking_embed(self._embedder),
        )
        if judgement.verdict is Verdict.UNDECIDED and not self._gateway.mode.offline:
            try:
                return await self._ask(claim, cited, terms, judgement)
            except ModelError as error:
                log.warning("library.judge_failed", ref=cited.paragraph.ref, error=error.message)
        return Opinion(
            judgement.leaning is Verdict.SUPPORTED,
            judgement.verdict,
            judgement.score,
            judgement.match_level,
            list(judgement.reasons),
            Judge.RULES,
        )

    async def _ask(self, claim: str, cited: Cited, terms: Terms, judgement: Judgement) -> Opinion:
        both = f"{claim}\n{cited.in_full}"
        used = {
            term: meaning
            for term, meaning in terms.items()
            if re.search(rf"\b{re.escape(term)}", both, re.IGNORECASE)
        }
        asked = ClaimInput(claim, cited.in_full, used, judgement)
        said = await self._gateway.run(task, asked, retry=True)
        return Opinion(
            said.supported,
            Verdict.SUPPORTED if said.supported else Verdict.UNSUPPORTED,
            said.confidence if said.supported else round(1 - said.confidence, 3),
            judgement.match_level,
            [said.reason],
            Judge.MODEL,
        )


def blocking_embed(embedder: Embedder) -> Embed:
    """For the rules, which work in a thread; the loop embeds for them."""
    loop = asyncio.get_running_loop()

    def embed(texts: Sequence[str]) -> Vector:
        return asyncio.run_coroutine_threadsafe(embedder.embed(texts), loop).result()

    return embed
