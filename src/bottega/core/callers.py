"""Who is calling, where a route or a door needs to know it."""

from typing import Annotated

from fastapi import Depends, Request
from starlette.types import Scope

from bottega.core.rooms import Caller, Door
from bottega.core.users import LOCAL_USER

#: Where the server's authentication leaves the user's id for everyone behind it.
USER_ID = "bottega.user_id"


def caller_of(scope: Scope, door: Door, client: str | None = None) -> Caller:
    return Caller(door, scope.get(USER_ID) or LOCAL_USER, client)


def _caller_of_request(request: Request) -> Caller:
    return caller_of(request.scope, Door.HTTP, request.headers.get("user-agent"))


#: For a route's parameter: who asks.
CurrentCaller = Annotated[Caller, Depends(_caller_of_request)]
