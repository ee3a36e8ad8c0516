"""The server: one ASGI application with every door, guarded alike.

A request passes, from the outside in: security headers, the catch-all for errors, the Host and
Origin guard, the rate limit, authentication, the body limit; then its route. WebSocket upgrades
and MCP pass the same way.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any

import structlog
from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from bottega import __version__
from bottega.server.api import core_routes
from bottega.server.auth import Authentication, Credentials
from bottega.server.doors import Doors, House, Mcp, operation_id
from bottega.server.errors import ERROR_RESPONSES, LastResort, handle_errors
from bottega.server.guard import Guard
from bottega.server.headers import SecurityHeaders
from bottega.server.health import health_routes
from bottega.server.limits import BodyLimit, RateLimit
from bottega.server.login import login_routes
from bottega.server.options import Options
from bottega.server.passcode import Passcode
from bottega.server.room_routes import Rest
from bottega.server.sse import stream_routes
from bottega.server.static import PAGES, WebApp, reference_page
from bottega.server.websocket import WebSocketDoor

DESCRIPTION = "A workshop for coding agents and the people who work with them."

log = structlog.get_logger()


def create_server(house: House, options: Options | None = None, mcp: Mcp | None = None) -> FastAPI:
    """The application to serve; its `state.doors` is the `Doors`.

    Its lifespan starts and stops the house. Requests also work without it, on a house that the
    caller starts itself.
    """
    options = options or Options()
    passcode = Passcode(options.passcode, options.cookie_secret) if options.passcode else None
    app = Rest(
        title="Bottega",
        version=__version__,
        description=DESCRIPTION,
        lifespan=_lifespan(house),
        middleware=_middleware(house, options, passcode, mcp),
        generate_unique_id_function=operation_id,
        responses=ERROR_RESPONSES,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    handle_errors(app)
    app.state.doors = doors = Doors(app, options, mcp)
    app.state.streams = doors.streams
    app.router.routes.append(WebSocketRoute("/ws", WebSocketDoor(doors.hub, doors.messages)))
    app.include_router(health_routes(lambda: _report(house, doors)))
    app.include_router(login_routes(passcode), prefix="/api")
    app.include_router(stream_routes(house.core.bus), prefix="/api")
    for routes in core_routes(house.core, house.rooms, options.settings):
        app.include_router(routes, prefix="/api")
    for room in house.rooms:
        doors.connect(room)
    app.router.routes.append(Route("/docs", _reference, include_in_schema=False))
    app.mount("/pages", StaticFiles(directory=PAGES), "pages")
    app.router.default = WebApp()
    return app


def _lifespan(house: House) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def open_house(app: FastAPI) -> AsyncIterator[None]:
        doors: Doors = app.state.doors
        async with AsyncExitStack() as stack:
            stack.push_async_callback(_close, house)
            await house.start()
            if doors.mcp is not None:
                await stack.enter_async_context(doors.mcp.run())
            stack.push_async_callback(doors.close)
            yield

    return open_house


async def _close(house: House) -> None:
    await house.stop()
    log.info("shutdown.house_closed")


def _middleware(
    house: House, options: Options, passcode: Passcode | None, mcp: Mcp | None
) -> list[Middleware]:
    credentials = Credentials(
        required=options.requires_credentials,
        tokens=options.tokens,
        issued=house.core.users,
        passcode=passcode,
    )
    return [
        Middleware(SecurityHeaders),
        Middleware(LastResort),
        Middleware(Guard, allowed_hosts=options.allowed_hosts),
        Middleware(RateLimit, rate=options.rate_limit),
        Middleware(Authentication, credentials=credentials),
        Middleware(
            BodyLimit,
            max_bytes=options.max_body_bytes,
            seconds=options.body_timeout,
            large={
                f"/api{path}": most
                for room in house.rooms
                for path, most in room.large_bodies.items()
            },
        ),
        *([Middleware(McpEntrance, mcp=mcp)] if mcp is not None else []),
    ]


class McpEntrance:
    """Turns off to the MCP door behind the guards.

    Before the router, because looking through its routes would cost a call a tenth of its time;
    and not mounted, because a mount answers `/mcp` with a redirect.
    """

    def __init__(self, app: ASGIApp, mcp: Mcp) -> None:
        self.app = app
        self._mcp = mcp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"] if scope["type"] == "http" else ""
        is_mcp = path == "/mcp" or path.startswith("/mcp/")
        await (self._mcp if is_mcp else self.app)(scope, receive, send)


def _report(house: House, doors: Doors) -> dict[str, Any]:
    return {**house.health(), "rooms": doors.rooms, "connections": len(doors.hub)}


async def _reference(_request: Request) -> Response:
    return reference_page()
