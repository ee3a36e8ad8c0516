"""People, and the tokens by which they and their agents come in.

Alone on one machine there is one user, `local`. With tokens or a passcode everything personal
carries a `user_id`.
"""

import hashlib
import hmac
import secrets
import time
from collections.abc import AsyncIterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import ForeignKey, Index, func, or_, select, text, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core import clock
from bottega.core.clock import new_id
from bottega.core.db.database import Base, Database
from bottega.core.events import Event, EventBus
from bottega.core.roles import Grant, TokenRole
from bottega.core.rooms import LOCAL_USER as LOCAL_USER
from bottega.errors import Conflict, InvalidInput, NotFound, Unauthorized

#: Marks a secret as ours, for people and for scanners of leaked secrets.
SECRET_PREFIX = "btg_"  # noqa: S105 - a prefix, not a secret
#: Seconds for which a verified token is taken at its word.
CACHE_SECONDS = 30.0
CACHE_SIZE = 1_000
#: `last_used_at` is kept to this precision, so that a busy token is not a busy row.
USE_PRECISION = timedelta(minutes=1)
#: So that whoever has one token cannot fill the table.
MOST_LIVE_TOKENS = 100

REVOKED = "user.token_revoked"
CHANGED = "user.token_changed"


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
    #: The token by which it was asked for, if that was not the owner's: it ends with that one, and
    #: never may do more.
    issued_by: Mapped[str | None] = mapped_column(index=True)
    #: `owner`, `member`, `agent` or `reader`.
    role: Mapped[str] = mapped_column(default=TokenRole.MEMBER, server_default=TokenRole.MEMBER)
    #: The rooms that it is for; all, if there is nothing.
    rooms: Mapped[list[str] | None]
    #: The projects that it is for, by path; all, if there is nothing.
    projects: Mapped[list[str] | None]
    created_at: Mapped[datetime] = mapped_column(default=clock.now)
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]

    @property
    def grant(self) -> Grant:
        return Grant(TokenRole(self.role), _set(self.rooms), _set(self.projects))

    @grant.setter
    def grant(self, grant: Grant) -> None:
        self.role = grant.role.value
        self.rooms, self.projects = _list(grant.rooms), _list(grant.projects)


class VerifiedToken(NamedTuple):
    user_id: str
    token_id: str
    grant: Grant


class Users:
    def __init__(self, database: Database, bus: EventBus | None = None) -> None:
        """Without a `bus`, over which other processes' revocations come, nothing is cached."""
        self._database = database
        self._bus = bus
        self._verified: dict[str, tuple[VerifiedToken, float]] = {}
        #: Hashes, so that one that is being verified meanwhile is not remembered.
        self._revoked: dict[str, None] = {}
        #: How often a token was changed: one that was read before that is not remembered.
        self._changes = 0
        if bus is not None:
            bus.on(CHANGED, lambda event: self._reread(event.payload["token_hash"]))
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

    async def issue_token(
        self, user_id: str, name: str, grant: Grant | None = None, *, issued_by: str | None = None
    ) -> tuple[Token, str]:
        """A new token, a member's by default, and its secret, which is shown this once.

        `issued_by` is the id of the token that asked for it.
        """
        await self.get(user_id)
        secret = SECRET_PREFIX + secrets.token_urlsafe(32)
        token = Token(
            user_id=user_id, name=_checked(name), token_hash=_hash(secret), issued_by=issued_by
        )
        token.grant = grant or Grant()
        try:
            async with self._database.write() as session:
                await _check_issuer(session, token, token.grant)
                await _check_number(session, user_id)
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

    async def verify(self, secret: str) -> VerifiedToken | None:
        """The token and its user; `None` if it is nobody's, or revoked."""
        digest = _hash(secret)
        verified, until = self._verified.get(digest, (None, 0.0))
        if verified is not None and time.monotonic() < until:
            return verified
        live = select(Token).where(Token.token_hash == digest, Token.revoked_at.is_(None))
        changes = self._changes
        async with self._database.read() as session:
            token = await session.scalar(live)
        if token is None or not hmac.compare_digest(token.token_hash, digest):
            return None
        await self._note_use(token)
        if digest in self._revoked:
            return None
        if changes != self._changes:
            # One was changed meanwhile, perhaps this one.
            return await self.verify(secret)
        verified = VerifiedToken(token.user_id, token.id, token.grant)
        self._remember(digest, verified)
        return verified

    async def change(self, user_id: str, token: str, grant: Grant) -> Token:
        """Give a user's token another role, other rooms or projects; what it opened is closed.

        What it issued is narrowed with it. Raises `Conflict` for more than its issuer has.
        """
        async with self._database.write() as session:
            row = await _live_token(session, user_id, token)
            await _check_issuer(session, row, grant)
            await _lock(session, row)
            row.grant = grant
            changed = [row]
            async for issuer, child in _issued(session, row):
                narrowed = child.grant.within(issuer.grant)
                if narrowed != child.grant:
                    child.grant = narrowed
                    changed.append(child)
        for each in changed:
            self._reread(each.token_hash)
            self._tell(CHANGED, each)
        return row

    async def revoke(self, user_id: str, token: str) -> Token:
        """End a user's token, given its id or its name, and all that it issued, at once."""
        async with self._database.write() as session:
            row = await _live_token(session, user_id, token)
            await _lock(session, row)
            ended = [row, *[child async for _, child in _issued(session, row)]]
            for each in ended:
                each.revoked_at = clock.now()
        for each in ended:
            self._forget(each.token_hash)
            self._tell(REVOKED, each)
        return row

    def _tell(self, topic: str, token: Token) -> None:
        if self._bus is not None:
            # Meant for every process, and of no use to anyone: a hash opens nothing.
            told = {"token_hash": token.token_hash, "token_id": token.id}
            self._bus.publish(Event(topic, told, user_id=token.user_id))

    async def _note_use(self, token: Token) -> None:
        now = clock.now()
        if token.last_used_at is not None and abs(now - token.last_used_at) < USE_PRECISION:
            return
        async with self._database.write(durable=False) as session:
            await session.execute(
                update(Token).where(Token.id == token.id).values(last_used_at=now)
            )

    def _remember(self, digest: str, verified: VerifiedToken) -> None:
        if self._bus is None:
            return
        if len(self._verified) >= CACHE_SIZE:
            self._verified.clear()
        self._verified[digest] = (verified, time.monotonic() + CACHE_SECONDS)

    def _reread(self, token_hash: str) -> None:
        self._changes += 1
        self._verified.pop(token_hash, None)

    def _forget(self, token_hash: str) -> None:
        self._verified.pop(token_hash, None)
        self._revoked[token_hash] = None
        if len(self._revoked) > CACHE_SIZE:
            del self._revoked[next(iter(self._revoked))]


async def _live_token(session: AsyncSession, user_id: str, token: str) -> Token:
    found = (
        select(Token)
        .where(Token.user_id == user_id, Token.revoked_at.is_(None))
        .where(or_(Token.id == token, Token.name == token))
    )
    row = (await session.scalars(found)).first()
    if row is None:
        raise NotFound(f"There is no live token {token!r}. `bottega token list` names them.")
    return row


async def _lock(session: AsyncSession, token: Token) -> None:
    """Whoever issues by it, or changes what it issued, waits. An issuer is locked before what it
    issued, everywhere, so that no two wait for each other."""
    await session.refresh(token, with_for_update=True)
    if token.revoked_at is not None:
        raise NotFound(f"There is no live token {token.name!r}.")


async def _check_issuer(session: AsyncSession, token: Token, grant: Grant) -> None:
    """Raises an error if who issued it is revoked by now, or may do less than `grant`."""
    if token.issued_by is None:
        return
    issuer = await session.get(Token, token.issued_by, with_for_update=True)
    if issuer is None or issuer.revoked_at is not None:
        raise Unauthorized("This token is not valid: it was revoked.")
    if not issuer.grant.covers(grant):
        raise Conflict(
            f"{token.name!r} may not do more than {issuer.name!r}, the token that issued it, whose "
            f"role is {issuer.role}. Change that one first, or issue another."
        )


async def _check_number(session: AsyncSession, user_id: str) -> None:
    # Locked, so that several at once are counted one after the other.
    await session.get(User, user_id, with_for_update={"key_share": True})
    live = select(func.count()).where(Token.user_id == user_id, Token.revoked_at.is_(None))
    if (await session.scalar(live) or 0) >= MOST_LIVE_TOKENS:
        raise Conflict(
            f"This user has {MOST_LIVE_TOKENS} live tokens, the most that there may be. Revoke "
            "some that are not needed: `bottega token list` names them.",
            limit=MOST_LIVE_TOKENS,
        )


async def _issued(session: AsyncSession, token: Token) -> AsyncIterator[tuple[Token, Token]]:
    """Every live token that it issued, with who did: itself, or one of them, always before."""
    issuers = [token]
    for issuer in issuers:
        children = (
            select(Token)
            .where(Token.issued_by == issuer.id, Token.revoked_at.is_(None))
            .order_by(Token.id)
            .with_for_update()
        )
        for child in (await session.scalars(children)).all():
            issuers.append(child)
            yield issuer, child


def _set(names: Sequence[str] | None) -> frozenset[str] | None:
    return None if names is None else frozenset(names)


def _list(names: frozenset[str] | None) -> list[str] | None:
    return None if names is None else sorted(names)


def _hash(secret: str) -> str:
    # A secret of 256 random bits needs no slow hash: there is nothing to guess.
    return hashlib.sha256(secret.encode()).hexdigest()


def _checked(name: str) -> str:
    name = name.strip()
    if not name or len(name) > 100:
        raise InvalidInput(f"The name {name!r} must have 1 to 100 characters.")
    return name
