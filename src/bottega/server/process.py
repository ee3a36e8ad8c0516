"""The server process: bind the port, serve, and shut down in order on a signal.

The port is bound before anything is built, so that a port in use is reported at once, and the app
is started inside a task that a signal can interrupt at any moment (EC-05).
"""

import asyncio
import errno
import gc
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import NoReturn

import structlog
import uvicorn
from fastapi import FastAPI

from bottega.core.footprint import return_free_memory
from bottega.errors import ConfigurationError
from bottega.server.doors import Doors
from bottega.server.protocols import HttpProtocol, WebSocketProtocol

#: Seconds that requests and message handlers have to finish after a stop.
GRACE = 10
#: A WebSocket message this much over the limit is still read, so as to be answered.
WEBSOCKET_MARGIN = 1024 * 1024
#: An idle kept-alive connection is closed after this many seconds.
KEEP_ALIVE = 30
#: After as many seconds everything is loaded that will be, and garbage is looked for.
SETTLE = 5
#: Files and sockets that the process may have open, if the system lets it.
OPEN_FILES = 16_384

OnReady = Callable[[str], None]

log = structlog.get_logger()


def serve(build: Callable[[], FastAPI], host: str, port: int, on_ready: OnReady) -> None:
    """Serve until SIGINT or SIGTERM; `on_ready` gets the address once requests are answered."""
    allow_open_files()
    listener = bind(host, port)
    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(_serve_until_signal(build, listener, on_ready))


def allow_open_files() -> None:
    """As many as this user may have: each connection is one, and many systems begin with 1,024."""
    try:
        import resource
    except ImportError:  # not on Windows
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def new_loop() -> asyncio.AbstractEventLoop:
    try:
        import uvloop
    except ImportError:  # not on Windows
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


def bind(host: str, port: int) -> socket.socket:
    """Bind the port; raises `ConfigurationError` with what to change (EC-01)."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except socket.gaierror as error:
        raise ConfigurationError(f"HOST={host!r} is no address here: {error.strerror}.") from None
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
    except OSError as error:
        listener.close()
        _explain(error, host, port)
    return listener


def _explain(error: OSError, host: str, port: int) -> NoReturn:
    reasons = {
        errno.EADDRINUSE: "another program listens there. Stop it, or set PORT to another; 0 picks "
        "a free one",
        errno.EACCES: "this user may not. Ports from 1024 up are free to use",
        errno.EADDRNOTAVAIL: "this machine does not have that address. Set HOST to one it has",
    }
    reason = reasons.get(error.errno or 0, str(error))
    raise ConfigurationError(f"Cannot listen on PORT={port} of HOST={host!r}: {reason}.") from None


def address_of(listener: socket.socket) -> str:
    """Where a browser on this machine finds it."""
    host, port = listener.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - read, not bound
    return f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"


class Server(uvicorn.Server):
    """uvicorn's server, which closes open connections before it waits for them to end."""

    def __init__(self, app: FastAPI) -> None:
        self._doors: Doors = app.state.doors
        super().__init__(
            uvicorn.Config(
                app,
                http=HttpProtocol,
                ws=WebSocketProtocol,
                ws_max_size=self._doors.messages.max_bytes + WEBSOCKET_MARGIN,
                ws_per_message_deflate=False,
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                # Who is believed is a setting, and `network/proxies.py` does it.
                proxy_headers=False,
                timeout_keep_alive=KEEP_ALIVE,
                timeout_graceful_shutdown=GRACE,
            )
        )
        self.config.load()
        self.lifespan = self.config.lifespan_class(self.config)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        await self._doors.close()
        await super().shutdown(sockets)


@asynccontextmanager
async def running(app: FastAPI, listener: socket.socket) -> AsyncIterator[str]:
    """Start the app and serve it on the running loop; yields the address."""
    async with app.router.lifespan_context(app):
        server = Server(app)
        await server.startup([listener])
        # uvicorn's own `serve` would also take the signals, and raise them again after stopping.
        ticking = asyncio.create_task(server.main_loop())
        try:
            yield address_of(listener)
        finally:
            server.should_exit = True
            await ticking
            await server.shutdown([listener])


async def _serve_until_signal(
    build: Callable[[], FastAPI], listener: socket.socket, on_ready: OnReady
) -> None:
    task = asyncio.current_task()
    assert task is not None
    with listener, _on_signal(task.cancel):
        try:
            app = build()
            async with running(app, listener) as address:
                on_ready(address)
                await asyncio.sleep(SETTLE)
                tune_garbage_collector()
                await asyncio.to_thread(return_free_memory)
                await asyncio.Event().wait()
        except asyncio.CancelledError:
            log.info("shutdown.done")


def tune_garbage_collector() -> None:
    """Look less often for cycles, and not among what was loaded at the start.

    By default every few hundred requests look through all modules: a third of a call's time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    gc.enable()


@contextmanager
def _on_signal(stop: Callable[[], object]) -> Iterator[None]:
    """The first signal stops in order; more change nothing, the grace period is the bound."""
    loop = asyncio.get_running_loop()
    signalled = False

    def hear(name: str) -> None:
        nonlocal signalled
        log.info("shutdown.started", signal=name)
        if not signalled:
            signalled = True
            stop()

    signals = (signal.SIGINT, signal.SIGTERM)
    for number in signals:
        loop.add_signal_handler(number, hear, number.name)
    try:
        yield
    finally:
        for number in signals:
            loop.remove_signal_handler(number)
