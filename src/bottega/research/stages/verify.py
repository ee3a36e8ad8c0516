"""Stage 4: does the library bear out what the answer says?

Every claim is held against every paragraph that it cites, each a call of its own: the library may
ask a model what its rules leave open, and a finished call is not paid twice.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from bottega.library.service import Citation, CitationDetail, CitationReport
from bottega.research.answering.axes import measure
from bottega.research.answering.feedback import about_claim, missed
from bottega.research.answering.framing import is_framing
from bottega.research.answering.judgements import (
    judge_by_prior,
    judge_by_web,
    judge_cited,
    judge_uncited,
)
from bottega.research.answering.labels import Source, lift_labels, sources_of
from bottega.research.pipeline.outputs import Claim, JudgedClaim, Synthesis, Verified
from bottega.research.pipeline.stage import StageContext
from bottega.research.stages.parts import Parts

#: Claims that are judged side by side.
AT_ONCE = 8
#: What the library judges at all.
LONGEST_CLAIM, LONGEST_REF = 5_000, 500
TOO_LONG = {
    "verdict": "unsupported",
    "supports_claim": False,
    "reasons": [f"a claim of more than {LONGEST_CLAIM:,} characters cannot be checked"],
}


@dataclass(frozen=True, slots=True)
class Examined:
    judged: JudgedClaim
    details: Sequence[CitationDetail] = field(default=())


async def verify(parts: Parts, context: StageContext) -> Verified:
    synthesis = context.known.synthesis
    assert synthesis is not None, "a stage before this one writes the answer"
    return await verify_answer(parts, context, synthesis)


async def verify_answer(parts: Parts, context: StageContext, synthesis: Synthesis) -> Verified:
    examined = await _examine_all(parts, context, [lift_labels(each) for each in synthesis.claims])
    claims = [each.judged for each in examined]
    measured = await measure(
        parts.libraries, context, claims, synthesis.entities, synthesis.relations
    )
    failed = dict.fromkeys(
        about_claim(each.judged, each.details)
        for each in examined
        if each.judged.verdict != "supported"
        and not is_framing(each.judged.claim, context.order.question)
    )
    invented = list(dict.fromkeys(ref for judged in claims for ref in judged.invented))
    thresholds = context.agent.config.verification
    return Verified(
        verification_scores=measured.scores,
        all_passed=not invented and not missed(measured.scores, thresholds),
        source_texts=_source_texts(examined),
        missing_source_texts=invented,
        claims=claims,
        failures=[*failed, *measured.failures],
    )


async def _examine_all(
    parts: Parts, context: StageContext, claims: Sequence[Claim]
) -> list[Examined]:
    """A claim that stands twice is examined once."""
    web = context.known.calibration.web_sources if context.known.calibration else []
    sources = {each.label: each for each in sources_of(web, context.prior.sections)}
    once = {claim.model_dump_json(): claim for claim in claims}
    found: dict[str, Examined] = {}
    waiting = list(once.items())
    for start in range(0, len(waiting), AT_ONCE):
        some = waiting[start : start + AT_ONCE]
        examined = await asyncio.gather(
            *(_examine(parts, context, claim, sources) for _, claim in some)
        )
        found.update(zip((key for key, _ in some), examined, strict=True))
    return [found[claim.model_dump_json()] for claim in claims]


async def _examine(
    parts: Parts, context: StageContext, claim: Claim, sources: dict[str, Source]
) -> Examined:
    named = [sources[label] for label in claim.labels if label in sources]
    before = list(dict.fromkeys(ref for source in named for ref in sorted(source.citations)))
    if not claim.text.strip():
        return Examined(judge_uncited(claim))
    if claim.citations:
        details = await _details(parts, context, claim, claim.citations)
        return Examined(judge_cited(claim, details), details)
    if before:
        details = await _details(parts, context, claim, before)
        return Examined(judge_by_prior(claim, details), details)
    if named:
        return Examined(judge_by_web(claim, any(source.bears(claim) for source in named)))
    return Examined(judge_uncited(claim))


async def _details(
    parts: Parts, context: StageContext, claim: Claim, refs: Sequence[str]
) -> list[CitationDetail]:
    refs = list(dict.fromkeys(refs))
    text = claim.text[:LONGEST_CLAIM]
    asked = [Citation(paragraph_ref=ref, claim=text) for ref in refs if _may_exist(ref)]
    impossible = [
        CitationDetail(cited=ref[:LONGEST_REF], claim=text, reasons=["this is no reference"])
        for ref in refs
        if not _may_exist(ref)
    ]
    if not asked:
        return impossible
    report = await context.calls.tool(
        "orch_citation_verify",
        lambda: parts.libraries.verification.citations(context.library, asked),
        input={"claim": text, "citations": [each.cited for each in asked]},
        shown=_shown,
        result=CitationReport,
    )
    details = report.details
    if len(claim.text) > LONGEST_CLAIM:
        details = [each.model_copy(update=TOO_LONG) for each in details]
    return [*details, *impossible]


def _may_exist(ref: str) -> bool:
    return bool(ref.strip()) and len(ref) <= LONGEST_REF


def _shown(report: CitationReport) -> str:
    return "; ".join(
        f"{detail.cited}: {detail.verdict if detail.exists else 'not in the library'}"
        for detail in report.details
    )


def _source_texts(examined: Sequence[Examined]) -> dict[str, str]:
    cited = {ref for each in examined for ref in each.judged.claim.citations}
    return {
        detail.paragraph_ref: detail.source_text
        for each in examined
        for detail in each.details
        if detail.paragraph_ref in cited and detail.source_text
    }
