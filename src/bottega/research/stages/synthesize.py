"""Stage 3: an answer in claims, each with the paragraphs that it rests on."""

import asyncio
from collections.abc import Iterable, Sequence

from bottega.library.service import format_context
from bottega.research.answering.sections import synthesis_text
from bottega.research.pipeline.outputs import AnswerSection, Claim, Retrieval, Synthesis
from bottega.research.pipeline.stage import StageContext
from bottega.research.prompts.synthesize import Draft, SynthesisInput, synthesize_answer
from bottega.research.stages.citing import References
from bottega.research.stages.own_words import own_words
from bottega.research.stages.parts import Parts
from bottega.research.stages.wording import shorten

LONGEST_REMARK = 1_000


async def synthesize(parts: Parts, context: StageContext) -> Synthesis:
    retrieval = context.known.retrieval
    assert retrieval is not None, "a stage before this one retrieves"
    if refused := _nothing_to_say(context, retrieval):
        return refused
    asked = await asyncio.to_thread(_input, context, retrieval)
    draft = await context.calls.ask(
        synthesize_answer(own_words(context)), asked, max_tokens=context.settings.synthesis_tokens
    )
    return settle(draft, retrieval, context.agent.config.output.citation_format)


def settle(draft: Draft, retrieval: Retrieval, citation_format: str) -> Synthesis:
    """The draft as the rest of the run knows it: code writes its text and its references."""
    references = References(retrieval.paragraphs)
    summary = _settled(references, draft.summary)
    sections = [
        AnswerSection(heading=shorten(each.heading, 200) or "More", claims=claims)
        for each in draft.sections
        if (claims := _settled(references, each.claims))
    ]
    conclusions = draft.conclusions
    cannot_answer = draft.cannot_answer or None
    if summary or sections:
        # What is missing beside an answer is a remark on it, no refusal.
        conclusions = [*conclusions, *([cannot_answer] if cannot_answer else [])]
        cannot_answer = None
    else:
        cannot_answer = cannot_answer or "No claim could be made from the paragraphs."
    synthesis = Synthesis(
        title=shorten(draft.title, 200) or "Answer",
        summary=summary,
        sections=sections,
        key_findings=_remarks(draft.key_findings),
        conclusions=_remarks(conclusions),
        entities=_remarks(draft.entities),
        relations=draft.relations,
        cannot_answer=cannot_answer,
    )
    return synthesis.model_copy(
        update={
            "synthesis": synthesis_text(synthesis, citation_format, _documents(retrieval)),
            "citations_used": list(
                dict.fromkeys(ref for claim in synthesis.claims for ref in claim.citations)
            ),
        }
    )


def _nothing_to_say(context: StageContext, retrieval: Retrieval) -> Synthesis | None:
    """A refusal that needs no model: the library has no answer, or nothing was found at all."""
    if not retrieval.answerable:
        why = " ".join(retrieval.reasons) or "The library does not hold an answer."
    elif not retrieval.paragraphs and not context.prior:
        why = "Nothing was found."
    else:
        return None
    title = shorten(context.order.question, 200) or "Answer"
    return Synthesis(title=title, summary=[], cannot_answer=why)


def _input(context: StageContext, retrieval: Retrieval) -> SynthesisInput:
    plan, calibration = context.known.current_plan, context.known.calibration
    roles = {each.paragraph.id: each.role for each in retrieval.paragraphs}
    xml = format_context(
        [each.paragraph for each in retrieval.paragraphs],
        shorten(plan.original_query, 1_000),
        context.settings.context_tokens,
        roles,
    )
    return SynthesisInput(
        plan=plan,
        depth=context.depth,
        context=xml,
        paragraphs=retrieval.paragraphs,
        web_research_context=calibration.web_research_context if calibration else "",
        web_sources=calibration.web_sources if calibration else [],
        prior=context.prior,
        repair=context.repair,
    )


def _settled(references: References, claims: Sequence[Claim]) -> list[Claim]:
    return [references.settle(claim) for claim in claims if claim.text.strip()]


def _documents(retrieval: Retrieval) -> dict[str, str]:
    return {each.paragraph.ref: each.paragraph.document for each in retrieval.paragraphs}


def _remarks(texts: Iterable[str]) -> list[str]:
    shortened = (shorten(text, LONGEST_REMARK) for text in texts)
    return [text for text in dict.fromkeys(shortened) if text]
