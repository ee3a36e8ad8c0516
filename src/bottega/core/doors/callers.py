"""Who is calling, where a route or a door needs to know it."""

from typing import Annotated

from fastapi import Depends, Request
from starlette.types import Scope

from bottega.core.roles import OWNERS
from bottega.core.rooms import Caller, Door
from bottega.core.users import LOCAL_USER

#: Where the server's authentication leaves the user's id for everyone behind it.
USER_ID = "bottega.user_id"
#: And beside it what they may do, a `Grant`.
GRANT = "bottega.grant"
#: And the id of the token they showed, if it was issued to a user.
TOKEN_ID = "bottega.token_id"  # noqa: S105 - a name, not a secret


def caller_of(scope: Scope, door: Door, client: str | None = None) -> Caller:
    # Without authentication before it, as over stdio, it is whoever started the process.
    grant = scope.get(GRANT) or OWNERS
    user_id = scope.get(USER_ID) or LOCAL_USER
    return Caller(door, user_id, client, grant=grant, token_id=scope.get(TOKEN_ID))


def _caller_of_request(request: Request) -> Caller:
    return caller_of(request.scope, Door.HTTP, request.headers.get("user-agent"))


#: For a route's parameter: who asks.
CurrentCaller = Annotated[Caller, Depends(_caller_of_request)]
