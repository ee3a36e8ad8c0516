"""From what a run knows to its answer as data."""

from collections import Counter
from collections.abc import Mapping, Sequence

from bottega.research.answering.answer import (
    Answer,
    AskedSubQuery,
    DeliveredClaim,
    DeliveredSection,
    Taken,
    Verification,
)
from bottega.research.answering.gate import Gated
from bottega.research.answering.labels import Labelled
from bottega.research.answering.links import CitedParagraph
from bottega.research.answering.refusal import make_refusal
from bottega.research.answering.sections import claims_text
from bottega.research.pipeline.outputs import AnswerStatus, Claim
from bottega.research.pipeline.stage import StageContext


def compose_refusal(
    context: StageContext, gated: Gated | None = None, *, missing: Sequence[str] = ()
) -> Answer:
    """`missing` is what the question names and nothing that was found does."""
    refusal = make_refusal(
        context.library.name,
        context.known.retrieval,
        context.known.synthesis,
        removed=gated.removed if gated else (),
        unnamed=missing,
    )
    answer = _blank(context, AnswerStatus.REFUSED)
    return answer.model_copy(update={"refusal": refusal, "removed": _taken(gated)})


def compose_answer(
    context: StageContext,
    status: AnswerStatus,
    gated: Gated,
    labelled: Labelled,
    verification: Verification,
    citations: Sequence[CitedParagraph],
) -> Answer:
    documents = {each.ref: each.document for each in citations}
    form = context.agent.config.output.citation_format
    synthesis = labelled.synthesis
    sections = [
        DeliveredSection(
            heading=section.heading,
            text=claims_text(section.claims, form, documents),
            claims=_delivered(section.claims, gated),
            citations=refs_of(section.claims),
            sources=list(under),
        )
        for section, under in zip(synthesis.sections, labelled.under_sections, strict=True)
    ]
    return _blank(context, status).model_copy(
        update={
            "title": synthesis.title,
            "summary": claims_text(synthesis.summary, form, documents),
            "summary_claims": _delivered(synthesis.summary, gated),
            "summary_sources": list(labelled.under_summary),
            "sections": sections,
            "citations": list(citations),
            "consulted": list(labelled.consulted),
            "removed": _taken(gated),
            "verification": verification,
        }
    )


def refs_of(claims: Sequence[Claim]) -> list[str]:
    return list(dict.fromkeys(ref for claim in claims for ref in claim.citations))


def _blank(context: StageContext, status: AnswerStatus) -> Answer:
    """All that does not depend on there being an answer."""
    known = context.known
    retrieval = known.retrieval
    return Answer(
        run_id=context.run_id,
        question=context.order.question,
        title=context.order.question,
        status=status,
        library=context.library.name,
        depth=context.depth,
        is_offline=context.calls.offline,
        web_sources=known.calibration.web_sources if known.calibration else [],
        prior=context.prior.sections,
        sub_queries=_sub_queries(context),
        skipped_sub_queries=retrieval.skipped_sub_queries if retrieval else [],
        follow_up_of=context.order.follow_up_of,
    )


def _sub_queries(context: StageContext) -> list[AskedSubQuery]:
    known = context.known
    if known.plan is None:
        return []
    paragraphs = known.retrieval.paragraphs if known.retrieval else []
    found: Mapping[str, int] = Counter(each.sub_query for each in paragraphs)
    return [
        AskedSubQuery(
            query=asked.query,
            role=asked.role,
            standards=asked.standards,
            found=found.get(asked.query, 0),
        )
        for asked in known.current_plan.sub_queries
    ]


def _delivered(claims: Sequence[Claim], gated: Gated) -> list[DeliveredClaim]:
    return [
        DeliveredClaim(
            text=claim.text,
            citations=claim.citations,
            labels=claim.labels,
            is_unconfirmed=claim.text in gated.unconfirmed,
        )
        for claim in claims
    ]


def _taken(gated: Gated | None) -> list[Taken]:
    return [Taken(text=each.text, why=each.why) for each in gated.removed] if gated else []
