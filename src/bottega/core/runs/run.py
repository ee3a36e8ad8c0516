"""What a run is: the sum of its events, the rows that keep both, and waiting for the next event."""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeVar

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core import clock
from bottega.core.db.database import Base
from bottega.core.run_status import RunStatus as RunStatus
from bottega.core.sessions.session import Session
from bottega.core.users import User
from bottega.errors import Conflict


class Happening(StrEnum):
    """The events that move a run; rooms add types of their own beside them."""

    QUEUED = "queued"
    STARTED = "started"
    #: A process picked it up again after another one, or an earlier life of this one, ended.
    RECOVERED = "recovered"
    PAUSED = "paused"
    REPLIED = "replied"
    #: Nobody replied in time.
    EXPIRED = "expired"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class RunEvent:
    run_id: str
    #: Its place in the run's list, from 1.
    position: int
    type: str
    payload: dict[str, Any]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Run:
    id: str
    kind: str
    status: RunStatus
    input: dict[str, Any]
    user_id: str
    session_id: str | None
    #: The queue it waits in; `None` runs at once where it was started.
    queue: str | None
    created_at: datetime
    updated_at: datetime
    #: The position of its newest event.
    position: int
    #: While paused: `{reason, prompt, until, key}`.
    waiting_for: dict[str, Any] | None = None
    output: dict[str, Any] | None = None
    #: Once failed: `{type, message, details}`.
    error: dict[str, Any] | None = None
    ended_at: datetime | None = None
    #: How often it was picked up again since it last moved: by an event, a step that finished, or
    #: an orderly stop.
    recoveries: int = 0


def not_ended(run: Run, *, called: str, lacks: str) -> Conflict:
    """For those who ask for what a run came to while it still goes on."""
    waits = " It waits for your reply." if run.status is RunStatus.PAUSED else ""
    return Conflict(
        f"The {called} {run.id!r} is {run.status} and has no {lacks} yet.{waits}",
        status=run.status,
        waiting_for=run.waiting_for,
    )


def begin(event: RunEvent) -> Run:
    """The run that its first event, `queued`, makes."""
    return Run(
        id=event.run_id,
        status=RunStatus.QUEUED,
        created_at=event.created_at,
        updated_at=event.created_at,
        position=event.position,
        **event.payload,
    )


def advance(run: Run, event: RunEvent) -> Run:
    """The run after one more event."""
    run = replace(run, position=event.position, updated_at=event.created_at)
    if event.type == Happening.RECOVERED:
        return replace(run, recoveries=run.recoveries + 1)
    run = replace(run, recoveries=0)
    match event.type:
        case Happening.STARTED:
            return replace(run, status=RunStatus.RUNNING)
        case Happening.PAUSED:
            return replace(run, status=RunStatus.PAUSED, waiting_for=event.payload)
        case Happening.REPLIED | Happening.EXPIRED:
            return replace(run, status=RunStatus.RUNNING, waiting_for=None)
        case Happening.COMPLETED | Happening.FAILED | Happening.CANCELLED:
            return replace(
                run,
                status=RunStatus(event.type),
                waiting_for=None,
                output=event.payload.get("output"),
                error=event.payload.get("error"),
                ended_at=event.created_at,
            )
    return run


def rebuild(events: Iterable[RunEvent]) -> Run:
    """The run from nothing but its event list."""
    first, *others = events
    run = begin(first)
    for event in others:
        run = advance(run, event)
    return run


class RunRow(Base):
    """Derived from `run_events`, in the same transaction, so that runs can be listed quickly."""

    __tablename__ = "runs"
    __table_args__ = (
        Index("ix_runs_status", "status"),
        Index("ix_runs_user_created", "user_id", "created_at"),
    )

    id: Mapped[str] = mapped_column(primary_key=True)
    kind: Mapped[str]
    status: Mapped[str]
    input: Mapped[dict[str, Any]]
    user_id: Mapped[str] = mapped_column(ForeignKey(User.id))
    session_id: Mapped[str | None] = mapped_column(ForeignKey(Session.id, ondelete="SET NULL"))
    queue: Mapped[str | None]
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]
    position: Mapped[int]
    waiting_for: Mapped[dict[str, Any] | None]
    output: Mapped[dict[str, Any] | None]
    error: Mapped[dict[str, Any] | None]
    ended_at: Mapped[datetime | None]
    recoveries: Mapped[int]

    def to_run(self) -> Run:
        values = {field.name: getattr(self, field.name) for field in fields(Run)}
        return Run(**values | {"status": RunStatus(self.status)})

    def show(self, run: Run) -> None:
        for each in fields(Run):
            setattr(self, each.name, getattr(run, each.name))


class RunEventRow(Base):
    __tablename__ = "run_events"
    __table_args__ = (UniqueConstraint("run_id", "key"),)

    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    #: Names the moment in the run's code that made it: a replay makes the same key, and no event.
    key: Mapped[str]
    type: Mapped[str]
    payload: Mapped[dict[str, Any]]
    created_at: Mapped[datetime] = mapped_column(default=clock.now)

    def to_event(self) -> RunEvent:
        return RunEvent(self.run_id, self.position, self.type, self.payload, self.created_at)


T = TypeVar("T")

#: RunWaiters come by the bus at once; looking again now and then is for the case that one got lost.
LOOK_AGAIN_SECONDS = 10.0


@dataclass(eq=False, slots=True)
class _Watcher:
    #: Whether only what changes a run's status or reply concerns it.
    of_moves: bool
    news: asyncio.Event = field(default_factory=asyncio.Event)


class RunWaiters:
    def __init__(self) -> None:
        self._watchers: dict[str, set[_Watcher]] = {}

    def arrived(self, run_id: str, *, is_move: bool) -> None:
        for watcher in self._watchers.get(run_id, ()):
            if is_move or not watcher.of_moves:
                watcher.news.set()

    async def wait_for(
        self,
        run_id: str,
        look: Callable[[], Awaitable[T | None]],
        deadline: datetime | None = None,
        *,
        within: float | None = None,
        of_moves: bool = True,
    ) -> T | None:
        """What `look` finds, as soon as it finds something; `None` when the deadline passes.

        A deadline is a moment of the wall clock, for what outlives the process; `within` so many
        seconds is for a caller that waits, whatever the wall clock does meanwhile.

        It looks again when the run has moved; without `of_moves`, at every event of the run.
        """
        until = math.inf if within is None else time.monotonic() + within
        with self._watching(run_id, of_moves) as news:
            while True:
                news.clear()
                if (found := await look()) is not None:
                    return found
                left = until - time.monotonic()
                if deadline is not None:
                    left = min(left, (deadline - clock.now()).total_seconds())
                if left <= 0:
                    return None
                patience = min(LOOK_AGAIN_SECONDS, left)
                try:
                    async with asyncio.timeout(patience):
                        await news.wait()
                except TimeoutError:
                    pass

    @contextmanager
    def _watching(self, run_id: str, of_moves: bool) -> Iterator[asyncio.Event]:
        watcher = _Watcher(of_moves)
        watchers = self._watchers.setdefault(run_id, set())
        watchers.add(watcher)
        try:
            yield watcher.news
        finally:
            watchers.discard(watcher)
            if not watchers:
                self._watchers.pop(run_id, None)
