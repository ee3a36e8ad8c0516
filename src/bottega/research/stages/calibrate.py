"""Stage 1: the plan is set right by what the web says about its subject, where that is wanted.

It is a help, not a need: whatever goes wrong here leaves the plan as it was, with the reason.
"""

import asyncio
from collections.abc import Iterable, Sequence

from pydantic import BaseModel

from bottega.errors import BottegaError, ModelError
from bottega.library.service import WebPage, WebResults
from bottega.research.pipeline.outputs import Calibration, QueryPlan, WebSource
from bottega.research.pipeline.stage import StageContext
from bottega.research.prompts.calibrate import CalibratedPlan, CalibrationInput, calibrate_plan
from bottega.research.stages.own_words import own_words
from bottega.research.stages.parts import Parts
from bottega.research.stages.planning.plan_changes import compare_plans
from bottega.research.stages.planning.plans import refined_plan
from bottega.research.stages.planning.surroundings import Document, list_documents
from bottega.research.stages.wording import shorten

MOST_QUERIES = 5
RESULTS_PER_QUERY = 5
#: Queries after which nobody believes any more that the web can be searched.
TRIED = 2
LONGEST_CONTEXT = 4_000
LONGEST_EXCERPT = 800
#: Where a page may be.
WEB = ("http://", "https://")


class _Documents(BaseModel):
    documents: list[Document]


async def calibrate(parts: Parts, context: StageContext) -> Calibration:
    plan = context.known.current_plan
    if not context.settings.web_search:
        return _skipped(f"The depth “{context.depth}” does without the web.")
    queries = web_queries(context.library.title, context.library.name, plan)
    results = await _search(parts, context, queries)
    executed = [query for each in results if not each.skipped for query in each.queries]
    sources = label_sources(results)
    if not executed:
        return _skipped(results[0].skip_reason or "The web was not searched.")
    if not sources:
        return _skipped("The web search found nothing.", executed)
    documents = await _documents(parts, context)
    asked = CalibrationInput(plan, sources, documents, context.settings.max_sub_queries)
    try:
        calibrated = await context.calls.ask(calibrate_plan(own_words(context)), asked)
    except ModelError as error:
        return _skipped(f"The plan could not be calibrated: {error.message}", executed)
    return _calibration(context, plan, calibrated, executed, sources, documents)


def web_queries(title: str, name: str, plan: QueryPlan) -> list[str]:
    """The plan's sub-queries, the primary first, with the library's subject beside them."""
    # A name of one word was made for tools, not for people.
    subject = f" {title}" if title != name else ""
    queries = (f"{each.query.rstrip('?. ')}{subject}" for each in plan.sub_queries)
    return list(dict.fromkeys(queries))[:MOST_QUERIES]


def label_sources(results: Iterable[WebResults]) -> list[WebSource]:
    """Every page once, `W1`, `W2` … in the order in which they were found."""
    pages: dict[str, WebPage] = {}
    for result in results:
        for page in result.results:
            if page.url.lower().startswith(WEB):
                pages.setdefault(page.url, page)
    return [
        WebSource(
            label=f"W{number}",
            url=page.url,
            title=shorten(page.title, 300) or page.url,
            excerpt=shorten(page.excerpt, LONGEST_EXCERPT),
            query=page.query,
        )
        for number, page in enumerate(pages.values(), 1)
    ]


async def _search(parts: Parts, context: StageContext, queries: Sequence[str]) -> list[WebResults]:
    """What each query found; the others are not tried if the first ones could not be searched."""
    results: list[WebResults] = []
    for query in queries[:TRIED]:
        results.append(await _search_one(parts, context, query))
        if not results[-1].skipped:
            break
    else:
        return results
    rest = (_search_one(parts, context, query) for query in queries[len(results) :])
    return [*results, *await asyncio.gather(*rest)]


async def _search_one(parts: Parts, context: StageContext, query: str) -> WebResults:
    try:
        return await context.calls.tool(
            "orch_web_search",
            lambda: parts.web.search(
                [query], max_results_per_query=RESULTS_PER_QUERY, user_id=context.user_id
            ),
            input={"query": query},
            shown=_shown,
            result=WebResults,
        )
    except BottegaError as error:
        reason = f"The web search failed: {error.message}"
        return WebResults(skipped=True, skip_reason=reason, queries=[query])


async def _documents(parts: Parts, context: StageContext) -> list[Document]:
    async def listed() -> _Documents:
        return _Documents(documents=await list_documents(parts.libraries, context.library))

    found = await context.calls.tool(
        "orch_kb_search",
        listed,
        input={"library": context.library.name},
        shown=lambda each: f"{len(each.documents)} documents",
        result=_Documents,
    )
    return found.documents


def _calibration(
    context: StageContext,
    plan: QueryPlan,
    calibrated: CalibratedPlan,
    queries: list[str],
    sources: list[WebSource],
    documents: Sequence[Document],
) -> Calibration:
    refined = refined_plan(context, plan, calibrated, documents)
    changes = compare_plans(plan, refined)
    return Calibration(
        skipped=False,
        web_queries_executed=queries,
        web_sources=sources,
        intent_changes=changes,
        web_research_context=shorten(calibrated.web_research_context, LONGEST_CONTEXT),
        query_plan_refined=refined if changes.any else None,
    )


def _shown(results: WebResults) -> str:
    if results.skipped:
        return f"Skipped: {results.skip_reason}"
    return "; ".join(page.title for page in results.results) or "Nothing found"


def _skipped(reason: str, queries: Sequence[str] = ()) -> Calibration:
    return Calibration(skipped=True, skip_reason=reason, web_queries_executed=list(queries))
