"""What can be asked of the core, one file a noun."""

from collections.abc import Sequence

from fastapi import APIRouter

from bottega.core.operations import Bound, operations_of
from bottega.core.rooms import Room
from bottega.core.services import Core
from bottega.core.trust import operations as trust
from bottega.server.api import costs, events, retention, runs, sessions, settings, tokens, traces
from bottega.server.api.sign_ins import sign_in_routes
from bottega.server.api.views import House
from bottega.server.rest import operation_router
from bottega.settings import Settings

NOUNS = (sessions, events, traces, runs, costs, settings, tokens, retention)


def core_routes(core: Core, rooms: Sequence[Room], set_up: Settings | None) -> list[APIRouter]:
    house = House(core, rooms, set_up)
    asked = [
        (noun.__name__.rpartition(".")[2], Bound(house, operations_of(noun))) for noun in NOUNS
    ]
    # A house may do without a project, and so without anything to trust.
    if (brought := getattr(core, "trust", None)) is not None:
        asked.append(("trust", Bound(brought, operations_of(trust))))
    routes = [operation_router([bound], tag) for tag, bound in asked]
    return [*routes, sign_in_routes(core.sign_ins)]
