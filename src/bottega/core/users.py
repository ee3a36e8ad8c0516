"""People, and the tokens by which they and their agents come in.

Alone on one machine there is one user, `local`. With tokens or a passcode everything personal
carries a `user_id`.
"""

import hashlib
import hmac
import secrets
import time
from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import ForeignKey, Index, or_, select, text, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core import clock
from bottega.core.database import Base, Database
from bottega.core.events import Event, EventBus
from bottega.core.ids import new_id
from bottega.errors import Conflict, InvalidInput, NotFound

LOCAL_USER = "local"
#: Marks a secret as ours, for people and for scanners of leaked secrets.
SECRET_PREFIX = "btg_"  # noqa: S105 - a prefix, not a secret
#: Seconds for which a verified token is taken at its word.
CACHE_SECONDS = 30.0
CACHE_SIZE = 1_000
#: `last_used_at` is kept to this precision, so that a busy token is not a busy row.
USE_PRECISION = timedelta(minutes=1)

REVOKED = "user.token_revoked"


class User(Base):
    __tablename__ = "users"

    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    created_at: Mapped[datetime] = mapped_column(default=clock.now)


class Token(Base):
    __tablename__ = "tokens"
    __table_args__ = (
        Index(
            "uq_tokens_user_name_live",
            "user_id",
            "name",
            unique=True,
            sqlite_where=text("revoked_at IS NULL"),
            postgresql_where=text("revoked_at IS NULL"),
        ),
    )

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), index=True)
    #: What the person calls it: "laptop", "ci".
    name: Mapped[str]
    #: SHA-256 of the token; the token itself is shown once and kept nowhere.
    token_hash: Mapped[str] = mapped_column(unique=True)
    created_at: Mapped[datetime] = mapped_column(default=clock.now)
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]


class Users:
    def __init__(self, database: Database, bus: EventBus | None = None) -> None:
        """Without a `bus`, over which other processes' revocations come, nothing is cached."""
        self._database = database
        self._bus = bus
        self._verified: dict[str, tuple[str, float]] = {}
        if bus is not None:
            bus.on(REVOKED, lambda event: self._forget(event.payload["token_hash"]))

    async def create(self, name: str) -> User:
        user = User(id=new_id("user_"), name=_checked(name))
        try:
            async with self._database.write() as session:
                session.add(user)
        except IntegrityError as error:
            raise Conflict(
                f"A user named {user.name!r} exists already. Choose another name."
            ) from error
        return user

    async def list(self) -> Sequence[User]:
        async with self._database.read() as session:
            return (await session.scalars(select(User).order_by(User.created_at, User.id))).all()

    async def get(self, user_id: str) -> User:
        async with self._database.read() as session:
            user = await session.get(User, user_id)
        if user is None:
            raise NotFound(f"There is no user {user_id!r}.")
        return user

    async def issue_token(self, user_id: str, name: str) -> tuple[Token, str]:
        """A new token and its secret, which is shown this once."""
        await self.get(user_id)
        secret = SECRET_PREFIX + secrets.token_urlsafe(32)
        token = Token(user_id=user_id, name=_checked(name), token_hash=_hash(secret))
        try:
            async with self._database.write() as session:
                session.add(token)
        except IntegrityError as error:
            raise Conflict(
                f"A token named {token.name!r} exists already. Choose another name, or revoke it."
            ) from error
        return token, secret

    async def list_tokens(self, user_id: str) -> Sequence[Token]:
        query = select(Token).where(Token.user_id == user_id).order_by(Token.created_at, Token.id)
        async with self._database.read() as session:
            return (await session.scalars(query)).all()

    async def verify(self, secret: str) -> str | None:
        """The user whose token this is; `None` if it is nobody's, or revoked."""
        digest = _hash(secret)
        user_id, until = self._verified.get(digest, (None, 0.0))
        if user_id is not None and time.monotonic() < until:
            return user_id
        live = select(Token).where(Token.token_hash == digest, Token.revoked_at.is_(None))
        async with self._database.read() as session:
            token = await session.scalar(live)
        if token is None or not hmac.compare_digest(token.token_hash, digest):
            return None
        await self._note_use(token)
        self._remember(token)
        return token.user_id

    async def revoke(self, user_id: str, token: str) -> Token:
        """End a user's token, given its id or its name. It stops working at once."""
        found = (
            select(Token)
            .where(Token.user_id == user_id, Token.revoked_at.is_(None))
            .where(or_(Token.id == token, Token.name == token))
        )
        async with self._database.write() as session:
            row = (await session.scalars(found)).first()
            if row is None:
                raise NotFound(f"There is no live token {token!r}. `list_tokens` names them.")
            row.revoked_at = clock.now()
        self._forget(row.token_hash)
        if self._bus is not None:
            # Meant for every process, and of no use to anyone: a hash opens nothing.
            self._bus.publish(Event(REVOKED, {"token_hash": row.token_hash}, user_id=user_id))
        return row

    async def _note_use(self, token: Token) -> None:
        now = clock.now()
        if token.last_used_at is not None and now - token.last_used_at < USE_PRECISION:
            return
        async with self._database.write(durable=False) as session:
            await session.execute(
                update(Token).where(Token.id == token.id).values(last_used_at=now)
            )

    def _remember(self, token: Token) -> None:
        if self._bus is None:
            return
        if len(self._verified) >= CACHE_SIZE:
            self._verified.clear()
        self._verified[token.token_hash] = (token.user_id, time.monotonic() + CACHE_SECONDS)

    def _forget(self, token_hash: str) -> None:
        self._verified.pop(token_hash, None)


def _hash(secret: str) -> str:
    # A secret of 256 random bits needs no slow hash: there is nothing to guess.
    return hashlib.sha256(secret.encode()).hexdigest()


def _checked(name: str) -> str:
    name = name.strip()
    if not name or len(name) > 100:
        raise InvalidInput(f"The name {name!r} must have 1 to 100 characters.")
    return name
