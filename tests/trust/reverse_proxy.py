"""A small reverse proxy on loopback, as nginx would stand before the house."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress

import httpx


@asynccontextmanager
async def reverse_proxy(url: str, said: Mapping[str, str]) -> AsyncIterator[str]:
    """Passes connections on to `url`, with these headers in the first request of each.

    One connection is one request, or one WebSocket: after the head, bytes are passed on as they
    are. `{client}` in a header is whoever connected.
    """
    inside = httpx.URL(url)

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            there, to_there = await asyncio.open_connection(inside.host, inside.port)
            to_there.write(_with_headers(head, said, writer.get_extra_info("peername")[0]))
            ways = (_copy(reader, to_there), _copy(there, writer))
            await asyncio.gather(*ways, return_exceptions=True)

    server = await asyncio.start_server(pass_on, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()[:2]
    try:
        yield f"http://{host}:{port}"
    finally:
        server.close()


def _with_headers(head: bytes, said: Mapping[str, str], client: str) -> bytes:
    lines = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    own = {name.lower().encode() for name in said}
    kept = [line for line in lines if line.partition(b":")[0].lower() not in own]
    new = [f"{name}: {value.format(client=client)}".encode() for name, value in said.items()]
    kept = [line for line in kept if not line.lower().startswith(b"connection: keep-alive")]
    is_upgrade = any(line.lower().startswith(b"upgrade:") for line in kept)
    end = [] if is_upgrade else [b"Connection: close"]
    return b"\r\n".join([*kept, *new, *end]) + b"\r\n\r\n"


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    finally:
        writer.close()
