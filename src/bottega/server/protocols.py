"""uvicorn's wire protocols, with the bounds and the shortcut it lacks.

*Bounds*: how many connections, how big and how slow the headers of a request may be.

*The shortcut*: without compression a server's text frame is the same bytes for every client, so a
broadcast encodes it once and writes it straight to each transport. The transport's own buffer is
the client's queue; a client that lets it grow over `MAX_BACKLOG` is let go (close code 1013).
"""

import asyncio
import struct
from typing import Any, Protocol, cast

import orjson
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.protocol import State

from bottega.errors import BottegaError, RequestTimeout, TooLarge, Unavailable

#: Name of the ASGI extension by which the application reaches the `Wire` of a WebSocket.
WIRE = "bottega.wire"

#: Unsent bytes that one WebSocket client may pile up.
MAX_BACKLOG = 8 * 1024 * 1024
#: Seconds a client has to answer a close frame before its connection is cut.
CLOSE_TIMEOUT = 5.0
TRY_AGAIN_LATER = 1013


class Wire(Protocol):
    """The sending side of one WebSocket. Nothing here waits, and nothing raises."""

    def write(self, frame: bytes) -> None:
        """Send a frame made by `text_frame`."""
        ...

    def close(self, code: int, reason: str) -> None: ...


def text_frame(text: bytes) -> bytes:
    """A whole text frame, unmasked as servers send them (RFC 6455, section 5.2)."""
    size = len(text)
    if size < 126:
        return bytes((0x81, size)) + text
    if size < 1 << 16:
        return struct.pack("!BBH", 0x81, 126, size) + text
    return struct.pack("!BBQ", 0x81, 127, size) + text


class WebSocketProtocol(WebSocketsSansIOProtocol):
    async def run_asgi(self) -> None:
        cast("dict[str, Any]", self.scope["extensions"])[WIRE] = self
        await super().run_asgi()

    def write(self, frame: bytes) -> None:
        if self.close_sent or self.disconnected or self.conn.state is not State.OPEN:
            return
        if self.writable.is_set() or self._backlog_with(frame) <= MAX_BACKLOG:
            self.transport.write(frame)
        else:
            self.close(TRY_AGAIN_LATER, "reading too slowly")

    def close(self, code: int, reason: str) -> None:
        if self.close_sent or self.disconnected or self.conn.state is not State.OPEN:
            return
        self.conn.send_close(code, reason)
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": reason})
        if self.read_paused:
            self.read_paused = False
            self.transport.resume_reading()
        # `close()` would wait until everything unsent is read, which may be never.
        self.close_timer = self.loop.call_later(CLOSE_TIMEOUT, self.transport.abort)

    def _backlog_with(self, frame: bytes) -> int:
        return self.transport.get_write_buffer_size() + len(frame)


class HttpProtocol(HttpToolsProtocol):
    max_connections = 2_000
    #: Seconds from the first byte of a request, or from connecting, to the end of its headers.
    header_timeout = 15.0
    max_header_bytes = 64 * 1024

    _header_bytes = 0
    _header_deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.max_connections:
            self._refuse(Unavailable("Too many connections are open. Try again later."))
        else:
            self._expect_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget_deadline()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        waiting = self._header_deadline
        super().data_received(data)
        if waiting is not None and self._header_deadline is waiting:
            self._header_bytes += len(data)
            if self._header_bytes > self.max_header_bytes:
                self._refuse(TooLarge(f"Headers over {self.max_header_bytes} bytes."))

    def on_message_begin(self) -> None:
        super().on_message_begin()
        if self._header_deadline is None:
            self._expect_headers()

    def on_headers_complete(self) -> None:
        self._forget_deadline()
        super().on_headers_complete()

    def _expect_headers(self) -> None:
        self._header_bytes = 0
        self._header_deadline = self.loop.call_later(self.header_timeout, self._give_up)

    def _forget_deadline(self) -> None:
        if self._header_deadline is not None:
            self._header_deadline.cancel()
            self._header_deadline = None

    def _give_up(self) -> None:
        self._refuse(
            RequestTimeout(f"The headers did not arrive within {self.header_timeout:g} s.")
        )

    def _refuse(self, error: BottegaError) -> None:
        """Answer below ASGI, in the shape of every error, and hang up."""
        self._forget_deadline()
        body = orjson.dumps(error.body())
        head = (
            f"HTTP/1.1 {error.status} \r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()
