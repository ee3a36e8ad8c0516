"""What happened, who wants to hear of it, and the durable log of it all.

The log is searchable by its words, replayable, and the outbox between processes. Everything that
must neither lose nor repeat an event goes by its numbers: readers of the `Tail` (SSE streams), and
the delivery of what other processes wrote. Our own commits are taken over directly while their
numbers follow on; any gap is read from the log.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Index, Integer, Select, func, or_, select
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core import clock
from bottega.core.clock import new_id
from bottega.core.db import fulltext
from bottega.core.db.advisory_locks import TAKE, AdvisoryLock
from bottega.core.db.database import Base, Database, storable
from bottega.core.text.words import strings
from bottega.core.trust.admission import scrub_all

#: Tells a subscriber that was too slow how many events it lost (`payload["missed"]`).
MISSED = "events.missed"


@dataclass(frozen=True, slots=True)
class Event:
    #: Dotted words, the thing before what happened to it: `session.started`, `mcp.tool_called`.
    topic: str
    payload: dict[str, Any] = field(default_factory=dict)
    project: str | None = None
    #: Whose it is; an event of nobody's is for everybody.
    user_id: str | None = None
    session_id: str | None = None
    #: Written to the log, and so heard in other processes and found later.
    durable: bool = True
    id: str = field(default_factory=new_id)
    created_at: datetime = field(default_factory=clock.now)
    #: The bus that published it.
    origin: str = ""


@dataclass(frozen=True, slots=True)
class CommittedEvent:
    #: Its place in the log.
    seq: int
    event: Event


@dataclass(frozen=True, slots=True)
class Interest:
    """Which events someone wants: some topics, of one project, meant for one user.

    A topic is exact (`session.started`), a branch (`session.*`) or everything (`*`, or no topic
    given). Events that belong to no project or to no user pass for every one.
    """

    topics: tuple[str, ...] = ()
    project: str | None = None
    user_id: str | None = None

    @property
    def everything(self) -> bool:
        return not self.topics or "*" in self.topics

    def covers(self, event: Event) -> bool:
        return (
            (self.project is None or event.project in (None, self.project))
            and (self.user_id is None or event.user_id in (None, self.user_id))
            and (self.everything or any(matches(topic, event.topic) for topic in self.topics))
        )


def branch(pattern: str) -> str | None:
    """`session.` for `session.*`; `None` for an exact topic."""
    return pattern[:-1] if pattern.endswith(".*") else None


def matches(pattern: str, topic: str) -> bool:
    stem = branch(pattern)
    return topic == pattern if stem is None else topic.startswith(stem)


#: The channel on which PostgreSQL tells every process that the log has grown.
CHANNEL = "bottega_events"
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


#: What a row has of its event, each by the same name.
_KEPT = {each.name for each in fields(Event)} & {*EventRow.__table__.columns.keys()}


class EventLog:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def knows(self, project: str) -> bool:
        """Whether anything ever happened in a project."""
        first = select(EventRow.seq).where(EventRow.project == project).limit(1)
        async with self._database.read() as session:
            return await session.scalar(first) is not None

    async def append(self, events: Sequence[Event]) -> list[CommittedEvent]:
        """Write events in their order; return those that were not there already."""
        statement = (
            self._database.insert(EventRow)
            .on_conflict_do_nothing(index_elements=[EventRow.id])
            .returning(EventRow.id, EventRow.seq)
        )
        async with self._database.write(durable=self._database.crashes_alone) as session:
            if self._database.dialect == "postgresql":
                # Numbers are drawn when rows are inserted but seen when they are committed: one
                # transaction at a time, so that a reader never steps over a slower neighbour.
                await session.execute(TAKE, {"key": AdvisoryLock.EVENT_LOG})
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
    # By those of users other processes know what was revoked; nobody writes in them.
    payload = event.payload if event.topic.startswith("user.") else scrub_all(event.payload)
    text = storable(" ".join([event.topic, *strings(payload)])[:MAX_TEXT])
    return {**{name: getattr(event, name) for name in _KEPT}, "payload": payload, "text": text}


def _event(row: EventRow) -> Event:
    return Event(**{name: getattr(row, name) for name in _KEPT})


PAGE = 500
#: Events kept in memory; a reader further behind reads from the log.
KEEP = 2_000


class Tail:
    def __init__(self, log: EventLog, accept: Callable[[Event], None], keep: int = KEEP) -> None:
        """`accept` is called once for every committed event, in order."""
        self._log = log
        self._accept = accept
        self._keep = keep
        self._recent: deque[CommittedEvent] = deque()
        #: Every event after this number and up to `_seen` is in `_recent`.
        self._complete_after = 0
        self._seen = 0
        self._reading = asyncio.Lock()
        self._grown = asyncio.Event()
        self._closed = False

    async def start(self) -> None:
        self._seen = self._complete_after = await self._log.last_seq()

    def close(self) -> None:
        self._closed = True
        self._signal()

    async def committed(self, events: Sequence[CommittedEvent]) -> None:
        """Take over what this process has just written."""
        async with self._reading:
            if events and events[0].seq == self._seen + 1 and _contiguous(events):
                self._take(events)
            else:
                await self._read_log()

    async def catch_up(self) -> None:
        """Take over what others wrote."""
        async with self._reading:
            await self._read_log()

    def follow(self, after: int | None, interest: Interest) -> AsyncGenerator[CommittedEvent, None]:
        """Replay what followed `after`, then go on live; from now on without an `after`."""
        return self._follow(self._seen if after is None else after, interest)

    async def _follow(
        self, position: int, interest: Interest
    ) -> AsyncGenerator[CommittedEvent, None]:
        if position > self._seen:
            # Read elsewhere and not yet seen here; or from another database: then start afresh.
            position = min(position, await self._log.last_seq())
        while not self._closed:
            grown = self._grown
            if position >= self._complete_after:
                page, end = self._remembered(position), self._seen
            else:
                end = self._seen
                page = await self._log.after(
                    position, interest.topics, interest.project, interest.user_id, PAGE
                )
                if len(page) == PAGE:
                    end = page[-1].seq
            for committed in page:
                if interest.covers(committed.event):
                    yield committed
                position = committed.seq
            position = max(position, end)
            if position >= self._seen:
                await grown.wait()

    def _remembered(self, position: int) -> list[CommittedEvent]:
        newer: list[CommittedEvent] = []
        for committed in reversed(self._recent):
            if committed.seq <= position:
                break
            newer.append(committed)
        return newer[::-1]

    async def _read_log(self) -> None:
        while events := await self._log.after(self._seen, limit=PAGE):
            self._take(events)

    def _take(self, events: Sequence[CommittedEvent]) -> None:
        for committed in events:
            self._recent.append(committed)
            self._seen = committed.seq
            self._accept(committed.event)
        while len(self._recent) > self._keep:
            self._complete_after = self._recent.popleft().seq
        self._signal()

    def _signal(self) -> None:
        self._grown.set()
        if not self._closed:
            self._grown = asyncio.Event()


def _contiguous(events: Sequence[CommittedEvent]) -> bool:
    return events[-1].seq - events[0].seq == len(events) - 1
