"""REST routes of the core: thin adapters, one file a noun."""

from collections.abc import Sequence

from fastapi import APIRouter

from bottega.core.rooms import Room
from bottega.core.services import Core
from bottega.server.api.costs import cost_routes
from bottega.server.api.events import event_routes
from bottega.server.api.runs import run_routes
from bottega.server.api.sessions import session_routes
from bottega.server.api.settings import settings_routes
from bottega.server.api.tokens import token_routes
from bottega.server.api.traces import trace_routes
from bottega.settings import Settings


def core_routes(core: Core, rooms: Sequence[Room], settings: Settings | None) -> list[APIRouter]:
    routes = [
        session_routes(core),
        event_routes(core.bus),
        trace_routes(core.traces, rooms),
        run_routes(core.runs),
        cost_routes(core, rooms),
        token_routes(core.users),
    ]
    return routes if settings is None else [*routes, settings_routes(settings)]
