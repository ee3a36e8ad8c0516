"""Projects, their changes, and how each change came to be where it is."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, ForeignKeyConstraint, Index
from sqlalchemy.orm import Mapped, mapped_column

from bottega.board.changes.states import ChangeStatus
from bottega.core import clock
from bottega.core.clock import new_id
from bottega.core.db.database import Base, Json


class Change(Base):
    """An OpenSpec change: its texts as last seen in the files, and its place in the queue.

    Files are the truth. `id` is the directory's name, unique within its project only.
    """

    __tablename__ = "changes"
    __table_args__ = (
        # What `next work` walks: approved ones, urgent first, then old first.
        Index("ix_changes_queue", "project_id", "status", "priority", "approved_at"),
        Index("ix_changes_session", "assigned_session_id"),
        Index("ix_changes_fingerprint", "project_id", "fingerprint"),
    )

    project_id: Mapped[str] = mapped_column(
        ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True
    )
    id: Mapped[str] = mapped_column(primary_key=True)
    title: Mapped[str]
    status: Mapped[str] = mapped_column(default=ChangeStatus.PROPOSING)
    #: 1 to 5, 5 is the most urgent.
    priority: Mapped[int] = mapped_column(default=3)

    proposal_content: Mapped[str] = mapped_column(default="")
    tasks_content: Mapped[str] = mapped_column(default="")
    design_content: Mapped[str | None]
    #: `.openspec.yaml`
    metadata_content: Mapped[str | None]
    #: Delta specs: capability → text.
    specs: Mapped[dict[str, Any]] = mapped_column(default=dict)
    tasks_done: Mapped[int] = mapped_column(default=0)
    tasks_total: Mapped[int] = mapped_column(default=0)
    #: `capability/requirement` that its deltas change.
    touches: Mapped[list[str]] = mapped_column(Json, default=list)
    #: Other changes that its texts name.
    references: Mapped[list[str]] = mapped_column(Json, default=list)

    #: File → hash of what was last read from or written to it: how both sides' edits are told.
    synced_hashes: Mapped[dict[str, Any]] = mapped_column(default=dict)
    last_synced_at: Mapped[datetime | None]
    filesystem_modified_at: Mapped[datetime | None]
    db_modified_at: Mapped[datetime | None]
    #: What is wrong with its files, for the person.
    sync_error: Mapped[str | None]
    #: Its directory is gone, and nobody archived it.
    missing_since: Mapped[datetime | None]
    #: The archive folder's name, once it is there.
    archive_name: Mapped[str | None]
    rejection_reason: Mapped[str | None]

    #: The failure that it is to fix.
    fingerprint: Mapped[str | None]

    #: The lease: who works on it. The token grows with every claim, so that a late word from an
    #: earlier holder can be told (fencing).
    assigned_session_id: Mapped[str | None] = mapped_column(
        ForeignKey("sessions.id", ondelete="SET NULL")
    )
    lease_token: Mapped[int] = mapped_column(default=0)
    assigned_at: Mapped[datetime | None]
    agent_type: Mapped[str | None]
    result: Mapped[str | None]

    created_at: Mapped[datetime] = mapped_column(default=clock.now)
    approved_at: Mapped[datetime | None]
    completed_at: Mapped[datetime | None]
    updated_at: Mapped[datetime] = mapped_column(default=clock.now)


def of_change() -> ForeignKeyConstraint:
    """For a table that belongs to a change; its columns are `project_id` and `change_id`."""
    return ForeignKeyConstraint(
        ["project_id", "change_id"], ["changes.project_id", "changes.id"], ondelete="CASCADE"
    )


class ChangeTransition(Base):
    """One step of a change's life, with who and why."""

    __tablename__ = "change_transitions"
    __table_args__ = (
        of_change(),
        Index("ix_change_transitions_change", "project_id", "change_id", "transitioned_at"),
    )

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[str]
    change_id: Mapped[str]
    from_state: Mapped[str | None]
    to_state: Mapped[str]
    triggered_by: Mapped[str]
    trigger_user_id: Mapped[str | None]
    trigger_session_id: Mapped[str | None]
    notes: Mapped[str | None]
    transitioned_at: Mapped[datetime] = mapped_column(default=clock.now)


class ChangeRevision(Base):
    """A text that lost against another: kept, so that nothing of a person's is ever lost."""

    __tablename__ = "change_revisions"
    __table_args__ = (
        of_change(),
        Index("ix_change_revisions_change", "project_id", "change_id", "created_at"),
    )

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[str]
    change_id: Mapped[str]
    #: `proposal.md`, `tasks.md`, `design.md`, `specs/{capability}/spec.md`
    file: Mapped[str]
    content: Mapped[str]
    #: Why it is here: `conflict`, `edited`, `restored`, `deleted`.
    reason: Mapped[str]
    author: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(default=clock.now)


class AppliedSpec(Base):
    """A capability that a change brought into a project's main specs."""

    __tablename__ = "applied_specs"
    __table_args__ = (of_change(),)

    project_id: Mapped[str] = mapped_column(primary_key=True)
    change_id: Mapped[str] = mapped_column(primary_key=True)
    capability: Mapped[str] = mapped_column(primary_key=True)
    applied_at: Mapped[datetime] = mapped_column(default=clock.now)
