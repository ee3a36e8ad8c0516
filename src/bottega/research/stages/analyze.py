"""Stage 0: a question becomes a plan: how clear it is, what to look up, and how deep.

Plans are written by code: what a model proposes is checked, bounded, ordered and compared.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, Field

from bottega.core.llm.tasks import Task, Tier
from bottega.core.text.words import shorten_to_words
from bottega.library.service import Kind, Role
from bottega.research.agents.definition import Depth
from bottega.research.pipeline.context import StageContext
from bottega.research.pipeline.schemas import IntentChanges, PriorResearch, QueryPlan, SubQuery
from bottega.research.stages.question import (
    CLEAR,
    LibraryDocument,
    Surroundings,
    assess,
    decompose,
    likeness,
    look_around,
    lost_pronoun,
)

LONGEST_QUERY = 400
LONGEST_REMARK = 600
MOST_REMARKS = 10
MOST_QUESTIONS = 3
#: From here on a new sub-query is an old one in other words.
ALIKE = 0.4
_ORDER = list(Role)


class Analysis(BaseModel):
    """What a model may say of a plan; the rest of it is code's."""

    clarity_score: float = Field(ge=0, le=1)
    recommended_action: Literal["proceed", "clarify"]
    assumptions: list[str]
    alternative_interpretations: list[str]
    clarification_questions: list[str]
    primary_standards: list[str]
    sub_queries: list[SubQuery]
    scope: str
    depth_mode: Depth
    authority_sources: list[str]


class CalibratedPlan(BaseModel):
    sub_queries: list[SubQuery]
    scope: str
    primary_standards: list[str]
    assumptions: list[str]
    web_research_context: str


def made_plan(context: StageContext, analysis: Analysis, depth: Depth | None) -> QueryPlan:
    chosen, settings = context.agent.depth(depth)
    question = context.order.question
    is_clear = analysis.clarity_score >= CLEAR
    questions = [] if is_clear else _remarks(analysis.clarification_questions)[:MOST_QUESTIONS]
    return QueryPlan(
        original_query=question,
        clarity_score=round(analysis.clarity_score, 2),
        recommended_action="proceed" if is_clear else "clarify",
        assumptions=_remarks(analysis.assumptions),
        alternative_interpretations=_remarks(analysis.alternative_interpretations),
        clarification_questions=questions,
        primary_standards=analysis.primary_standards,
        sub_queries=bounded(analysis.sub_queries, settings.max_sub_queries, question),
        scope=shorten_to_words(analysis.scope, LONGEST_REMARK),
        depth_mode=chosen,
        authority_sources=_remarks(analysis.authority_sources),
    )


def refined_plan(
    context: StageContext,
    plan: QueryPlan,
    calibrated: CalibratedPlan,
    known: Sequence[LibraryDocument],
) -> QueryPlan:
    """The plan with what calibration may change of it, and nothing else."""
    sub_queries = hold_to_known(calibrated.sub_queries, known) or plan.sub_queries
    most = context.settings.max_sub_queries
    return plan.model_copy(
        update={
            "sub_queries": bounded(sub_queries, most, plan.original_query),
            "scope": shorten_to_words(calibrated.scope, LONGEST_REMARK) or plan.scope,
            "primary_standards": known_names(calibrated.primary_standards, known),
            "assumptions": _remarks([*plan.assumptions, *calibrated.assumptions]),
        }
    )


def bounded(sub_queries: Iterable[SubQuery], most: int, question: str) -> list[SubQuery]:
    """Each once, the primary ones first to stay; without one, the question itself is it."""
    once: dict[tuple[str, bool], SubQuery] = {}
    for each in sub_queries:
        query = shorten_to_words(each.query, LONGEST_QUERY)
        if query:
            kept = each.model_copy(update={"query": query})
            # A guide may be asked the same thing as the standards.
            once.setdefault((query.casefold(), each.role is Role.CONTEXT), kept)
    found = list(once.values())
    if not any(each.role is Role.PRIMARY for each in found):
        found.insert(0, SubQuery(query=shorten_to_words(question, LONGEST_QUERY)))
    order = list(Role)
    return sorted(found, key=lambda each: order.index(each.role))[:most]


def hold_to_known(
    sub_queries: Iterable[SubQuery], known: Sequence[LibraryDocument]
) -> list[SubQuery]:
    """Without standards that the library does not have."""
    return [
        each.model_copy(update={"standards": known_names(each.standards, known)})
        for each in sub_queries
    ]


def known_names(names: Iterable[str], known: Sequence[LibraryDocument]) -> list[str]:
    """Of documents that are there, as plans call them; `Standard 315` is `315`."""
    by_name = {name.casefold(): each.name for each in known for name in (each.title, each.name)}
    wanted = [name.strip().casefold() for name in names]
    found = [by_name.get(name) or by_name.get(name.rsplit(" ", 1)[-1]) for name in wanted]
    return list(dict.fromkeys(each for each in found if each is not None))


def _remarks(texts: Iterable[str]) -> list[str]:
    shortened = (shorten_to_words(text, LONGEST_REMARK) for text in texts)
    return [text for text in dict.fromkeys(shortened) if text][:MOST_REMARKS]


def compare_plans(old: QueryPlan, new: QueryPlan) -> IntentChanges:
    pairs = _pairs(old.sub_queries, new.sub_queries)
    kept_old = [before for before, _ in pairs]
    kept_new = [after for _, after in pairs]
    return IntentChanges(
        sub_queries_added=[each.query for each in new.sub_queries if each not in kept_new],
        sub_queries_modified=[
            f"{before.query} → {after.query}" if before.query != after.query else after.query
            for before, after in pairs
            if before != after and not _is_demoted(before, after)
        ],
        sub_queries_removed=[each.query for each in old.sub_queries if each not in kept_old],
        sub_queries_demoted=[after.query for before, after in pairs if _is_demoted(before, after)],
        scope_changed=_plain(old.scope) != _plain(new.scope),
        standards_added=[each for each in _standards(new) if each not in _standards(old)],
    )


def _pairs(old: Sequence[SubQuery], new: Sequence[SubQuery]) -> list[tuple[SubQuery, SubQuery]]:
    """Which became which: the same words first, then the most alike."""
    scored = sorted(
        (
            (-_likeness(before, after), place, other)
            for place, before in enumerate(old)
            for other, after in enumerate(new)
            if _likeness(before, after) >= ALIKE
        ),
    )
    pairs: dict[int, int] = {}
    for _, place, other in scored:
        if place not in pairs and other not in pairs.values():
            pairs[place] = other
    return [(old[place], new[other]) for place, other in sorted(pairs.items())]


def _likeness(before: SubQuery, after: SubQuery) -> float:
    if before == after:
        return 3.0
    if _plain(before.query) == _plain(after.query):
        return 2.0
    return likeness(before.query, after.query)


def _is_demoted(before: SubQuery, after: SubQuery) -> bool:
    return _ORDER.index(after.role) > _ORDER.index(before.role)


def _standards(plan: QueryPlan) -> list[str]:
    named = [name for each in plan.sub_queries for name in each.standards]
    return list(dict.fromkeys([*plan.primary_standards, *named]))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip("?. ")


INSTRUCTIONS = Path(__file__).with_suffix(".md").read_text("utf-8").removesuffix("\n")

_DEEP = re.compile(
    r"\b(?:thorough\w*|in depth|in detail|comprehensive\w*|everything|exhaustive\w*)\b", re.I
)

_QUICK = re.compile(r"\b(?:quick\w*|brief\w*|in short|short answer)\b", re.IGNORECASE)
#: Documents that a plan without a model names as the ones that matter.
_MOST_STANDARDS = 2


@dataclass(frozen=True, slots=True)
class AnalysisInput:
    question: str
    library: str
    around: Surroundings
    default_depth: Depth
    max_sub_queries: int
    prior: PriorResearch
    replies: Sequence[str] = ()


def prompt(asked: AnalysisInput) -> str:
    around = asked.around.model_dump(mode="json")
    return json.dumps(
        {
            "question": asked.question,
            "library": asked.library,
            "documents": around["documents"],
            "defined_terms": around["terms"],
            "nearest_passages": around["passages"],
            "words_the_library_lacks": around["unknown_words"],
            "prior_research": {
                "question": asked.prior.question,
                "sections": [
                    each.model_dump(include={"label", "heading", "excerpt"})
                    for each in asked.prior.sections
                ],
            }
            if asked.prior
            else None,
            "what_the_person_added": list(asked.replies),
            "max_sub_queries": asked.max_sub_queries,
            "default_depth": asked.default_depth,
        },
        ensure_ascii=False,
    )


def offline(asked: AnalysisInput) -> Analysis:
    """By the question's structure and the library's terms."""
    around, prior = asked.around, asked.prior.question
    clarity = assess(asked.question, around, prior)
    question = asked.question
    if prior and lost_pronoun(question):
        question = f"{question.rstrip('?. ')} ({prior.rstrip('?. ')})?"
    counted = Counter(each.document for each in around.passages)
    titles = [title for title, _ in counted.most_common(_MOST_STANDARDS)]
    return Analysis(
        clarity_score=clarity.score,
        recommended_action="proceed" if clarity.score >= CLEAR else "clarify",
        assumptions=clarity.assumptions,
        alternative_interpretations=clarity.alternatives,
        clarification_questions=clarity.questions if clarity.score < CLEAR else [],
        primary_standards=[each.name for each in around.documents if each.title in titles],
        sub_queries=decompose(question, terms=around.terms, has_guides=around.has_guides),
        scope=f"What the library “{asked.library}” says about it, {' and '.join(titles)} first."
        if titles
        else f"What the library “{asked.library}” says about it.",
        depth_mode=_depth(asked),
        authority_sources=[
            each.title
            for each in around.documents
            if each.kind is Kind.STANDARD and each.title in titles
        ],
    )


def _depth(asked: AnalysisInput) -> Depth:
    if _DEEP.search(asked.question):
        return Depth.DEEP
    return Depth.QUICK if _QUICK.search(asked.question) else asked.default_depth


analyze_query = Task("research_analyze_query", Tier.STRONG, INSTRUCTIONS, prompt, Analysis, offline)


async def analyze(context: StageContext) -> QueryPlan:
    question = context.order.question
    around = await context.calls.tool(
        "orch_kb_search",
        lambda: look_around(context.libraries, context.library, question),
        input={"query": question, "library": context.library.name},
        shown=_shown,
        result=Surroundings,
    )
    asked = AnalysisInput(
        question=question,
        library=context.library.title,
        around=around,
        default_depth=context.depth,
        max_sub_queries=context.settings.max_sub_queries,
        prior=context.prior,
        replies=context.replies,
    )
    analysis = await context.ask(analyze_query, asked)
    known = analysis.model_copy(
        update={
            "sub_queries": hold_to_known(analysis.sub_queries, around.documents),
            "primary_standards": known_names(analysis.primary_standards, around.documents),
        }
    )
    # The person's word on the depth is final.
    return made_plan(context, known, context.order.depth or analysis.depth_mode)


def _shown(around: Surroundings) -> str:
    terms = f", defined terms: {', '.join(around.terms)}" if around.terms else ""
    return f"{len(around.documents)} documents, {len(around.passages)} passages near{terms}"
