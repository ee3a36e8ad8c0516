"""Whether a cited paragraph says what is claimed: by the rules and by a small model that runs here,
the reader; and where they leave it open and a model is configured, by the model.

Open is what the two are not sure about. Where there is no reader, it is whatever no check decided
and the rules would not simply accept. That includes claims with too little in common with their
paragraph: in a library whose prose the rules do not know, every other one of those says the same in
other words.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import structlog

from bottega.core.embeddings import Embedder
from bottega.core.llm.gateway import Gateway
from bottega.core.vectors.store import Vector
from bottega.errors import ModelError
from bottega.library.judging.alignment import Embed
from bottega.library.judging.reading import Support
from bottega.library.judging.verdicts import Judgement, MatchLevel, Verdict
from bottega.library.prompts.judge_claim import ClaimInput
from bottega.library.prompts.judge_claim import judge_claim as task
from bottega.library.verifying.citing import Cited
from bottega.library.verifying.verified import Judge

log = structlog.get_logger()

Terms = Mapping[str, str]

#: Claims about which a model is asked side by side.
AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class Opinion:
    supports_claim: bool
    verdict: Verdict
    score: float
    match_level: MatchLevel
    reasons: list[str]
    judged_by: Judge


@dataclass(frozen=True, slots=True)
class CitedClaim:
    claim: str
    cited: Cited


class ClaimJudge:
    def __init__(self, embedder: Embedder, gateway: Gateway, *, entailment: bool) -> None:
        self._embedder = embedder
        self._gateway = gateway
        self._entailment = entailment

    async def judge(self, claims: Sequence[CitedClaim], terms: Terms) -> list[Opinion]:
        """All of them by the rules at once, then what is open by the model, side by side."""
        from bottega.library.judging.judge import Asked, is_open, judge_claims

        asked = [Asked(each.claim, each.cited.text, each.cited.leads) for each in claims]
        embed = blocking_embed(self._embedder)

        def judge_all() -> list[Judgement]:
            # Here, not in the loop: to find the reader takes a while.
            support = reader() if self._entailment else None
            return judge_claims(asked, terms=terms, embed=embed, support=support)

        judgements = await asyncio.to_thread(judge_all)
        at_once = asyncio.Semaphore(AT_ONCE)

        async def settle(each: CitedClaim, judgement: Judgement) -> Opinion:
            if self._gateway.mode.offline or not is_open(judgement):
                return _by_rules(judgement)
            async with at_once:
                return await self._settle(each, terms, judgement)

        return await asyncio.gather(*map(settle, claims, judgements))

    async def _settle(self, each: CitedClaim, terms: Terms, judgement: Judgement) -> Opinion:
        try:
            return await self._ask(each.claim, each.cited, terms, judgement)
        except ModelError as error:
            ref = each.cited.paragraph.ref
            log.warning("library.judge_failed", ref=ref, error=error.message)
            return _by_rules(judgement)

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


def _by_rules(judgement: Judgement) -> Opinion:
    is_supported = judgement.leaning is Verdict.SUPPORTED
    return Opinion(
        is_supported,
        judgement.verdict,
        judgement.score,
        judgement.match_level,
        [] if judgement.was_read and is_supported else list(judgement.reasons),
        Judge.READER if judgement.was_read else Judge.RULES,
    )


@cache
def reader() -> Support | None:
    """One for the whole process, for its weights are large."""
    from bottega.core.entailment.reader import find_reader

    found = find_reader()
    return found.support if found else None


def blocking_embed(embedder: Embedder) -> Embed:
    """For the rules, which work in a thread; the loop embeds for them."""
    loop = asyncio.get_running_loop()

    def embed(texts: Sequence[str]) -> Vector:
        return asyncio.run_coroutine_threadsafe(embedder.embed(texts), loop).result()

    return embed
