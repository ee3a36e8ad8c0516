"""uvicorn's wire protocols, with the bounds and the shortcut it lacks.

*Bounds*: how many connections, how big and how slow the headers of a request may be, how slow
whoever reads the answer.

*The shortcut*: without compression a server's text frame is the same bytes for every client, so a
broadcast encodes it once and writes it straight to each transport. The transport's own buffer is
the client's queue; a client that lets it grow over `MAX_BACKLOG` is let go (close code 1013).
"""

import asyncio
import struct
from typing import TYPE_CHECKING, Any, Protocol, cast

import orjson
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.protocol import State

from bottega.errors import BottegaError, RequestTimeout, TooLarge, TooMany
from bottega.server.network.connections import RESERVED, Connections, SocketPlace
from bottega.server.network.quotas import RETRY_AFTER

if TYPE_CHECKING:
    from uvicorn._types import ASGISendEvent

#: Name of the ASGI extension by which the application reaches the `Wire` of a WebSocket.
WIRE = "bottega.wire"

#: Unsent bytes that one WebSocket client may pile up.
MAX_BACKLOG = 8 * 1024 * 1024
#: Seconds a client has to answer a close frame before its connection is cut.
CLOSE_TIMEOUT = 5.0
#: Seconds in which a client of HTTP that is sent more than fits has to read some of it.
WRITE_TIMEOUT = 30.0
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
    def connection_lost(self, exc: Exception | None) -> None:
        register_of(self.config).leave(self.transport)
        super().connection_lost(exc)
        # Else uvicorn logs an error for a client that was gone before it was let in.
        self.handshake_complete = True

    async def send(self, message: "ASGISendEvent") -> None:
        await super().send(message)
        if self.initial_response is not None and self.close_sent:
            # Denied with an answer. uvicorn would log that the handshake was forgotten.
            self.handshake_complete = True

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
    max_header_bytes = 64 * 1024

    _header_bytes = 0
    _header_deadline: asyncio.TimerHandle | None = None
    _write_deadline: asyncio.TimerHandle | None = None
    #: Until then the rest of a body has to come that is answered already.
    _rest_deadline: asyncio.TimerHandle | None = None

    @property
    def _register(self) -> Connections:
        return register_of(self.config)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        place = self._register.join(transport, self.client[0] if self.client else "unknown")
        if place is SocketPlace.RESERVE:
            # A copy of it is in the scope of every request.
            self.app_state = {**self.app_state, RESERVED: True}
        if place is SocketPlace.NONE:
            self._refuse(_crowded(self._register))
        else:
            self._expect_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        self._register.leave(self.transport)
        self._forget_deadline()
        self._forget_rest()
        self.resume_writing()
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
        self._register.work(self.transport)
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._forget_rest()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.cycle.response_complete and self.cycle.more_body:
            patience = self._register.half_open_seconds
            self._rest_deadline = self.loop.call_later(patience, self.transport.close)
        if self.timeout_keep_alive_task is not None:
            self._register.wait(self.transport, self._make_way)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._write_deadline = self.loop.call_later(WRITE_TIMEOUT, self.transport.abort)

    def resume_writing(self) -> None:
        if self._write_deadline is not None:
            self._write_deadline.cancel()
            self._write_deadline = None
        super().resume_writing()

    def _expect_headers(self) -> None:
        if self.cycle is None or self.cycle.response_complete:
            self._register.wait(self.transport, self._make_way)
        self._header_bytes = 0
        patience = self._register.half_open_seconds
        self._header_deadline = self.loop.call_later(patience, self._give_up)

    def _forget_deadline(self) -> None:
        if self._header_deadline is not None:
            self._header_deadline.cancel()
            self._header_deadline = None

    def _forget_rest(self) -> None:
        if self._rest_deadline is not None:
            self._rest_deadline.cancel()
            self._rest_deadline = None

    def _give_up(self) -> None:
        patience = self._register.half_open_seconds
        self._refuse(RequestTimeout(f"The headers did not arrive within {patience:g} s."))

    def _make_way(self) -> None:
        if self.cycle is None:
            self._refuse(_crowded(self._register))
        else:  # kept alive, and what is sent now would be the answer to the next request
            self._forget_deadline()
            self.transport.close()

    def _refuse(self, error: BottegaError) -> None:
        """Answer below ASGI, in the shape of every error, and hang up."""
        self._forget_deadline()
        body = orjson.dumps(error.body())
        retry = error.details.get("retry_after")
        head = (
            f"HTTP/1.1 {error.status} \r\ncontent-type: application/json\r\n"
            + (f"retry-after: {retry}\r\n" if retry else "")
            + f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        self.transport.close()


def register_of(config: Config) -> Connections:
    """The one of the application that is served."""
    app = cast("Any", config.app)
    return cast("Connections", app.state.connections)


def _crowded(register: Connections) -> TooMany:
    return TooMany(
        f"More than {register.most:,} connections are open, or more than one address may have. "
        "Try again later; the owner of the house can raise BOTTEGA_MAX_CONNECTIONS and "
        "BOTTEGA_MAX_CONNECTIONS_PER_ADDRESS.",
        setting="BOTTEGA_MAX_CONNECTIONS",
        retry_after=RETRY_AFTER,
    )
