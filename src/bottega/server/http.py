"""The server: one ASGI application with every door, guarded alike.

A request passes, from the outside in: security headers, the catch-all for errors, what a trusted
proxy says, the Host and Origin guard, authentication, the caller's rate and quotas, the body limit;
then its route. WebSocket upgrades and MCP pass the same way.
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
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bottega import __version__
from bottega.core.doors.authorization import Authorization, authorized
from bottega.core.events import Event, EventBus
from bottega.core.roles import HOUSE
from bottega.core.sign_ins import SIGNED_OUT
from bottega.core.users import CHANGED, REVOKED
from bottega.server.api import core_routes
from bottega.server.api.events import stream_routes
from bottega.server.auth import Authentication, Credentials
from bottega.server.doors import Doors, House, Mcp, operation_id
from bottega.server.errors import ERROR_RESPONSES, LastResort, handle_errors
from bottega.server.guard import Guard, SecurityHeaders
from bottega.server.health import health_routes
from bottega.server.limits import BodyLimit, RateLimiter
from bottega.server.login import Passcode, login_routes
from bottega.server.network.admission import Admission, Quotas
from bottega.server.network.connections import Connections
from bottega.server.network.proxies import ForwardedHeaders
from bottega.server.options import Options
from bottega.server.rest import Rest
from bottega.server.revocation import Revocations, sign_in_credential, token_credential
from bottega.server.static import PAGES, WebApp, reference_page
from bottega.server.websocket import WebSocketDoor

DESCRIPTION = "A workshop for coding agents and the people who work with them."

#: As many bodies of the usual largest size may one caller be sending at once.
BODIES_PER_USER = 4

log = structlog.get_logger()


def create_server(house: House, options: Options | None = None, mcp: Mcp | None = None) -> FastAPI:
    """The application to serve; its `state.doors` is the `Doors`.

    Its lifespan starts and stops the house. Requests also work without it, on a house that the
    caller starts itself.
    """
    options = options or Options()
    passcode = Passcode(options.passcode, options.cookie_secret) if options.passcode else None
    credentials = Credentials(
        required=options.requires_credentials,
        tokens=options.tokens,
        issued=house.core.users,
        passcode=passcode,
        sign_ins=house.core.sign_ins,
    )
    _hear_revocations(house.core.bus, credentials.revocations)
    quotas = Quotas(options.network, options.max_streams, _body_bytes(house, options))
    app = Rest(
        title="Bottega",
        version=__version__,
        description=DESCRIPTION,
        lifespan=_lifespan(house),
        middleware=_middleware(house, options, credentials, quotas, mcp),
        generate_unique_id_function=operation_id,
        responses=ERROR_RESPONSES,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    handle_errors(app)
    app.state.authorization = authorization = Authorization(house.core, house.rooms)
    app.state.doors = doors = Doors(app, options, mcp, authorization)
    app.state.streams = doors.streams
    app.state.quotas = quotas
    app.state.connections = Connections(options.network, options.proxies)
    app.router.routes.append(WebSocketRoute("/ws", WebSocketDoor(doors.hub, doors.messages)))
    data_dir = options.settings.data_dir if options.settings else None
    app.include_router(health_routes(lambda: _report(house, doors), house.core.database, data_dir))
    app.include_router(login_routes(passcode, house.core.sign_ins), prefix="/api")
    shared = [
        stream_routes(house.core.bus),
        *core_routes(house.core, house.rooms, options.settings),
    ]
    for routes in shared:
        app.include_router(routes, prefix="/api", dependencies=[authorized(HOUSE)])
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


def _hear_revocations(bus: EventBus, revocations: Revocations) -> None:
    def end_token(event: Event) -> None:
        revocations.end(token_credential(event.payload["token_id"]))

    def change_token(event: Event) -> None:
        revocations.change(token_credential(event.payload["token_id"]))

    def end_sign_in(event: Event) -> None:
        revocations.end(sign_in_credential(event.payload["sign_in_id"]))

    bus.on(REVOKED, end_token)
    bus.on(CHANGED, change_token)
    bus.on(SIGNED_OUT, end_sign_in)


def _middleware(
    house: House, options: Options, credentials: Credentials, quotas: Quotas, mcp: Mcp | None
) -> list[Middleware]:
    limiter = RateLimiter(options.rate_limit, burst=2 * options.rate_limit)
    return [
        Middleware(SecurityHeaders),
        Middleware(LastResort),
        Middleware(ForwardedHeaders, proxies=options.proxies),
        Middleware(Guard, allowed_hosts=options.allowed_hosts),
        Middleware(Authentication, credentials=credentials, limiter=limiter),
        Middleware(Admission, quotas=quotas, limiter=limiter),
        Middleware(
            BodyLimit,
            max_bytes=options.max_body_bytes,
            seconds=options.body_timeout,
            still=options.network.half_open_seconds,
            take=quotas.taking_body,
            large=_large_bodies(house),
        ),
        *([Middleware(McpEntrance, mcp=mcp)] if mcp is not None else []),
        Middleware(LoggedFirst, bus=house.core.bus),
    ]


def _large_bodies(house: House) -> dict[str, int]:
    return {f"/api{path}": most for room in house.rooms for path, most in room.large_bodies.items()}


def _body_bytes(house: House, options: Options) -> int:
    """What the bodies of one caller may hold together: several usual ones, or a large one."""
    return max(BODIES_PER_USER * options.max_body_bytes, 0, *_large_bodies(house).values())


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


class LoggedFirst:
    """Acknowledges a change when its events are logged, not only its rows.

    Events are written behind the call that publishes them. A process that is killed right after
    its answer would take the last ones with it, and whoever follows the log would never hear of a
    change that somebody was told is saved.
    """

    def __init__(self, app: ASGIApp, bus: EventBus) -> None:
        self.app = app
        self._bus = bus

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self.app(scope, receive, send)
            return

        async def send_later(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] < 400:
                await self._bus.settle()
            await send(message)

        await self.app(scope, receive, send_later)


def _report(house: House, doors: Doors) -> dict[str, Any]:
    return {**house.health(), "rooms": doors.rooms, "connections": len(doors.hub)}


async def _reference(_request: Request) -> Response:
    return reference_page()
