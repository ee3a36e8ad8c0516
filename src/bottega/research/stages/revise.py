"""A plan is changed by what the person said at a pause."""

from collections.abc import Iterable

from bottega.research.pipeline.outputs import QueryPlan
from bottega.research.pipeline.stage import StageContext
from bottega.research.prompts.analyze_query import Analysis
from bottega.research.prompts.revise_plan import RevisionInput, revise_query_plan
from bottega.research.stages.own_words import own_words
from bottega.research.stages.planning.plans import made_plan
from bottega.research.stages.wording import all_words


async def revise_plan(context: StageContext, text: str) -> QueryPlan:
    plan = context.known.current_plan
    asked = RevisionInput(plan, text, context.settings.max_sub_queries)
    revised = await context.calls.ask(revise_query_plan(own_words(context)), asked)
    return made_plan(context, _without_new_documents(revised, plan, text), revised.depth_mode)


def _without_new_documents(revised: Analysis, plan: QueryPlan, text: str) -> Analysis:
    """Only documents that the plan had or the person named; whether they exist, retrieval sees."""
    named = {each for sub_query in plan.sub_queries for each in sub_query.standards}
    known = {each.casefold() for each in (*named, *plan.primary_standards)} | set(all_words(text))

    def kept(standards: Iterable[str]) -> list[str]:
        return [each for each in standards if each.casefold() in known]

    sub_queries = [
        each.model_copy(update={"standards": kept(each.standards)}) for each in revised.sub_queries
    ]
    standards = kept(revised.primary_standards)
    return revised.model_copy(update={"sub_queries": sub_queries, "primary_standards": standards})
