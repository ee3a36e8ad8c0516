"""Stage 0: a question becomes a plan of what to look up."""

from bottega.research.pipeline.outputs import QueryPlan
from bottega.research.pipeline.stage import StageContext
from bottega.research.prompts.analyze_query import AnalysisInput, analyze_query
from bottega.research.stages.own_words import own_words
from bottega.research.stages.parts import Parts
from bottega.research.stages.planning.plans import hold_to_known, known_names, made_plan
from bottega.research.stages.planning.surroundings import Surroundings, look_around


async def analyze(parts: Parts, context: StageContext) -> QueryPlan:
    around = await see_surroundings(parts, context)
    asked = AnalysisInput(
        question=context.order.question,
        library=context.library.title,
        around=around,
        default_depth=context.depth,
        max_sub_queries=context.settings.max_sub_queries,
        prior=context.prior,
        replies=context.replies,
    )
    analysis = await context.calls.ask(analyze_query(own_words(context)), asked)
    known = analysis.model_copy(
        update={
            "sub_queries": hold_to_known(analysis.sub_queries, around.documents),
            "primary_standards": known_names(analysis.primary_standards, around.documents),
        }
    )
    # The person's word on the depth is final.
    return made_plan(context, known, context.order.depth or analysis.depth_mode)


async def see_surroundings(parts: Parts, context: StageContext) -> Surroundings:
    question = context.order.question
    return await context.calls.tool(
        "orch_kb_search",
        lambda: look_around(parts.libraries, context.library, question),
        input={"query": question, "library": context.library.name},
        shown=_shown,
        result=Surroundings,
    )


def _shown(around: Surroundings) -> str:
    terms = f", defined terms: {', '.join(around.terms)}" if around.terms else ""
    return f"{len(around.documents)} documents, {len(around.passages)} passages near{terms}"
