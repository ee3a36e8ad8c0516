"""The event list of every run, and beside it the run that the list adds up to."""

from dataclasses import fields
from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core import clock
from bottega.core.database import Base
from bottega.core.runs.run import Run, RunEvent, RunStatus
from bottega.core.sessions import Session
from bottega.core.users import User


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
        for field in fields(Run):
            setattr(self, field.name, getattr(run, field.name))


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
