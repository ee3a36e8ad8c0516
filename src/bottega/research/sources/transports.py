"""How a source is talked to: a program of ours by lines of JSON, an address by streamable HTTP.

The SDK's own stdio transport reads lines of any length and leaves the program's complaints on our
stderr. Here a line has a limit, complaints are kept for the error message, and nothing of the
program is left behind when the connection ends. Over HTTP there is an eye on what the SDK does not
tell: the status of an answer, and its size.
"""

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import anyio
import httpx2
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from bottega.research.sources.definition import HttpConfig
from bottega.research.sources.diagnosis import MOST_MESSAGE, Observations
from bottega.research.sources.launch import Launch

if TYPE_CHECKING:
    from mcp.client._transport import TransportStreams
    from mcp.shared.message import SessionMessage

#: A longer line is parsed in a thread.
QUICKLY_PARSED = 64 * 1024
MOST_COMPLAINTS = 4_000
#: Seconds for a program to end by itself after its input is closed, and after it is told to.
GRACE = 1.0
CHUNK = 64 * 1024
_KILL = signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL


@asynccontextmanager
async def run_program(
    launch: Launch, observed: Observations
) -> AsyncIterator[
    "tuple[MemoryObjectReceiveStream[SessionMessage | Exception], "
    "MemoryObjectSendStream[SessionMessage]]"
]:
    """Raises `OSError` if it cannot be started."""
    from mcp.client.stdio import get_default_environment
    from mcp.shared.message import SessionMessage

    process = await asyncio.create_subprocess_exec(
        *launch.program,
        cwd=launch.cwd,
        env=get_default_environment() | dict(launch.environment),
        stdin=PIPE,
        stdout=PIPE,
        stderr=PIPE,
        limit=MOST_MESSAGE,
        # A group of its own, so that what it starts can be stopped with it.
        start_new_session=True,
    )
    heard, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    outgoing, told = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_hear, process, heard, observed)
        tasks.start_soon(_tell, process, told)
        tasks.start_soon(_keep_complaints, process, observed)
        try:
            yield incoming, outgoing
        finally:
            incoming.close()
            outgoing.close()
            with anyio.CancelScope(shield=True):
                await _end(process)
            tasks.cancel_scope.cancel()


async def _hear(
    process: Process,
    heard: "MemoryObjectSendStream[SessionMessage | Exception]",
    observed: Observations,
) -> None:
    assert process.stdout is not None
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        async with heard:
            while line := await _read_line(process.stdout, observed):
                if message := await _parse(line, observed):
                    await heard.send(message)
    observed.ended.set()
    # A program that cannot write does not end, and asyncio reports no end before the last byte.
    while await process.stdout.read(CHUNK):
        pass


async def _parse(line: bytes, observed: Observations) -> "SessionMessage | None":
    from mcp.shared.message import SessionMessage
    from mcp_types import jsonrpc_message_adapter

    def parse() -> SessionMessage:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))

    try:
        return await asyncio.to_thread(parse) if len(line) > QUICKLY_PARSED else parse()
    except ValueError:
        # Many programs print a greeting; one that prints nothing else runs out of time.
        observed.noise = line[:200].decode(errors="replace").strip() or observed.noise
        return None


async def _read_line(output: asyncio.StreamReader, observed: Observations) -> bytes:
    try:
        return await output.readline()
    except ValueError:
        observed.flooded = True
        return b""


async def _tell(process: Process, told: "MemoryObjectReceiveStream[SessionMessage]") -> None:
    assert process.stdin is not None
    async with told:
        async for message in told:
            line = message.message.model_dump_json(by_alias=True, exclude_unset=True)
            # It may have gone away; then its output ends, which `_hear` notices.
            with suppress(ConnectionError):
                process.stdin.write(line.encode() + b"\n")
                await process.stdin.drain()


async def _keep_complaints(process: Process, observed: Observations) -> None:
    assert process.stderr is not None
    while chunk := await process.stderr.read(CHUNK):
        observed.complaints = (observed.complaints + chunk.decode(errors="replace"))[
            -MOST_COMPLAINTS:
        ]


async def _end(process: Process) -> None:
    """Close its input, wait, tell it to end, wait, and end it with all that it started."""
    assert process.stdin is not None
    process.stdin.close()
    for number in (None, signal.SIGTERM, _KILL):
        if number is not None:
            _signal(process, number)
        with anyio.move_on_after(GRACE):
            await process.wait()
            break
    # What it started may have outlived it.
    _signal(process, _KILL)


def _signal(process: Process, number: signal.Signals) -> None:
    # It may be over already, which macOS calls a lack of permission.
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.send_signal(number)
        else:
            os.killpg(process.pid, number)


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
    launch: Launch, observed: Observations, auth: httpx2.Auth | None
) -> AsyncIterator["TransportStreams"]:
    from mcp.client.streamable_http import streamable_http_client

    config = launch.source.config
    assert isinstance(config, HttpConfig)
    async with (
        client(launch.headers, observed, auth, config.timeout) as http,
        streamable_http_client(
            config.url, http_client=http, max_sse_event_size=MOST_MESSAGE
        ) as streams,
    ):
        yield streams
