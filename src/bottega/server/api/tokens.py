"""`/api/tokens`: who may come in. The owner of the house sees and makes everybody's."""

from datetime import datetime

from fastapi import APIRouter
from pydantic import BaseModel, Field

from bottega.core.callers import CurrentCaller
from bottega.core.rooms import Caller
from bottega.core.users import LOCAL_USER, Token, User, Users
from bottega.errors import Conflict, Forbidden, NotFound
from bottega.server.api.views import View


class TokenView(View):
    id: str
    name: str
    user_id: str
    #: The user's name.
    user: str
    created_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None

    @classmethod
    def of(cls, token: Token, user: User) -> "TokenView":
        fields = cls.model_fields.keys() - {"user"}
        return cls(user=user.name, **{name: getattr(token, name) for name in fields})


class IssuedToken(TokenView):
    #: Shown this once.
    secret: str


class NewToken(BaseModel):
    name: str = Field(min_length=1, max_length=100)
    #: Whose it will be, by name; a new name makes a new user. The caller's own by default.
    user: str | None = Field(None, min_length=1, max_length=100)


def token_routes(users: Users) -> APIRouter:
    router = APIRouter(prefix="/tokens", tags=["tokens"])

    @router.post("", status_code=201)
    async def issue_token(wanted: NewToken, caller: CurrentCaller) -> IssuedToken:
        """Make a token; its secret is in this answer and nowhere else."""
        owner = await _owner(users, wanted.user, caller)
        token, secret = await users.issue_token(owner.id, wanted.name)
        return IssuedToken(**TokenView.of(token, owner).model_dump(), secret=secret)

    @router.get("")
    async def list_tokens(caller: CurrentCaller) -> list[TokenView]:
        """The tokens the caller may revoke, and those that were."""
        return [TokenView.of(token, user) for token, user in await _visible(users, caller)]

    @router.delete("/{token}")
    async def revoke_token(token: str, caller: CurrentCaller) -> TokenView:
        """Make a token useless, by its id or its name."""
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
        return TokenView.of(await users.revoke(row.user_id, row.id), user)

    return router


async def _visible(users: Users, caller: Caller) -> list[tuple[Token, User]]:
    is_owner = caller.user_id == LOCAL_USER
    seen = await users.list() if is_owner else [await users.get(caller.user_id)]
    return [(token, user) for user in seen for token in await users.list_tokens(user.id)]


async def _owner(users: Users, name: str | None, caller: Caller) -> User:
    if name is None:
        return await users.get(caller.user_id)
    known = await _find(users, name)
    if caller.user_id not in (LOCAL_USER, known.id if known else None):
        raise Forbidden("Only the owner of the house makes tokens for others.")
    return known or await users.create(name)


async def _find(users: Users, name: str) -> User | None:
    return next((user for user in await users.list() if name in (user.name, user.id)), None)
