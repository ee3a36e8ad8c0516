"""Stage 2: what the library has on each sub-query, and what that leads to."""

import asyncio
from collections import Counter

from pydantic import BaseModel

from bottega.errors import BottegaError, InvalidInput, Unavailable
from bottega.library.service import Hops, ParagraphView, Results, Role
from bottega.research.agents.definition import Depth
from bottega.research.pipeline.outputs import QueryPlan, Retrieval, SubQuery
from bottega.research.pipeline.stage import StageContext
from bottega.research.stages.answerability import judge_answerability
from bottega.research.stages.families import family_of, needs_family, root_ref
from bottega.research.stages.gathering import Gathered
from bottega.research.stages.parts import Parts

#: Of the best primary paragraphs, from how many hops set out.
STARTS = {Depth.QUICK: 1, Depth.STANDARD: 3, Depth.DEEP: 5}
MAX_HOPS = 2
RESULTS_PER_START = 10
#: Paragraphs that are completed by their lead or their items, and how good they have to be.
MOST_COMPLETED = 12
WORTH_COMPLETING = 0.6


class _Family(BaseModel):
    paragraphs: list[ParagraphView]


async def retrieve(parts: Parts, context: StageContext) -> Retrieval:
    plan = context.known.current_plan
    gathered = Gathered(frozenset(_left_out(context)))
    found = await asyncio.gather(
        *(_search(parts, context, sub_query) for sub_query in plan.sub_queries)
    )
    skipped = _gather(gathered, plan, found)
    await _hop(parts, context, gathered)
    await _complete(parts, context, gathered)
    judged = await judge_answerability(parts, context)
    paragraphs = gathered.ranked()
    return Retrieval(
        total_paragraphs_found=gathered.total,
        unique_after_dedup=len(paragraphs),
        standards_covered=list(dict.fromkeys(each.paragraph.document for each in paragraphs)),
        role_counts=dict(Counter(each.role.value for each in paragraphs)),
        skipped_sub_queries=skipped,
        answerable=judged.answerable,
        confidence=judged.confidence,
        reasons=judged.reasons,
        paragraphs=paragraphs,
        prior_cited=gathered.left_out,
    )


def _left_out(context: StageContext) -> list[str]:
    follow_up = context.agent.config.follow_up
    return context.prior.cited if follow_up.enabled and follow_up.delta_retrieval else []


async def _search(
    parts: Parts, context: StageContext, sub_query: SubQuery
) -> Results | BottegaError:
    async def search() -> Results:
        return await _search_library(parts, context, sub_query)

    try:
        return await context.calls.tool(
            "orch_kb_search",
            search,
            input={
                "query": sub_query.query,
                "role": sub_query.role.value,
                "standards": sub_query.standards,
            },
            shown=_shown,
            result=Results,
        )
    except BottegaError as error:
        return error


async def _search_library(parts: Parts, context: StageContext, sub_query: SubQuery) -> Results:
    library, search = context.library, parts.libraries.search
    most = context.settings.paragraphs_per_query
    if sub_query.role is Role.CONTEXT:
        return await search.guides(library, sub_query.query, max_results=most)
    try:
        return await search.multi_tier(
            library, sub_query.query, max_results=most, filter=sub_query.standards
        )
    except InvalidInput:
        if not sub_query.standards:
            raise
        # A document that is gone, or that a person named and nobody has.
        return await search.multi_tier(library, sub_query.query, max_results=most)


def _gather(gathered: Gathered, plan: QueryPlan, found: list[Results | BottegaError]) -> list[str]:
    """Put together what was found; the sub-queries that found nothing, with the reason."""
    skipped = []
    for sub_query, results in zip(plan.sub_queries, found, strict=True):
        if isinstance(results, BottegaError):
            skipped.append(f"{sub_query.query} ({results.message})")
        elif not results.hits:
            skipped.append(f"{sub_query.query} (nothing found)")
        else:
            gathered.add_hits(sub_query, results.hits)
    errors = [each for each in found if isinstance(each, BottegaError)]
    if len(errors) == len(found):
        raise Unavailable(f"No search in the library worked. The last said: {errors[-1].message}")
    return skipped


async def _hop(parts: Parts, context: StageContext, gathered: Gathered) -> None:
    families: dict[str, ParagraphView] = {}
    for each in gathered.ranked():
        if each.role is Role.PRIMARY:
            families.setdefault(root_ref(each.paragraph), each.paragraph)
    starts = list(families.values())[: STARTS[context.depth]]

    async def hop(start: ParagraphView) -> Hops | None:
        try:
            return await context.calls.tool(
                "orch_hop_retrieve",
                lambda: parts.libraries.graph.hop(
                    context.library, start.id, max_hops=MAX_HOPS, max_results=RESULTS_PER_START
                ),
                input={"paragraph": start.ref, "max_hops": MAX_HOPS},
                shown=lambda hops: _refs([each.paragraph for each in hops.hops]),
                result=Hops,
            )
        except BottegaError:
            # What the start itself says is there all the same.
            return None

    for hops in await asyncio.gather(*(hop(each) for each in starts)):
        if hops is not None:
            gathered.add_hops(hops)


async def _complete(parts: Parts, context: StageContext, gathered: Gathered) -> None:
    """An item says nothing without the words that lead to it, nor these without their items."""
    good = (each for each in gathered.ranked() if each.score >= WORTH_COMPLETING)
    lacking = [each.paragraph for each in good if needs_family(each.paragraph)][:MOST_COMPLETED]
    if not lacking:
        return

    async def family() -> _Family:
        return _Family(paragraphs=await family_of(parts.libraries, context.library, lacking))

    try:
        found = await context.calls.tool(
            "orch_hop_retrieve",
            family,
            input={"belonging_to": [each.ref for each in lacking]},
            shown=lambda each: _refs(each.paragraphs),
            result=_Family,
        )
    except BottegaError:
        return
    gathered.add_family(found.paragraphs)


def _shown(results: Results) -> str:
    return _refs([hit.paragraph for hit in results.hits])


def _refs(paragraphs: list[ParagraphView]) -> str:
    shown = ", ".join(each.ref for each in paragraphs[:5])
    return f"{len(paragraphs)} found: {shown}" if paragraphs else "nothing found"
