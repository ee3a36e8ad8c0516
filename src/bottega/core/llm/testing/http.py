"""As much of HTTP/1.1 as the providers' SDKs need: keep-alive, JSON, server-sent events."""

import asyncio
import json
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any

from bottega.core.llm.testing.replies import Received

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
