"""REST routes from operations: where each argument stands in a request, and what comes back; and
those of a room, made when they are first asked for."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any

from fastapi import APIRouter, Body, FastAPI, Path, Query
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError, create_model
from pydantic.fields import FieldInfo
from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send

from bottega.core.doors.callers import CurrentCaller
from bottega.core.operations import Bound, Operation, Route
from bottega.core.rooms import Room
from bottega.errors import ConfigurationError

#: The endpoint's parameters that are no argument of the operation.
CALLER, BODY = "caller", "body"


def room_routers(room: Room) -> list[APIRouter]:
    """All routes of a room: those that it makes itself, then those of its operations."""
    return [*room.routes(), operation_router(room.operations, room.name)]


def operation_router(bounds: Iterable[Bound], tag: str) -> APIRouter:
    """The routes of these operations, in their order."""
    router = APIRouter(tags=[tag])
    for bound in bounds:
        for operation in bound.operations:
            for route in operation.routes:
                endpoint = Endpoint(bound.service, operation, route)
                router.add_api_route(
                    route.path,
                    endpoint.function(),
                    methods=[route.method],
                    status_code=route.status,
                    operation_id=route.id,
                    response_model=operation.result,
                    responses={status: {"model": m} for status, m in route.responses.items()},
                )
    return router


class Endpoint:
    """One operation at one path: the function that FastAPI calls, with the signature it reads."""

    def __init__(self, service: Any, operation: Operation, route: Route) -> None:
        fields = operation.arguments.model_fields
        unknown = [name for name in (*route.in_path, *route.query) if name not in fields]
        if unknown:
            raise ConfigurationError(f"{operation.name}: {route.path} has unknown {unknown}.")
        self._service = service
        self._operation = operation
        self._route = route
        rest = [name for name in fields if name not in (*route.in_path, *route.query)]
        self._in_query = [*route.query, *([] if route.has_body else rest)]
        self._body = body_model(operation.arguments, rest) if route.has_body and rest else None

    def function(self) -> Any:
        async def endpoint(**given: Any) -> Any:
            caller, body = given.pop(CALLER), given.pop(BODY, None)
            arguments = self._arguments(given, body)
            result = await self._operation.run(self._service, arguments, caller)
            return self._route.shape(result) if self._route.shape is not None else result

        endpoint.__name__ = endpoint.__qualname__ = self._operation.name
        endpoint.__doc__ = self._operation.doc
        vars(endpoint).update(right=self._operation.right, arguments=self._operation.arguments)
        endpoint.__signature__ = inspect.Signature(self._parameters())  # type: ignore[attr-defined]
        return endpoint

    def _arguments(self, given: Mapping[str, Any], body: BaseModel | None) -> BaseModel:
        model = self._operation.arguments
        if type(body) is model:
            return body
        sent = {} if body is None else {name: getattr(body, name) for name in body.model_fields_set}
        try:
            # Last what stands in the address: no body speaks for another path.
            return model.model_validate({**sent, **given}, by_name=True)
        except ValidationError as error:
            # Each field is valid by itself: a rule about several of them is broken.
            raise RequestValidationError(error.errors(include_url=False)) from None

    def _parameters(self) -> list[inspect.Parameter]:
        fields = self._operation.arguments.model_fields
        found = []
        for name in self._route.in_path:
            path = Path(description=self._route.describe.get(name))
            found.append(_parameter(name, Annotated[_type(fields[name]), path]))
        for name in self._in_query:
            info = fields[name]
            description = self._route.describe.get(name, info.description)
            query = Query(alias=info.alias, description=description)
            default = inspect.Parameter.empty if info.is_required() else info.get_default()
            found.append(_parameter(name, Annotated[_type(info), query], default))
        if self._body is not None:
            default = self._body() if self._route.optional_body else inspect.Parameter.empty
            found.append(_parameter(BODY, Annotated[self._body, Body()], default))
        found.append(_parameter(CALLER, CurrentCaller))
        return found


def body_model(model: type[BaseModel], names: list[str]) -> type[BaseModel]:
    """The model with just these fields: itself, a base class that has them, or one made of them."""
    for each in model.__mro__:
        if issubclass(each, BaseModel) and [*each.model_fields] == names:
            return each
    chosen: dict[str, Any] = {name: (_type(f := model.model_fields[name]), f) for name in names}
    return create_model(f"{model.__name__}Body", __config__=model.model_config, **chosen)


def _type(info: FieldInfo) -> Any:
    return Annotated[info.annotation, *info.metadata] if info.metadata else info.annotation


def _parameter(
    name: str, annotation: Any, default: Any = inspect.Parameter.empty
) -> inspect.Parameter:
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation
    )


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
