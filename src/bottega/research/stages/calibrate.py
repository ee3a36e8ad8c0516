"""Stage 1: the plan is set right by what the web says about its subject, where that is wanted.

It is a help, not a need: whatever goes wrong here leaves the plan as it was, with the reason.
"""

import asyncio
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bottega.core.llm.tasks import Task, Tier
from bottega.core.text.words import shorten_to_words
from bottega.errors import BottegaError, ModelError
from bottega.library.service import WebPage, WebResults
from bottega.research.pipeline.context import StageContext
from bottega.research.pipeline.schemas import Calibration, QueryPlan, WebSource
from bottega.research.stages.analyze import CalibratedPlan, compare_plans, refined_plan
from bottega.research.stages.question import LibraryDocument, list_documents

INSTRUCTIONS = Path(__file__).with_suffix(".md").read_text("utf-8").removesuffix("\n")
#: Of pages, what the answer without a model repeats.
_MOST_PAGES = 5
MOST_QUERIES = 5
RESULTS_PER_QUERY = 5
#: Queries after which nobody believes any more that the web can be searched.
TRIED = 2
LONGEST_CONTEXT = 4_000
LONGEST_EXCERPT = 800
#: Where a page may be.
WEB = ("http://", "https://")


@dataclass(frozen=True, slots=True)
class CalibrationInput:
    plan: QueryPlan
    pages: Sequence[WebSource]
    documents: Sequence[LibraryDocument]
    max_sub_queries: int


def prompt(asked: CalibrationInput) -> str:
    return json.dumps(
        {
            "question": asked.plan.original_query,
            "plan": asked.plan.model_dump(
                mode="json",
                include={"sub_queries", "scope", "primary_standards", "assumptions"},
            ),
            "documents": [each.model_dump(mode="json") for each in asked.documents],
            "max_sub_queries": asked.max_sub_queries,
            "web_pages": [each.model_dump() for each in asked.pages],
        },
        ensure_ascii=False,
    )


def offline(asked: CalibrationInput) -> CalibratedPlan:
    """The plan stands; what the pages say is kept for whoever reads the answer."""
    plan = asked.plan
    told = [f"{page.excerpt.rstrip('. ')}. [{page.label}]" for page in asked.pages if page.excerpt]
    return CalibratedPlan(
        sub_queries=plan.sub_queries,
        scope=plan.scope,
        primary_standards=plan.primary_standards,
        assumptions=plan.assumptions,
        web_research_context=" ".join(told[:_MOST_PAGES]),
    )


calibrate_plan = Task(
    "research_calibrate", Tier.STRONG, INSTRUCTIONS, prompt, CalibratedPlan, offline
)


async def calibrate(context: StageContext) -> Calibration:
    plan = context.known.current_plan
    if not context.settings.web_search:
        return _skipped(f"The depth “{context.depth}” does without the web.")
    queries = web_queries(context.library.title, context.library.name, plan)
    results = await _search(context, queries)
    executed = [query for each in results if not each.skipped for query in each.queries]
    sources = label_sources(results)
    if not executed:
        return _skipped(results[0].skip_reason or "The web was not searched.")
    if not sources:
        return _skipped("The web search found nothing.", executed)
    documents = await _documents(context)
    asked = CalibrationInput(plan, sources, documents, context.settings.max_sub_queries)
    try:
        calibrated = await context.ask(calibrate_plan, asked)
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
            title=shorten_to_words(page.title, 300) or page.url,
            excerpt=shorten_to_words(page.excerpt, LONGEST_EXCERPT),
            query=page.query,
        )
        for number, page in enumerate(pages.values(), 1)
    ]


async def _search(context: StageContext, queries: Sequence[str]) -> list[WebResults]:
    """What each query found; the others are not tried if the first ones could not be searched."""
    results: list[WebResults] = []
    for query in queries[:TRIED]:
        results.append(await _search_one(context, query))
        if not results[-1].skipped:
            break
    else:
        return results
    rest = (_search_one(context, query) for query in queries[len(results) :])
    return [*results, *await asyncio.gather(*rest)]


async def _search_one(context: StageContext, query: str) -> WebResults:
    try:
        return await context.calls.tool(
            "orch_web_search",
            lambda: context.services.web.search(
                [query], max_results_per_query=RESULTS_PER_QUERY, user_id=context.user_id
            ),
            input={"query": query},
            shown=_shown,
            result=WebResults,
        )
    except BottegaError as error:
        reason = f"The web search failed: {error.message}"
        return WebResults(skipped=True, skip_reason=reason, queries=[query])


async def _documents(context: StageContext) -> list[LibraryDocument]:
    return await context.calls.tool(
        "orch_kb_search",
        lambda: list_documents(context.libraries, context.library),
        input={"library": context.library.name},
        shown=lambda found: f"{len(found)} documents",
        result=list[LibraryDocument],
    )


def _calibration(
    context: StageContext,
    plan: QueryPlan,
    calibrated: CalibratedPlan,
    queries: list[str],
    sources: list[WebSource],
    documents: Sequence[LibraryDocument],
) -> Calibration:
    refined = refined_plan(context, plan, calibrated, documents)
    changes = compare_plans(plan, refined)
    return Calibration(
        skipped=False,
        web_queries_executed=queries,
        web_sources=sources,
        intent_changes=changes,
        web_research_context=shorten_to_words(calibrated.web_research_context, LONGEST_CONTEXT),
        query_plan_refined=refined if changes.any else None,
    )


def _shown(results: WebResults) -> str:
    if results.skipped:
        return f"Skipped: {results.skip_reason}"
    return "; ".join(page.title for page in results.results) or "Nothing found"


def _skipped(reason: str, queries: Sequence[str] = ()) -> Calibration:
    return Calibration(skipped=True, skip_reason=reason, web_queries_executed=list(queries))
