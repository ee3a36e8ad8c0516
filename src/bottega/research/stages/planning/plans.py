"""Plans are written by code: what a model proposes is checked, bounded and put in order."""

from collections.abc import Iterable, Sequence

from bottega.library.service import Role
from bottega.research.agents.definition import Depth
from bottega.research.pipeline.outputs import QueryPlan, SubQuery
from bottega.research.pipeline.stage import StageContext
from bottega.research.prompts.analyze_query import Analysis
from bottega.research.prompts.calibrate import CalibratedPlan
from bottega.research.stages.planning.clarity import CLEAR
from bottega.research.stages.planning.surroundings import Document
from bottega.research.stages.wording import shorten

LONGEST_QUERY = 400
LONGEST_REMARK = 600
MOST_REMARKS = 10
MOST_QUESTIONS = 3


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
        scope=shorten(analysis.scope, LONGEST_REMARK),
        depth_mode=chosen,
        authority_sources=_remarks(analysis.authority_sources),
    )


def refined_plan(
    context: StageContext, plan: QueryPlan, calibrated: CalibratedPlan, known: Sequence[Document]
) -> QueryPlan:
    """The plan with what calibration may change of it, and nothing else."""
    sub_queries = hold_to_known(calibrated.sub_queries, known) or plan.sub_queries
    most = context.settings.max_sub_queries
    return plan.model_copy(
        update={
            "sub_queries": bounded(sub_queries, most, plan.original_query),
            "scope": shorten(calibrated.scope, LONGEST_REMARK) or plan.scope,
            "primary_standards": known_names(calibrated.primary_standards, known),
            "assumptions": _remarks([*plan.assumptions, *calibrated.assumptions]),
        }
    )


def bounded(sub_queries: Iterable[SubQuery], most: int, question: str) -> list[SubQuery]:
    """Each once, the primary ones first to stay; without one, the question itself is it."""
    once: dict[tuple[str, bool], SubQuery] = {}
    for each in sub_queries:
        query = shorten(each.query, LONGEST_QUERY)
        if query:
            kept = each.model_copy(update={"query": query})
            # A guide may be asked the same thing as the standards.
            once.setdefault((query.casefold(), each.role is Role.CONTEXT), kept)
    found = list(once.values())
    if not any(each.role is Role.PRIMARY for each in found):
        found.insert(0, SubQuery(query=shorten(question, LONGEST_QUERY)))
    order = list(Role)
    return sorted(found, key=lambda each: order.index(each.role))[:most]


def hold_to_known(sub_queries: Iterable[SubQuery], known: Sequence[Document]) -> list[SubQuery]:
    """Without standards that the library does not have."""
    return [
        each.model_copy(update={"standards": known_names(each.standards, known)})
        for each in sub_queries
    ]


def known_names(names: Iterable[str], known: Sequence[Document]) -> list[str]:
    """Of documents that are there, as plans call them; `Standard 315` is `315`."""
    by_name = {name.casefold(): each.name for each in known for name in (each.title, each.name)}
    wanted = [name.strip().casefold() for name in names]
    found = [by_name.get(name) or by_name.get(name.rsplit(" ", 1)[-1]) for name in wanted]
    return list(dict.fromkeys(each for each in found if each is not None))


def _remarks(texts: Iterable[str]) -> list[str]:
    shortened = (shorten(text, LONGEST_REMARK) for text in texts)
    return [text for text in dict.fromkeys(shortened) if text][:MOST_REMARKS]
