"""What the web says: by a search API if its key is there, else by the model provider's own search,
else not at all, with the reason. Failures are reasons too: nothing that searches the web stops
because the web does not answer."""

import asyncio
import html
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import httpx

from bottega.core.text.words import one_line, shorten
from bottega.core.users import LOCAL_USER
from bottega.errors import BottegaError, Unavailable
from bottega.library.service import WebPage, WebResults, WebSearch
from bottega.research.sources.service import Sources

SEARCH_URL = "https://api.search.brave.com/res/v1/web/search"
TIMEOUT = 15.0
MOST_BYTES = 4 * 1024 * 1024
MOST_RESULTS = 20
MOST_TITLE, MOST_EXCERPT, MOST_URL = 200, 600, 2_000
#: The free plan allows one query a second: so long is worth waiting for the next.
LONGEST_WAIT = 2.0

_TAG = re.compile(r"<[^<>]{0,500}>")
_UNFIT = re.compile(r"[\x00-\x1f\x7f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]+")


class SearchFailed(Unavailable):
    """The API did not answer a query."""


async def search(query: str, most: int, *, key: str, url: str = SEARCH_URL) -> Sequence[WebPage]:
    """Raises `SearchFailed` with a reason that never holds the key."""
    try:
        # It follows no redirect: the key is for this address only.
        async with httpx.AsyncClient(timeout=TIMEOUT) as http:
            status, headers, body = await _get(http, url, key, query, most)
            if status == httpx.codes.TOO_MANY_REQUESTS and (wait := _wait(headers)) is not None:
                await asyncio.sleep(wait)
                status, headers, body = await _get(http, url, key, query, most)
    except httpx.TimeoutException:
        raise SearchFailed(f"The search API did not answer within {TIMEOUT:g} seconds.") from None
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        reason = type(error).__name__
        raise SearchFailed(f"The search API at {url} cannot be used: {reason}.") from None
    if status != httpx.codes.OK:
        raise SearchFailed(_refusal(status))
    try:
        return _pages(query, json.loads(body))[:most]
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise SearchFailed("The search API answered with something that is no result.") from None


async def _get(
    http: httpx.AsyncClient, url: str, key: str, query: str, most: int
) -> tuple[int, Mapping[str, str], bytes]:
    # Brave refuses more than 400 characters or 50 words.
    asked = " ".join(query.split()[:50])[:400]
    headers = {"X-Subscription-Token": key, "Accept": "application/json"}
    params: dict[str, str | int] = {"q": asked, "count": min(most, MOST_RESULTS)}
    async with http.stream("GET", url, params=params, headers=headers) as response:
        body = bytearray()
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) > MOST_BYTES:
                raise SearchFailed(f"The search API sent more than {MOST_BYTES // 1024**2} MB.")
        return response.status_code, response.headers, bytes(body)


def _wait(headers: Mapping[str, str]) -> float | None:
    """Seconds until the next query is allowed, if that is soon: `X-RateLimit-Reset: 1, 1419704`."""
    said = headers.get("retry-after") or headers.get("x-ratelimit-reset", "").split(",")[0]
    try:
        seconds = float(said)
    except ValueError:
        return None
    return seconds if 0 <= seconds <= LONGEST_WAIT else None


def _refusal(status: int) -> str:
    match status:
        case 401 | 403 | 422:
            return f"The search API does not accept the key (HTTP {status}). Enter a new one."
        case 429:
            return "The search API's limit is reached (HTTP 429). Try again later."
        case _:
            return f"The search API answered with HTTP {status}."


def _pages(query: str, answer: Any) -> list[WebPage]:  # whatever JSON came
    found = (answer.get("web") or {}).get("results") or []
    pages = [
        WebPage(
            query=query,
            title=clean(each.get("title"), MOST_TITLE),
            url=str(each.get("url", "")),
            excerpt=clean(each.get("description"), MOST_EXCERPT),
        )
        for each in found
        if isinstance(each, dict)
    ]
    return [each for each in pages if is_web_page(each.url)]


def clean(text: Any, most: int) -> str:
    """Plain words: no tags, no entities, no invisible characters, on one line."""
    plain = _TAG.sub("", html.unescape(_TAG.sub("", str(text or "")[: 20 * most])))
    return shorten(one_line(_UNFIT.sub(" ", plain)), most)


def is_web_page(url: str) -> bool:
    try:
        address = urlsplit(url)
    except ValueError:
        return False
    return (
        address.scheme in ("http", "https")
        and bool(address.hostname)
        and address.username is None
        and len(url) <= MOST_URL
        and not re.search(r"[\s<>\"`\x00-\x1f]", url)
    )


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
                pages += await search(query, max_results_per_query, key=api[0], url=api[1])
            except BottegaError as error:
                failures.append(error.message)
        reason = " ".join(dict.fromkeys(failures)) or None
        return WebResults(
            skipped=len(failures) == len(asked), skip_reason=reason, queries=asked, results=pages
        )

    async def _api(self, user_id: str, session_id: str | None) -> tuple[str, str] | None:
        """The key and the address, if the person has the one and has not switched it off."""
        environment = await self._sources.environment(
            SOURCE, user_id=user_id, session_id=session_id
        )
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
