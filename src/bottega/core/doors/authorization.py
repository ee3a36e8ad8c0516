"""May this caller do this, here? The one question that every door asks before it does anything.

What it takes is declared where a thing is: with the operation, or with `needs` at a route that is
none. A token for some projects is held to those that a request names, by the project or by a
session of it; where it names none, to the project that the server works in. What could be about
any project is refused: it has to be named.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from fastapi import Depends, Request
from fastapi.params import Depends as Dependency
from pydantic import BaseModel

from bottega.core.doors.callers import caller_of
from bottega.core.roles import Grant, Right, right_of
from bottega.core.rooms import Caller, Door, Room
from bottega.errors import Forbidden, NotFound

if TYPE_CHECKING:
    from bottega.core.services import Core

#: Names of arguments, without case and underscores.
PROJECTS = frozenset({"project", "projectid", "projectdir", "projectpath"})
SESSIONS = frozenset({"sessionid"})
#: Ids that find something in any project, whatever session is named beside them.
BY_THEMSELVES = frozenset({"failureid"})


class Authorization:
    def __init__(self, core: "Core | None" = None, rooms: Sequence[Room] = ()) -> None:
        self._core = core
        self._rooms = {room.name: room for room in rooms}

    async def check(
        self,
        caller: Caller,
        right: Right,
        room: str,
        given: Mapping[str, Any] | None = None,
        taken: Iterable[str] = (),
    ) -> None:
        """Raises `Forbidden`. `given` is what was sent; `taken` are the names that count of it."""
        caller.grant.check(right, room)
        if caller.grant.projects is None or self._core is None:
            return
        names = frozenset(_plain(name) for name in taken)
        if not await self._names_projects(caller, room, given or {}, names):
            self._check_default(caller.grant, room, names)

    async def _names_projects(
        self, caller: Caller, room: str, given: Mapping[str, Any], names: frozenset[str]
    ) -> bool:
        """Whether a project is named at all; raises `Forbidden` for one of the others."""
        paths = [await self._path(room, each) for each in _values(given, PROJECTS & names)]
        by_session = SESSIONS & names if names.isdisjoint(BY_THEMSELVES) else frozenset()
        for session_id in _values(given, by_session):
            path = await self._project_of(session_id, caller.user_id)
            paths += [path] if path is not None else []
        for path in paths:
            caller.grant.check_project(path)
        return bool(paths)

    async def _path(self, room: str, project: str) -> str:
        found = self._rooms.get(room)
        if found is None or found.find_project is None:
            return project
        try:
            return await found.find_project(project)
        except NotFound:
            return project

    async def _project_of(self, session_id: str, user_id: str) -> str | None:
        assert self._core is not None
        try:
            return (await self._core.sessions.get(session_id, user_id=user_id)).project_dir
        except NotFound:
            return None

    def _check_default(self, grant: Grant, room: str, names: frozenset[str]) -> None:
        assert self._core is not None
        knows_several = room in self._rooms and self._rooms[room].find_project is not None
        if knows_several or names & PROJECTS:
            named = sorted(grant.projects or ())
            raise Forbidden(
                f"Your token is for the projects {', '.join(named)}: name one of them, or a "
                "session in one. What cannot be asked about one project is not for this token.",
                valid_options=named,
            )
        grant.check_project(str(self._core.files.root))


def authorized(room: str) -> Dependency:
    """For the dependencies of a room's routers."""

    async def authorize(request: Request) -> None:
        scope = request.scope
        authorization: Authorization = request.app.state.authorization
        caller = caller_of(scope, Door.HTTP)
        endpoint = scope["endpoint"]
        given = await _sent(request) if caller.grant.projects is not None else {}
        right = right_of(endpoint, scope["method"])
        await authorization.check(caller, right, room, given, _taken_by(endpoint))

    dependency: Dependency = Depends(authorize)
    return dependency


@lru_cache(maxsize=1_000)
def _taken_by(endpoint: Callable[..., Any]) -> list[str]:
    model: type[BaseModel] | None = getattr(endpoint, "arguments", None)
    return [*(names_of(model) if model is not None else inspect.signature(endpoint).parameters)]


def names_of(model: type[BaseModel]) -> Iterator[str]:
    """Of its arguments, with those by which they are known on the wire."""
    for name, field in model.model_fields.items():
        yield name
        if field.alias is not None:
            yield field.alias


async def _sent(request: Request) -> dict[str, Any]:
    """All that a request says, by name; several values of one name are a list."""
    sent: dict[str, Any] = dict(request.path_params)
    for name, value in request.query_params.multi_items():
        sent[name] = [*sent.get(name, []), value] if isinstance(sent.get(name), list) else [value]
    if request.headers.get("content-type", "").startswith("application/json"):
        body = await request.json() if await request.body() else None
        for name, value in body.items() if isinstance(body, dict) else ():
            sent[name] = [sent[name], value] if name in sent else value
    return sent


def _values(given: Mapping[str, Any], names: frozenset[str]) -> list[str]:
    found = [value for name, value in given.items() if _plain(name) in names]
    return [each for value in found for each in _flat(value)]


def _flat(value: Any) -> Iterable[str]:
    if isinstance(value, list):
        return [each for inner in value for each in _flat(inner)]
    return [] if value is None else [str(value)]


def _plain(name: str) -> str:
    return name.replace("_", "").casefold()
