"""What the web says: by a search API if its key is there, else by the model provider's own search,
else not at all, with the reason. Failures are reasons too: nothing that searches the web stops
because the web does not answer."""

from collections.abc import Sequence

from bottega.core.users import LOCAL_USER
from bottega.errors import BottegaError
from bottega.library.service import WebPage, WebResults, WebSearch
from bottega.research.sources.brave import (
    MOST_EXCERPT,
    MOST_TITLE,
    SEARCH_URL,
    clean,
    is_web_page,
    search,
)
from bottega.research.sources.definition import StdioConfig
from bottega.research.sources.failures import NeedsAuth
from bottega.research.sources.service import Sources

#: The source whose configuration says where the API is, and by which name its key is stored.
SOURCE = "web-search"


class WebSearcher:
    def __init__(self, sources: Sources, provider: WebSearch) -> None:
        self._sources = sources
        self._provider = provider

    async def search(
        self,
        queries: Sequence[str],
        *,
        max_results_per_query: int = 5,
        user_id: str = LOCAL_USER,
        session_id: str | None = None,
    ) -> WebResults:
        asked = [query.strip() for query in queries if query.strip()]
        api = await self._api(user_id, session_id)
        if api is None or not asked:
            return await self._by_provider(asked, max_results_per_query)
        pages: list[WebPage] = []
        failures: list[str] = []
        for query in asked:
            try:
                found = await search(query, max_results_per_query, key=api[0], url=api[1])
            except BottegaError as error:
                failures.append(error.message)
                continue
            pages += (
                WebPage(query=query, url=each.url, title=each.title, excerpt=each.excerpt)
                for each in found
            )
        reason = " ".join(dict.fromkeys(failures)) or None
        return WebResults(
            skipped=len(failures) == len(asked), skip_reason=reason, queries=asked, results=pages
        )

    async def _api(self, user_id: str, session_id: str | None) -> tuple[str, str] | None:
        """The key and the address, if the person has the one and has not switched it off."""
        try:
            view = await self._sources.get(SOURCE, user_id=user_id, session_id=session_id)
            source = await self._sources.source(SOURCE)
            if not view.enabled or not isinstance(source.config, StdioConfig):
                return None
            environment = await self._sources.environment(source, user_id)
        except NeedsAuth:
            return None
        key = environment.get("SEARCH_API_KEY")
        return (key, environment.get("SEARCH_URL", SEARCH_URL)) if key else None

    async def _by_provider(self, queries: list[str], most: int) -> WebResults:
        found = await self._provider.search(queries, max_results_per_query=most)
        pages = [
            page.model_copy(
                update={
                    "title": clean(page.title, MOST_TITLE),
                    "excerpt": clean(page.excerpt, MOST_EXCERPT),
                }
            )
            for page in found.results
            if is_web_page(page.url)
        ]
        return found.model_copy(update={"results": pages})
