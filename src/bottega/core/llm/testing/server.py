"""A server on 127.0.0.1 that answers as the providers' APIs do, from a script.

    async with LoopbackApi() as api:
        api.reply(json={"verdict": "stuck"}, usage=(120, 8))
        api.reply(status=429, times=2)
        …  # point a client at `api.url` (Anthropic) or `api.openai_url`
        assert api.requests[0].body["max_tokens"] == 4096

Each model call takes the first scripted reply that is meant for it. Without one, a call with a
schema gets the smallest value that the schema allows, and any other an echo.

As much of HTTP/1.1 as the providers' SDKs need: keep-alive, JSON, server-sent events.
"""

import asyncio
import json
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any, Self

from bottega.core.llm.providers import Access
from bottega.core.llm.testing import anthropic, openai
from bottega.core.llm.testing.replies import Received, Reply, Tokens, ToolUse, Wire

#: The head and body of a request may be as long as an agent's context.
READ_LIMIT = 64 * 1024 * 1024


async def read_request(reader: asyncio.StreamReader) -> Received | None:
    """The next request of a connection; `None` when the client has closed it."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        request_line, *lines = head.strip().split("\r\n")
        method, target, _ = request_line.split(" ", 2)
        headers = {
            name.strip().lower(): value.strip()
            for name, _, value in (line.partition(":") for line in lines)
        }
        raw = await _read_body(reader, headers)
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    path, _, query = target.partition("?")
    return Received(method, path, query, headers, _decode(raw))


def _decode(raw: bytes) -> dict[str, Any]:
    """The JSON object of a model call; agents also send other things, which no reply depends on."""
    try:
        body = json.loads(raw)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


async def _read_body(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> bytes:
    if headers.get("transfer-encoding", "").lower() != "chunked":
        return await reader.readexactly(int(headers.get("content-length", 0)))
    body = b""
    while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
        body += await reader.readexactly(size)
        await reader.readexactly(2)
    await reader.readuntil(b"\r\n")
    return body


async def write_nothing(writer: asyncio.StreamWriter) -> None:
    _write_head(writer, HTTPStatus.OK, {"content-length": "0"})
    await writer.drain()


async def write_json(
    writer: asyncio.StreamWriter,
    status: int,
    body: Mapping[str, Any],
    headers: Mapping[str, str],
) -> None:
    payload = json.dumps(body).encode()
    _write_head(
        writer,
        status,
        {"content-type": "application/json", "content-length": str(len(payload)), **headers},
    )
    writer.write(payload)
    await writer.drain()


async def write_events(
    writer: asyncio.StreamWriter, events: Iterable[str], headers: Mapping[str, str]
) -> None:
    """A stream of server-sent events, each given as its lines."""
    _write_head(
        writer,
        HTTPStatus.OK,
        {
            "content-type": "text/event-stream; charset=utf-8",
            "cache-control": "no-cache",
            "transfer-encoding": "chunked",
            **headers,
        },
    )
    for event in events:
        payload = f"{event}\n\n".encode()
        writer.write(f"{len(payload):x}\r\n".encode() + payload + b"\r\n")
        await writer.drain()
    writer.write(b"0\r\n\r\n")
    await writer.drain()


def _write_head(writer: asyncio.StreamWriter, status: int, headers: Mapping[str, str]) -> None:
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = "Overloaded"
    lines = [
        f"HTTP/1.1 {status} {phrase}",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    writer.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))


class LoopbackApi:
    def __init__(self) -> None:
        #: The model calls that arrived, in order.
        self.requests: list[Received] = []
        #: How many connections were opened.
        self.connections = 0
        self._script: list[Reply] = []
        self._arrival = asyncio.Event()
        self._serving: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        """The base address for Anthropic's SDK."""
        if self._server is None:
            raise RuntimeError("use it as `async with LoopbackApi() as api`")
        host, port = self._server.sockets[0].getsockname()
        return f"http://{host}:{port}"

    @property
    def openai_url(self) -> str:
        """The base address for OpenAI's SDK."""
        return f"{self.url}/v1"

    def access(self, *, timeout: float = 30.0, retries: int = 2) -> Access:
        """How `Models` reaches this server, as either provider."""
        return Access(
            anthropic_key="sk-ant-loopback",
            anthropic_url=self.url,
            openai_key="sk-loopback",
            openai_url=self.openai_url,
            timeout=timeout,
            retries=retries,
        )

    def reply(
        self,
        *,
        tool: tuple[str, Mapping[str, Any]] | None = None,
        usage: tuple[int, int] = (10, 5),
        times: int = 1,
        **fields: Any,  # those of `Reply`, which checks their names
    ) -> None:
        """Script the next reply, or the next `times`."""
        if tool is not None:
            fields["tools"] = (ToolUse(*tool),)
        self._script += [Reply(usage=Tokens(*usage), **fields)] * times

    async def received(self, count: int) -> list[Received]:
        """The first `count` model calls, when they are there."""
        while len(self.requests) < count:
            self._arrival.clear()
            await self._arrival.wait()
        return self.requests[:count]

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=READ_LIMIT)
        return self

    async def __aexit__(self, *_error: object) -> None:
        if self._server is not None:
            self._server.close()
            for task in self._serving:
                task.cancel()
            await asyncio.gather(*self._serving)
            await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        try:
            while request := await read_request(reader):
                if not await self._answer(request, writer):
                    break
        except (ConnectionError, asyncio.CancelledError):
            pass  # the client left in the middle of an answer, or the server is closing
        finally:
            self._serving.discard(task)
            writer.close()

    async def _answer(self, request: Received, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; whether the connection stays open."""
        match request.method, request.path:
            case "POST", "/v1/messages":
                return await self._answer_call(request, writer, anthropic)
            case "POST", "/v1/chat/completions":
                return await self._answer_call(request, writer, openai)
            case "POST", "/v1/messages/count_tokens":
                body = anthropic.count_tokens(request.body)
                await write_json(writer, 200, body, anthropic.headers())
            case "GET", "/v1/models":
                await write_json(writer, 200, openai.models(), openai.headers())
            case "HEAD", _:
                await write_nothing(writer)
            case method, path:
                lost = Reply(status=404, text=f"{method} {path}: no such route")
                await write_json(writer, 404, anthropic.error_body(lost), anthropic.headers())
        return True

    async def _answer_call(
        self, request: Received, writer: asyncio.StreamWriter, wire: Wire
    ) -> bool:
        self.requests.append(request)
        self._arrival.set()
        reply = wire.complaint(request) or self._take(request) or wire.default_reply(request.body)
        if reply.hold is not None:
            await reply.hold.wait()
        if reply.disconnect:
            return False
        headers = {**wire.headers(), **reply.headers}
        if reply.is_error:
            await write_json(writer, reply.status, wire.error_body(reply), headers)
        elif request.body.get("stream"):
            await write_events(writer, wire.events(reply, request.body), headers)
        else:
            await write_json(writer, reply.status, wire.body(reply, request.body), headers)
        return True

    def _take(self, request: Received) -> Reply | None:
        for place, reply in enumerate(self._script):
            if reply.when is None or reply.when(request):
                return self._script.pop(place)
        return None
