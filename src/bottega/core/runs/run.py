"""What a run is: the sum of its events."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from bottega.errors import Conflict


class RunStatus(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        return self in (RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.CANCELLED)


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
    #: How often it was picked up again since it last moved.
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
