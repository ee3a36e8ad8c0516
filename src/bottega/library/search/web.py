"""Web search through the model provider's own tool; where there is none, a result that says so."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import BaseModel

from bottega.core.llm.gateway import Gateway
from bottega.core.llm.tasks import Answer, Task, Tier
from bottega.errors import InvalidInput, ModelError
from bottega.library.search.schemas import WebPage, WebResults

#: The provider searches; we only say that it may.
WEB_SEARCH_TOOL = {"type": "web_search_20250305", "name": "web_search"}

INSTRUCTIONS = Path(__file__).with_suffix(".md").read_text("utf-8").removesuffix("\n")


@dataclass(frozen=True, slots=True)
class WebQueries:
    queries: tuple[str, ...]
    max_results_per_query: int


class WebPages(BaseModel):
    pages: list[WebPage]


WEB_SEARCH: Task[WebQueries, WebPages] = Task(
    "library_web_search",
    Tier.FAST,
    INSTRUCTIONS,
    lambda asked: json.dumps(asdict(asked), ensure_ascii=False),
    WebPages,
    # Without a network there are no pages; whoever asks says so before asking.
    lambda _asked: WebPages(pages=[]),
)


MOST_QUERIES = 10
MOST_RESULTS = 20


class WebSearch:
    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    async def search(self, queries: Sequence[str], *, max_results_per_query: int = 5) -> WebResults:
        """Pages that the provider's search returned; never one from a model's memory."""
        asked = [query.strip() for query in queries if query.strip()]
        if not 1 <= len(asked) <= MOST_QUERIES or not 1 <= max_results_per_query <= MOST_RESULTS:
            raise InvalidInput(
                f"Ask 1 to {MOST_QUERIES} queries for 1 to {MOST_RESULTS} results each; these are "
                f"{len(asked)} for {max_results_per_query}."
            )
        mode = self._gateway.mode
        if mode.offline:
            return _skipped(asked, f"No model is configured: {mode.reason}.")
        try:
            answer = await self._gateway.call(
                WEB_SEARCH,
                WebQueries(tuple(asked), max_results_per_query),
                retry=True,
                tools=[WEB_SEARCH_TOOL],
            )
        except ModelError as error:
            return _skipped(asked, f"The web search failed: {error.message}")
        if not answer.sources:
            name = f"{answer.model!r} returned no page: it has no search tool, or found nothing."
            return _skipped(asked, f"The model {name}")
        return WebResults(
            skipped=False, queries=asked, results=_returned(answer, max_results_per_query)
        )


def _returned(answer: Answer[WebPages], most: int) -> list[WebPage]:
    """Only what the search returned, at most so many a query."""
    returned = {source.url for source in answer.sources}
    seen: Counter[str] = Counter()
    pages: list[WebPage] = []
    for page in answer.output.pages:
        if page.url in returned and seen[page.query] < most:
            seen[page.query] += 1
            pages.append(page)
    return pages


def _skipped(queries: list[str], reason: str) -> WebResults:
    return WebResults(skipped=True, skip_reason=reason, queries=queries)
