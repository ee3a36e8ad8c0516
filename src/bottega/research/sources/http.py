"""Reaching a source over streamable HTTP, with an eye on what the SDK does not tell: the status
of an answer, and its size."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import httpx2

from bottega.research.sources.diagnosis import MOST_MESSAGE, Observations

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams

CONNECT_SECONDS = 10.0
EVENTS = "text/event-stream"


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, observed: Observations) -> None:
        self._stream = stream
        self._observed = observed

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._stream:
            size += len(chunk)
            if size > MOST_MESSAGE:
                self._observed.flooded = True
                raise httpx2.StreamError("the answer is over the limit")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


def watcher(observed: Observations) -> Callable[[httpx2.Response], Awaitable[None]]:
    """A hook for a client: notes what answers say, and bounds them."""

    async def look(response: httpx2.Response) -> None:
        request = response.request
        if response.headers.get("content-encoding", "identity") != "identity":
            # Unpacked it could be of any size, and we have asked for it as it is.
            raise httpx2.DecodingError("the answer is compressed", request=request)
        if EVENTS not in response.headers.get("content-type", ""):
            assert isinstance(response.stream, httpx2.AsyncByteStream)
            response.stream = _Bounded(response.stream, observed)
        # Requests of a sign-in accept no events.
        if request.method == "POST" and EVENTS in request.headers.get("accept", ""):
            status = response.status_code
            observed.session_lost |= status == 404 and "mcp-session-id" in request.headers
            observed.refused = status if status in (401, 403) else None

    return look


def client(
    headers: Mapping[str, str], observed: Observations, auth: httpx2.Auth | None, seconds: float
) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(
        headers={**headers, "Accept-Encoding": "identity"},
        timeout=httpx2.Timeout(seconds, connect=CONNECT_SECONDS),
        auth=auth,
        event_hooks={"response": [watcher(observed)]},
    )


@asynccontextmanager
async def reach_address(
    url: str,
    headers: Mapping[str, str],
    observed: Observations,
    *,
    auth: httpx2.Auth | None,
    seconds: float,
) -> AsyncIterator["TransportStreams"]:
    from mcp.client.streamable_http import streamable_http_client

    async with (
        client(headers, observed, auth, seconds) as http,
        streamable_http_client(url, http_client=http, max_sse_event_size=MOST_MESSAGE) as streams,
    ):
        yield streams
