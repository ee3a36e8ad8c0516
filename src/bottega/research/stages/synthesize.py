"""Stage 3: an answer in claims, each with the paragraphs that it rests on.

A draft's references are brought into the library's form. Nothing is dropped: a reference that
nobody knows stays, so that verification sees it.
"""

import asyncio
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from bottega.core.llm.tasks import Task, Tier
from bottega.core.text.words import shorten_to_words as shorten
from bottega.library.service import format_context, normalise_ref
from bottega.research.agents.definition import Depth
from bottega.research.answers.composition import refs_of, synthesis_text
from bottega.research.pipeline.context import Repair, StageContext
from bottega.research.pipeline.schemas import (
    AnswerSection,
    Claim,
    ClaimedRelation,
    PriorResearch,
    QueryPlan,
    Retrieval,
    Retrieved,
    Synthesis,
    WebSource,
)
from bottega.research.stages.extraction import extract, without_failed

INSTRUCTIONS = Path(__file__).with_suffix(".md").read_text("utf-8").removesuffix("\n")
LONGEST_REMARK = 1_000
_LABEL = re.compile(r"[\[(]?\b([WP]\d{1,3})\b[\])]?")
_INLINE_LABEL = re.compile(r"\s*\[((?:[WP]\d{1,3}(?:,\s*)?)+)\]")
#: Inside a reference: what a number that counts something does not have.
_DISTINCT = re.compile(r"\w[.(]\w")
_BETWEEN = re.compile(r"\s*[;,]\s*|\s+and\s+")


@dataclass(frozen=True, slots=True)
class SynthesisInput:
    plan: QueryPlan
    depth: Depth
    #: The paragraphs as XML, within the depth's tokens.
    context: str
    #: The same and all others, for an answer without a model.
    paragraphs: Sequence[Retrieved]
    web_research_context: str = ""
    web_sources: Sequence[WebSource] = ()
    prior: PriorResearch = field(default_factory=PriorResearch)
    repair: Repair | None = None


class Draft(BaseModel):
    """An answer as it is proposed, before code has looked at its references."""

    title: str
    summary: list[Claim]
    sections: list[AnswerSection]
    key_findings: list[str]
    conclusions: list[str]
    entities: list[str]
    relations: list[ClaimedRelation]
    cannot_answer: str | None


def prompt(asked: SynthesisInput) -> str:
    plan = asked.plan
    material: dict[str, Any] = {
        "question": plan.original_query,
        "sub_queries": [each.model_dump(mode="json") for each in plan.sub_queries],
        "scope": plan.scope,
        "assumptions": plan.assumptions,
        "web_research_context": asked.web_research_context,
        "web_sources": [
            each.model_dump(include={"label", "title", "url", "excerpt"})
            for each in asked.web_sources
        ],
        "prior_research": [
            each.model_dump(include={"label", "heading", "excerpt", "citations"})
            for each in asked.prior.sections
        ],
    }
    if asked.repair is not None:
        material["repair"] = {
            "iteration": asked.repair.iteration,
            "what_failed": list(asked.repair.failures),
            "your_previous_answer": asked.repair.previous.model_dump(
                include=set(Draft.model_fields)
            ),
        }
    # XML beside JSON: in a string of it every quote would cost a token more.
    return f"{json.dumps(material, ensure_ascii=False)}\n\n{asked.context}"


def offline(asked: SynthesisInput) -> Draft:
    """Sentences of the library that answer, quoted and cited; a repair drops what failed."""
    if asked.repair is not None:
        answer = without_failed(asked.repair.previous, asked.repair.failures)
    else:
        answer = extract(asked.plan, asked.paragraphs, asked.prior, asked.depth)
    return Draft.model_validate(answer.model_dump(include=set(Draft.model_fields)))


synthesize_answer = Task("research_synthesize", Tier.STRONG, INSTRUCTIONS, prompt, Draft, offline)


class References:
    """The references that a draft was given, found again in any form."""

    def __init__(self, paragraphs: Sequence[Retrieved]) -> None:
        self._titles = {each.paragraph.document.casefold() for each in paragraphs}
        self._known = {
            key: each.paragraph.ref
            for each in paragraphs
            for key in (
                each.paragraph.ref.casefold(),
                normalise_ref(each.paragraph.ref).casefold(),
                each.paragraph.id,
            )
        }

    def settle(self, claim: Claim) -> Claim:
        text, inline = self._lift(claim.text)
        citations, labels = [], [*claim.labels]
        for written in (*claim.citations, *inline):
            for each in self._split(written):
                label = _LABEL.fullmatch(each)
                if label is None:
                    citations.append(self._find(each) or normalise_ref(each))
                else:
                    labels.append(label[1])
        return Claim(
            text=text,
            citations=_once(citations),
            labels=_once(label.strip(" []()") for label in labels),
        )

    def _split(self, written: str) -> list[str]:
        bare = written.strip().strip("[]").strip()
        if not bare or self._find(bare):
            return [bare] if bare else []
        parts = [each for each in _BETWEEN.split(bare) if each]
        # A title may have a comma of its own; only references are taken apart.
        return parts if all(any(map(str.isdigit, each)) for each in parts) else [bare]

    def _find(self, written: str) -> str | None:
        forms = [written, normalise_ref(written)]
        before, _, last_word = written.rpartition(" ")
        # A title may stand before the reference. What is not known as one could be that of
        # another work, whose paragraph 6 is not ours: then only `450.6` or `6(a)` will do.
        is_title = before.casefold().strip(" ,:") in self._titles
        if is_title or (_DISTINCT.search(last_word) and not any(map(str.isdigit, before))):
            forms += [last_word, normalise_ref(last_word)]
        keys = (form.casefold() for form in forms)
        return next((self._known[key] for key in keys if key in self._known), None)

    def _lift(self, text: str) -> tuple[str, list[str]]:
        """The text without references and labels in brackets, and these."""
        lifted = [label for found in _INLINE_LABEL.findall(text) for label in found.split(",")]
        text = _INLINE_LABEL.sub("", text)
        refs = dict.fromkeys(self._known.values())
        marked = {f"[{ref}]": ref for ref in refs}
        marked |= {f"({ref})": ref for ref in refs if _DISTINCT.search(ref)}
        there = sorted((text.index(each), each) for each in marked if each in text)
        for _, written in there:
            text = text.replace(f" {written}", "").replace(written, "")
            lifted.append(marked[written])
        return " ".join(text.split()), [each.strip() for each in lifted]


def _once(values: Iterable[str]) -> list[str]:
    return [each for each in dict.fromkeys(values) if each]


async def synthesize(context: StageContext) -> Synthesis:
    retrieval = context.known.retrieval
    assert retrieval is not None, "a stage before this one retrieves"
    if refused := _nothing_to_say(context, retrieval):
        return refused
    asked = await asyncio.to_thread(_input, context, retrieval)
    most = context.settings.synthesis_tokens
    draft = await context.ask(synthesize_answer, asked, max_tokens=most)
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
    documents = {each.paragraph.ref: each.paragraph.document for each in retrieval.paragraphs}
    return synthesis.model_copy(
        update={
            "synthesis": synthesis_text(synthesis, citation_format, documents),
            "citations_used": refs_of(synthesis.claims),
        }
    )


def _nothing_to_say(context: StageContext, retrieval: Retrieval) -> Synthesis | None:
    """A refusal that needs no model: nothing was found at all, or without a model nothing fits."""
    is_nothing_found = not retrieval.paragraphs and not context.prior
    does_nothing_fit = context.calls.offline and not retrieval.answerable
    if not is_nothing_found and not does_nothing_fit:
        return None
    why = "Nothing was found."
    if not retrieval.answerable:
        why = " ".join(retrieval.reasons) or "The library does not hold an answer."
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


def _remarks(texts: Iterable[str]) -> list[str]:
    shortened = (shorten(text, LONGEST_REMARK) for text in texts)
    return [text for text in dict.fromkeys(shortened) if text]
