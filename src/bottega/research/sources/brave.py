"""A search API that speaks as Brave's does: one query in, a bounded list of clean results out."""

import asyncio
import html
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx

from bottega.errors import Unavailable

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


@dataclass(frozen=True, slots=True)
class SearchResult:
    title: str
    url: str
    excerpt: str


async def search(
    query: str, most: int, *, key: str, url: str = SEARCH_URL
) -> Sequence[SearchResult]:
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
        return _results(json.loads(body))[:most]
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


def _results(answer: Any) -> list[SearchResult]:  # whatever JSON came
    found = (answer.get("web") or {}).get("results") or []
    results = [
        SearchResult(
            title=clean(each.get("title"), MOST_TITLE),
            url=str(each.get("url", "")),
            excerpt=clean(each.get("description"), MOST_EXCERPT),
        )
        for each in found
        if isinstance(each, dict)
    ]
    return [each for each in results if is_web_page(each.url)]


def clean(text: Any, most: int) -> str:
    """Plain words: no tags, no entities, no invisible characters, on one line."""
    plain = _TAG.sub("", html.unescape(_TAG.sub("", str(text or "")[: 20 * most])))
    words = " ".join(_UNFIT.sub(" ", plain).split())
    return words if len(words) <= most else words[: most - 1].rstrip() + "…"


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
