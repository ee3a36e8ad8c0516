"""What was said in a session: one store for every room, searchable."""

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Integer, UniqueConstraint, func, select
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core import clock
from bottega.core.db import fulltext
from bottega.core.db.database import Base, Database, storable
from bottega.core.sessions.session import Session, SessionKind, find, lock
from bottega.core.trust.admission import admit


def new_message_id() -> str:
    """`msg-{milliseconds}-{random}`."""
    return f"msg-{time.time_ns() // 1_000_000}-{secrets.token_hex(6)}"


class Message(Base):
    """One turn of a conversation: `content` in the wire's own shape, `text` for search."""

    __tablename__ = "messages"
    __table_args__ = (UniqueConstraint("session_id", "position"), {"sqlite_autoincrement": True})

    seq: Mapped[int] = mapped_column(
        BigInteger().with_variant(Integer(), "sqlite"), primary_key=True, autoincrement=True
    )
    id: Mapped[str] = mapped_column(unique=True, default=new_message_id)
    session_id: Mapped[str] = mapped_column(ForeignKey("sessions.id", ondelete="CASCADE"))
    #: Its place in the conversation, from 0 and without gaps.
    position: Mapped[int]
    role: Mapped[str]
    content: Mapped[dict[str, Any]]
    text: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime] = mapped_column(default=clock.now)


@dataclass(frozen=True, slots=True)
class MessageHit:
    """A message that a search found, and the session it stands in."""

    message: Message
    session: Session


Listener = Callable[[Session, Message], None]


class Conversations:
    """Sees only the sessions of the `user_id` given; `None` sees all of them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._listeners: list[Listener] = []

    def on_append(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` after every message said in this process; returns the way to stop that.

        It runs within `append`, so it must be quick and must not fail.
        """
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def append(
        self,
        session_id: str,
        role: str,
        content: dict[str, Any],
        text: str = "",
        *,
        user_id: str | None,
        id: str | None = None,
    ) -> Message:
        """Add a message; with an `id` that is there already, nothing: it is said once."""
        content, text = admit(content, "message"), admit(text, "message")
        async with self._database.write() as session:
            # Locking the session's row makes appends to one conversation take turns.
            said_in = await lock(session, session_id, user_id)
            known = select(Message).where(Message.id == id)
            if id is not None and (said := await session.scalar(known)) is not None:
                return said
            count = select(func.count()).where(Message.session_id == session_id)
            row = Message(
                id=id or new_message_id(),
                session_id=session_id,
                position=await session.scalar(count) or 0,
                role=role,
                content=content,
                text=storable(text),
            )
            session.add(row)
        for listener in tuple(self._listeners):
            listener(said_in, row)
        return row

    async def length(self, session_id: str, *, user_id: str | None) -> int:
        count = select(func.count()).where(Message.session_id == session_id)
        async with self._database.read() as session:
            await find(session, session_id, user_id)
            return await session.scalar(count) or 0

    async def list(
        self, session_id: str, *, user_id: str | None, start: int = 0, limit: int | None = None
    ) -> Sequence[Message]:
        """The messages from position `start` on, in their order."""
        query = (
            select(Message)
            .where(Message.session_id == session_id, Message.position >= start)
            .order_by(Message.position)
            .limit(limit)
        )
        async with self._database.read() as session:
            await find(session, session_id, user_id)
            return (await session.scalars(query)).all()

    async def search(
        self,
        query: str,
        *,
        user_id: str | None,
        kind: SessionKind | None = None,
        project_dir: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 50,
    ) -> Sequence[MessageHit]:
        """The messages that contain every word of `query`, newest first."""
        if not fulltext.words(query):
            return []
        hits = (
            select(Message, Session)
            .join(Session, Session.id == Message.session_id)
            .where(fulltext.contains(self._database.dialect, Message.seq, query))
            .order_by(Message.seq.desc())
            .limit(limit)
        )
        if user_id is not None:
            hits = hits.where(Session.user_id == user_id)
        if kind is not None:
            hits = hits.where(Session.kind == kind)
        if project_dir is not None:
            hits = hits.where(Session.project_dir == project_dir)
        if since is not None:
            hits = hits.where(Message.created_at >= since)
        if until is not None:
            hits = hits.where(Message.created_at < until)
        async with self._database.read() as session:
            return [MessageHit(message, row) for message, row in await session.execute(hits)]
