"""The durable event log: full-text searchable, replayable, and the outbox between processes."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Index, Integer, Select, func, or_, select, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core import fulltext
from bottega.core.database import Base, Database, storable
from bottega.core.events.event import CommittedEvent, Event, Interest, branch

#: The channel on which PostgreSQL tells every process that the log has grown.
CHANNEL = "bottega_events"
#: Any number does, as long as all servers on one PostgreSQL use the same.
ADVISORY_LOCK = 7_305_812
#: Characters of an event's payload that the search reads.
MAX_TEXT = 10_000


class EventRow(Base):
    __tablename__ = "events"
    __table_args__ = (
        Index("ix_events_topic_seq", "topic", "seq"),
        Index("ix_events_session_seq", "session_id", "seq"),
        {"sqlite_autoincrement": True},
    )

    #: Counts up in the order of commits, so whoever has read up to one misses nothing before it.
    seq: Mapped[int] = mapped_column(
        BigInteger().with_variant(Integer(), "sqlite"), primary_key=True, autoincrement=True
    )
    id: Mapped[str] = mapped_column(unique=True)
    topic: Mapped[str]
    project: Mapped[str | None]
    user_id: Mapped[str | None]
    session_id: Mapped[str | None]
    payload: Mapped[dict[str, Any]]
    #: The words of topic and payload, for search.
    text: Mapped[str]
    origin: Mapped[str]
    created_at: Mapped[datetime]


class EventLog:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def append(self, events: Sequence[Event]) -> list[CommittedEvent]:
        """Write events in their order; return those that were not there already."""
        insert = postgresql.insert if self._database.dialect == "postgresql" else sqlite.insert
        statement = (
            insert(EventRow)
            .on_conflict_do_nothing(index_elements=[EventRow.id])
            .returning(EventRow.id, EventRow.seq)
        )
        async with self._database.write(durable=False) as session:
            if self._database.dialect == "postgresql":
                # Numbers are drawn when rows are inserted but seen when they are committed: one
                # transaction at a time, so that a reader never steps over a slower neighbour.
                await session.execute(
                    text("SELECT pg_advisory_xact_lock(:key)"), {"key": ADVISORY_LOCK}
                )
            result = await session.execute(statement, [_row(event) for event in events])
            numbers = {row.id: row.seq for row in result}
            if numbers and self._database.dialect == "postgresql":
                # Only the number travels: a notification holds at most 8,000 bytes.
                await session.execute(select(func.pg_notify(CHANNEL, str(max(numbers.values())))))
        written = [CommittedEvent(numbers[e.id], e) for e in events if e.id in numbers]
        return sorted(written, key=lambda committed: committed.seq)

    async def last_seq(self) -> int:
        async with self._database.read() as session:
            return await session.scalar(select(func.max(EventRow.seq))) or 0

    async def after(
        self,
        seq: int,
        topics: Sequence[str] = (),
        project: str | None = None,
        user_id: str | None = None,
        limit: int = 500,
    ) -> list[CommittedEvent]:
        """The events that followed `seq`, oldest first."""
        query = select(EventRow).where(EventRow.seq > seq).order_by(EventRow.seq)
        return await self._fetch(query.limit(limit), Interest(tuple(topics), project, user_id))

    async def search(
        self,
        query: str,
        topics: Sequence[str] = (),
        project: str | None = None,
        user_id: str | None = None,
        session_id: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 50,
    ) -> list[CommittedEvent]:
        """The events that contain every word of `query`, newest first; all of them for none."""
        rows = select(EventRow).order_by(EventRow.seq.desc())
        if query.strip():
            if not fulltext.words(query):
                return []
            rows = rows.where(fulltext.contains(self._database.dialect, EventRow.seq, query))
        if session_id is not None:
            rows = rows.where(EventRow.session_id == session_id)
        if since is not None:
            rows = rows.where(EventRow.created_at >= since)
        if until is not None:
            rows = rows.where(EventRow.created_at < until)
        return await self._fetch(rows.limit(limit), Interest(tuple(topics), project, user_id))

    async def _fetch(self, query: Select[EventRow], interest: Interest) -> list[CommittedEvent]:
        async with self._database.read() as session:
            rows = await session.scalars(query.where(*_conditions(interest)))
            return [CommittedEvent(row.seq, _event(row)) for row in rows]


def _conditions(interest: Interest) -> Iterator[ColumnElement[bool]]:
    if interest.project is not None:
        yield or_(EventRow.project.is_(None), EventRow.project == interest.project)
    if interest.user_id is not None:
        yield or_(EventRow.user_id.is_(None), EventRow.user_id == interest.user_id)
    if not interest.everything:
        yield or_(
            *(
                EventRow.topic == topic
                if (stem := branch(topic)) is None
                else EventRow.topic.startswith(stem, autoescape=True)
                for topic in interest.topics
            )
        )


def _row(event: Event) -> dict[str, Any]:
    return {
        "id": event.id,
        "topic": event.topic,
        "project": event.project,
        "user_id": event.user_id,
        "session_id": event.session_id,
        "payload": event.payload,
        "text": storable(" ".join([event.topic, *fulltext.strings(event.payload)])[:MAX_TEXT]),
        "origin": event.origin,
        "created_at": event.created_at,
    }


def _event(row: EventRow) -> Event:
    return Event(
        topic=row.topic,
        payload=row.payload,
        project=row.project,
        user_id=row.user_id,
        session_id=row.session_id,
        id=row.id,
        created_at=row.created_at,
        origin=row.origin,
    )
