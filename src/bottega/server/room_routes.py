"""A room's REST routes, made when they are first asked for."""

from collections.abc import Callable, Sequence
from functools import cached_property

from fastapi import FastAPI
from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send

#: Where a request's scope carries the route that was found for it.
FOUND = "bottega.route"


class RoomRoutes(BaseRoute):
    """Stands for all routes under some paths.

    To make them takes a tenth of the start, and a request for another room does not look through
    them.
    """

    def __init__(self, paths: Sequence[str], make: Callable[[], list[BaseRoute]]) -> None:
        self._paths = frozenset(paths)
        self._below = tuple(f"{path}/" for path in paths)
        self._make = make

    @cached_property
    def routes(self) -> list[BaseRoute]:
        return self._make()

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        path = scope["path"]
        if path not in self._paths and not path.startswith(self._below):
            return Match.NONE, {}
        partial: tuple[Match, Scope] = Match.NONE, {}
        for route in self.routes:
            match, child = route.matches(scope)
            if match is Match.FULL:
                return match, {**child, FOUND: route}
            if match is Match.PARTIAL and partial[0] is Match.NONE:
                partial = match, {**child, FOUND: route}
        return partial

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        route: BaseRoute = scope[FOUND]
        await route.handle(scope, receive, send)


class Rest(FastAPI):
    """FastAPI, which documents the rooms' routes with its own."""

    @property
    def routes(self) -> list[BaseRoute]:
        return [
            each
            for route in self.router.routes
            for each in (route.routes if isinstance(route, RoomRoutes) else [route])
        ]
