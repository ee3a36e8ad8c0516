"""`/api/tokens`: who may come in, and what for. The owner of the house sees and makes everybody's;
others make tokens for themselves, that may do no more than their own."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, Field

from bottega.core.operations import Delete, Get, Patch, Post, operation
from bottega.core.roles import HOUSE, Grant, Right, TokenRole
from bottega.core.rooms import Caller, Room
from bottega.core.users import Token, User, Users
from bottega.errors import Conflict, Forbidden, InvalidInput, NotFound
from bottega.server.api.views import House, RowView


class TokenView(RowView):
    id: str
    name: str
    user_id: str
    #: The user's name.
    user: str
    role: TokenRole
    #: The rooms that it is for; `null` is all of them.
    rooms: list[str] | None
    #: The projects that it is for, by path; `null` is all of them.
    projects: list[str] | None
    created_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None


class IssuedToken(TokenView):
    #: Shown this once.
    secret: str


class GrantInput(BaseModel):
    role: TokenRole = TokenRole.MEMBER
    #: Left out, those of the caller's own token.
    rooms: list[str] | None = Field(None, min_length=1, max_length=100)
    #: Absolute paths. Left out, those of the caller's own token.
    projects: list[str] | None = Field(None, min_length=1, max_length=100)


class NewToken(GrantInput):
    name: str = Field(min_length=1, max_length=100)
    #: Whose it will be, by name; a new name makes a new user. The caller's own by default.
    user: str | None = Field(None, min_length=1, max_length=100)


class TokenRequest(BaseModel):
    token: str


class TokenChange(GrantInput):
    """What is left out stays; `null` is all rooms, or all projects."""

    token: str


@operation(Post("/tokens", status=201), needs=Right.DECIDE)
async def issue_token(house: House, wanted: NewToken, caller: Caller) -> IssuedToken:
    """Make a token; its secret is in this answer and nowhere else.

    It ends with the token that asks for it, and never may do more than that.
    """
    users = house.core.users
    own = caller.grant
    grant = Grant(
        wanted.role,
        _rooms(wanted.rooms, house.rooms) if wanted.rooms else own.rooms,
        _projects(wanted.projects) if wanted.projects else own.projects,
    )
    _check_covered(grant, caller)
    owner = await _owner(users, wanted.user, caller)
    token, secret = await users.issue_token(owner.id, wanted.name, grant, issued_by=caller.token_id)
    return IssuedToken.of(token, user=owner.name, secret=secret)


@operation(Get("/tokens"), needs=Right.DECIDE)
async def list_tokens(house: House, caller: Caller) -> list[TokenView]:
    """The tokens the caller may revoke, and those that were."""
    return [
        TokenView.of(token, user=user.name)
        for token, user in await _visible(house.core.users, caller)
    ]


@operation(Patch("/tokens/{token}"), needs=Right.DECIDE)
async def change_token(house: House, change: TokenChange, caller: Caller) -> TokenView:
    """Give it another role, other rooms or projects, and no more to those that it issued.

    What they have open is closed at once.
    """
    users = house.core.users
    row, user = await _find_token(users, change.token, caller)
    given, before = change.model_fields_set, row.grant
    grant = Grant(
        change.role if "role" in given else before.role,
        _rooms(change.rooms, house.rooms) if "rooms" in given else before.rooms,
        _projects(change.projects) if "projects" in given else before.projects,
    )
    _check_covered(grant, caller)
    if not (caller.is_owner or before.covers(grant) or row.issued_by == caller.token_id):
        # Else what a token gave away would outlive it.
        raise Forbidden("Only the owner of the house, or the token that issued it, widens a token.")
    return TokenView.of(await users.change(row.user_id, row.id, grant), user=user.name)


@operation(Delete("/tokens/{token}"), needs=Right.DECIDE)
async def revoke_token(house: House, asked: TokenRequest, caller: Caller) -> TokenView:
    """Make a token useless, by its id or its name, and all that were issued by it."""
    users = house.core.users
    row, user = await _find_token(users, asked.token, caller)
    return TokenView.of(await users.revoke(row.user_id, row.id), user=user.name)


async def _find_token(users: Users, token: str, caller: Caller) -> tuple[Token, User]:
    found = [
        (row, user)
        for row, user in await _visible(users, caller)
        if row.revoked_at is None and token in (row.id, row.name)
    ]
    if not found:
        raise NotFound(f"There is no live token {token!r}.")
    if len(found) > 1:
        raise Conflict(
            f"Several users have a token {token!r}: say which by its id.",
            valid_options=[row.id for row, _ in found],
        )
    [(row, user)] = found
    _check_covered(row.grant, caller)
    return row, user


def _check_covered(grant: Grant, caller: Caller) -> None:
    if not caller.grant.covers(grant):
        raise Forbidden(
            f"A token may not do more than yours, whose role is {caller.grant.role}. Ask the owner "
            "of the house.",
            role=caller.grant.role,
        )


def _rooms(names: Sequence[str] | None, rooms: Sequence[Room]) -> frozenset[str] | None:
    known = [HOUSE, *(room.name for room in rooms)]
    if unknown := [name for name in names or () if name not in known]:
        raise InvalidInput(
            f"There is no room {unknown[0]!r}. There are: {', '.join(known)}.", valid_options=known
        )
    return None if names is None else frozenset(names)


def _projects(paths: Sequence[str] | None) -> frozenset[str] | None:
    if wrong := [path for path in paths or () if not Path(path).is_absolute()]:
        raise InvalidInput(f"The project {wrong[0]!r} is not an absolute path.")
    return None if paths is None else frozenset(str(Path(path).resolve()) for path in paths)


async def _visible(users: Users, caller: Caller) -> list[tuple[Token, User]]:
    seen = await users.list() if caller.is_owner else [await users.get(caller.user_id)]
    return [(token, user) for user in seen for token in await users.list_tokens(user.id)]


async def _owner(users: Users, name: str | None, caller: Caller) -> User:
    if name is None:
        return await users.get(caller.user_id)
    known = await _find(users, name)
    if not caller.is_owner and caller.user_id != (known.id if known else None):
        raise Forbidden("Only the owner of the house makes tokens for others.")
    return known or await users.create(name)


async def _find(users: Users, name: str) -> User | None:
    return next((user for user in await users.list() if name in (user.name, user.id)), None)
