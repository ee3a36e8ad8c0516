"""Browsers that are signed in: each has a row, and a cookie that is only a random name for it.

So a sign-in can be listed, with when, from where and by which browser it was made, and be ended at
any moment in every process. The cookie itself is kept nowhere, only its hash.
"""

import hashlib
import secrets
import time
from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import ForeignKey, delete, select, update
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core import clock
from bottega.core.clock import new_id
from bottega.core.db.database import Base, Database
from bottega.core.events import Event, EventBus
from bottega.core.users import CACHE_SECONDS, CACHE_SIZE, USE_PRECISION, User
from bottega.errors import NotFound

LIFETIME = timedelta(days=7)
#: Sign-ins that are over are shown for so long.
REMEMBERED = timedelta(days=30)
#: Characters of what a browser says of itself.
AGENT_LENGTH = 300

#: Heard by every process.
SIGNED_OUT = "user.signed_out"


class BrowserSignIn(Base):
    __tablename__ = "sign_ins"

    id: Mapped[str] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey(User.id, ondelete="CASCADE"), index=True)
    #: SHA-256 of the cookie.
    cookie_hash: Mapped[str] = mapped_column(unique=True)
    #: Of what was shown to sign in: where that has changed, the sign-in is no longer good.
    proof: Mapped[str]
    #: Where the browser was, as far as the server could see.
    address: Mapped[str]
    #: What it said of itself.
    agent: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(default=clock.now)
    #: The last sign of life, to the minute.
    seen_at: Mapped[datetime] = mapped_column(default=clock.now)
    expires_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]


class SignIns:
    def __init__(self, database: Database, bus: EventBus) -> None:
        self._database = database
        self._bus = bus
        #: By the hash of the cookie.
        self._known: dict[str, tuple[BrowserSignIn, float]] = {}
        #: Ids, so that one that is being looked up meanwhile is not remembered.
        self._ended: dict[str, None] = {}
        bus.on(SIGNED_OUT, lambda event: self._forget(event.payload["sign_in_id"]))

    async def begin(self, user_id: str, *, proof: str, address: str, agent: str) -> str:
        """Sign a browser in; returns its cookie, which is kept nowhere."""
        cookie = secrets.token_urlsafe(32)
        now = clock.now()
        row = BrowserSignIn(
            id=new_id("in_"),
            user_id=user_id,
            cookie_hash=_hash(cookie),
            proof=proof,
            address=address,
            agent=agent[:AGENT_LENGTH],
            expires_at=now + LIFETIME,
        )
        async with self._database.write() as session:
            await session.execute(
                delete(BrowserSignIn).where(BrowserSignIn.expires_at < now - REMEMBERED)
            )
            session.add(row)
        return cookie

    async def find(self, cookie: str, proof: str) -> BrowserSignIn | None:
        """The live sign-in of a cookie; `None` if it is forged, expired, ended or outdated."""
        digest = _hash(cookie)
        found, until = self._known.get(digest, (None, 0.0))
        if found is None or time.monotonic() >= until:
            found = await self._look_up(digest)
        if found is None or found.expires_at <= clock.now() or found.proof != proof:
            return None
        return found

    async def list(self, user_id: str) -> Sequence[BrowserSignIn]:
        """A user's, those that are over included, newest first."""
        query = select(BrowserSignIn).where(BrowserSignIn.user_id == user_id)
        async with self._database.read() as session:
            return (await session.scalars(query.order_by(BrowserSignIn.created_at.desc()))).all()

    async def end(self, sign_in_id: str, *, user_id: str) -> BrowserSignIn:
        """Sign a user's browser out, in every process, and what it had opened with it."""
        live = select(BrowserSignIn).where(
            BrowserSignIn.id == sign_in_id,
            BrowserSignIn.user_id == user_id,
            BrowserSignIn.ended_at.is_(None),
        )
        async with self._database.write() as session:
            row = await session.scalar(live)
            if row is None:
                raise NotFound(f"There is no live sign-in {sign_in_id!r}.")
            row.ended_at = clock.now()
        self._forget(row.id)
        self._bus.publish(Event(SIGNED_OUT, {"sign_in_id": row.id}, user_id=user_id))
        return row

    async def _look_up(self, digest: str) -> BrowserSignIn | None:
        live = select(BrowserSignIn).where(
            BrowserSignIn.cookie_hash == digest, BrowserSignIn.ended_at.is_(None)
        )
        async with self._database.read() as session:
            found = await session.scalar(live)
        if found is None or found.id in self._ended:
            return None
        if (latest := clock.now() + LIFETIME) < found.expires_at:
            # Made by a clock that was ahead, and is set back: it lives no longer than others.
            await self._shorten(found, latest)
        await self._note_use(found)
        if len(self._known) >= CACHE_SIZE:
            self._known.clear()
        self._known[digest] = (found, time.monotonic() + CACHE_SECONDS)
        return found

    async def _shorten(self, found: BrowserSignIn, expires_at: datetime) -> None:
        found.expires_at = expires_at
        async with self._database.write() as session:
            await session.execute(
                update(BrowserSignIn)
                .where(BrowserSignIn.id == found.id)
                .values(expires_at=expires_at)
            )

    async def _note_use(self, found: BrowserSignIn) -> None:
        now = clock.now()
        if abs(now - found.seen_at) < USE_PRECISION:
            return
        async with self._database.write(durable=False) as session:
            await session.execute(
                update(BrowserSignIn).where(BrowserSignIn.id == found.id).values(seen_at=now)
            )

    def _forget(self, sign_in_id: str) -> None:
        self._ended[sign_in_id] = None
        if len(self._ended) > CACHE_SIZE:
            del self._ended[next(iter(self._ended))]
        self._known = {
            digest: known for digest, known in self._known.items() if known[0].id != sign_in_id
        }


def _hash(cookie: str) -> str:
    return hashlib.sha256(cookie.encode()).hexdigest()
