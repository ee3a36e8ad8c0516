"""Stage 4: does the library bear out what the answer says, and is it what was asked?

Every claim is held against every paragraph that it cites, each a call of its own: the library may
ask a model what its reader leaves open, and a finished call is not paid twice. Three truths are
kept apart: a claim is quoted, it is supported, it answers. A quotation always agrees with
itself, so whether it answers is asked of it, too.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from bottega.core.readers.answer_reader import fit_of
from bottega.core.readers.choice import answer_reader
from bottega.core.search_types import Fit
from bottega.library.service import Citation, CitationDetail, CitationReport
from bottega.research.answers.axes import about_claim, measure, missed
from bottega.research.answers.claim_filter import (
    LabelledSource,
    is_framing,
    lift_labels,
    sources_of,
)
from bottega.research.pipeline.context import StageContext
from bottega.research.pipeline.schemas import Claim, JudgedClaim, Synthesis, Truth, Verified
from bottega.research.stages.question import split_question

SUPPORTED, UNSUPPORTED, UNDECIDED = "supported", "unsupported", "undecided"
#: Claims that are judged side by side.
AT_ONCE = 8
#: Parts of a question that each claim is read with.
MOST_ASKED = 4
#: What the library judges at all.
LONGEST_CLAIM, LONGEST_REF = 5_000, 500
TOO_LONG = {
    "verdict": "unsupported",
    "supports_claim": False,
    "reasons": [f"a claim of more than {LONGEST_CLAIM:,} characters cannot be checked"],
}


def judge_cited(claim: Claim, details: Sequence[CitationDetail]) -> JudgedClaim:
    """One reference that bears it out is enough, but every one must exist.

    A supported claim keeps only what bears it out: to name a paragraph that says something else
    would be a false citation.
    """
    invented = [detail.cited for detail in details if not detail.exists]
    verdict = _verdict(details)
    kept = [detail for detail in details if detail.exists and detail.verdict == verdict]
    refs = dict.fromkeys(detail.paragraph_ref or detail.cited for detail in kept)
    reasons = [] if verdict == SUPPORTED else _reasons(details)
    if invented:
        verdict, reasons = UNSUPPORTED, _reasons([d for d in details if not d.exists])
    judged = JudgedClaim(
        claim=claim.model_copy(update={"citations": list(refs)}),
        verdict=verdict,
        reasons=reasons,
        invented=invented,
    )
    return judged.model_copy(update=_truths(kept))


def _truths(details: Sequence[CitationDetail]) -> dict[str, Truth]:
    """By the best of them: whether it is quoted, and whether it is supported."""
    if not details:
        return {}
    best = max(details, key=lambda detail: (detail.quoted, detail.score))
    is_supported, method = best.verdict == SUPPORTED, best.method or "reader"
    return {
        "quoted": Truth(holds=best.quoted, probability=float(best.quoted), method="verbatim"),
        "supported": Truth(holds=is_supported, probability=best.score, method=method),
    }


def judge_by_prior(claim: Claim, details: Sequence[CitationDetail]) -> JudgedClaim:
    """A claim that names only prior research, by what that research cited: it gets the paragraph
    that bears it out as its own citation. What left the library since was not invented."""
    there = [detail for detail in details if detail.exists]
    if not there:
        reason = "the paragraphs that prior research cited are not in the library any more"
        return JudgedClaim(claim=claim, verdict="unsupported", reasons=[reason])
    best = max(there, key=lambda detail: (detail.verdict == SUPPORTED, detail.score))
    return judge_cited(claim, [best])


def judge_by_web(claim: Claim, is_borne: bool) -> JudgedClaim:
    """The library cannot bear out what is only on the web; it stays only if the page says it."""
    if is_borne:
        reason = "it rests on a web page alone, which the library cannot confirm"
        return JudgedClaim(claim=claim, verdict="undecided", reasons=[reason])
    reason = "the web page that it names has too little in common with it"
    return JudgedClaim(claim=claim, verdict="unsupported", reasons=[reason])


def judge_uncited(claim: Claim) -> JudgedClaim:
    return JudgedClaim(claim=claim, verdict="uncited", reasons=["nothing is cited for it"])


def _verdict(details: Sequence[CitationDetail]) -> str:
    verdicts = {str(detail.verdict) for detail in details if detail.exists}
    return next((each for each in (SUPPORTED, UNDECIDED) if each in verdicts), UNSUPPORTED)


def _reasons(details: Sequence[CitationDetail]) -> list[str]:
    return [
        f"{detail.cited}: {'; '.join(detail.reasons) or 'it does not say that'}"
        for detail in details
    ]


@dataclass(frozen=True, slots=True)
class ExaminedClaim:
    judged: JudgedClaim
    details: Sequence[CitationDetail] = field(default=())


async def verify(context: StageContext) -> Verified:
    synthesis = context.known.synthesis
    assert synthesis is not None, "a stage before this one writes the answer"
    return await verify_answer(context, synthesis)


async def verify_answer(context: StageContext, synthesis: Synthesis) -> Verified:
    examined = await _examine_all(context, [lift_labels(each) for each in synthesis.claims])
    claims = await _with_answers(context, [each.judged for each in examined])
    measured = await measure(context, claims, synthesis.entities, synthesis.relations)
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


async def _with_answers(context: StageContext, claims: Sequence[JudgedClaim]) -> list[JudgedClaim]:
    """Each with whether it is what was asked, or part of it.

    A model that wrote the claims has read the question with them; what it wrote as an answer is one
    in its judgement, and the reader's probability stands beside it.
    """
    question = context.order.question
    if not claims:
        return []
    texts = [each.claim.text for each in claims]
    likely = [0.0] * len(texts)
    for asked in dict.fromkeys([question, *split_question(question)[:MOST_ASKED]]):
        readings = await answer_reader().read(asked, texts)
        likely = [max(pair) for pair in zip(likely, (r.probability for r in readings), strict=True)]
    by_model = not context.calls.offline
    method = "model" if by_model else answer_reader().name
    return [
        each.model_copy(
            update={
                "answers": Truth(
                    holds=by_model or fit_of(probability) is Fit.LIKELY,
                    probability=probability,
                    method=method,
                )
            }
        )
        for each, probability in zip(claims, likely, strict=True)
    ]


async def _examine_all(context: StageContext, claims: Sequence[Claim]) -> list[ExaminedClaim]:
    """A claim that stands twice is examined once."""
    web = context.known.calibration.web_sources if context.known.calibration else []
    sources = {each.label: each for each in sources_of(web, context.prior.sections)}
    once = {claim.model_dump_json(): claim for claim in claims}
    found: dict[str, ExaminedClaim] = {}
    waiting = list(once.items())
    for start in range(0, len(waiting), AT_ONCE):
        some = waiting[start : start + AT_ONCE]
        examined = await asyncio.gather(*(_examine(context, claim, sources) for _, claim in some))
        found.update(zip((key for key, _ in some), examined, strict=True))
    return [found[claim.model_dump_json()] for claim in claims]


async def _examine(
    context: StageContext, claim: Claim, sources: dict[str, LabelledSource]
) -> ExaminedClaim:
    named = [sources[label] for label in claim.labels if label in sources]
    before = list(dict.fromkeys(ref for source in named for ref in sorted(source.citations)))
    if not claim.text.strip():
        return ExaminedClaim(judge_uncited(claim))
    if claim.citations:
        details = await _details(context, claim, claim.citations)
        return ExaminedClaim(judge_cited(claim, details), details)
    if before:
        details = await _details(context, claim, before)
        return ExaminedClaim(judge_by_prior(claim, details), details)
    if named:
        return ExaminedClaim(judge_by_web(claim, any(source.bears(claim) for source in named)))
    return ExaminedClaim(judge_uncited(claim))


async def _details(
    context: StageContext, claim: Claim, refs: Sequence[str]
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
        lambda: context.libraries.verification.citations(context.library, asked),
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


def _source_texts(examined: Sequence[ExaminedClaim]) -> dict[str, str]:
    cited = {ref for each in examined for ref in each.judged.claim.citations}
    return {
        detail.paragraph_ref: detail.source_text
        for each in examined
        for detail in each.details
        if detail.paragraph_ref in cited and detail.source_text
    }
