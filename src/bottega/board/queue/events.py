"""What the house hears of sessions and their work."""

from collections.abc import Iterable
from typing import Any

from bottega.board.changes.lifecycle import moved_event
from bottega.board.queue.leases import Move
from bottega.core.events import Event
from bottega.core.sessions import Session


def agent_event(topic: str, row: Session, **payload: Any) -> Event:
    return Event(
        topic,
        {"project_id": row.data.get("project_id"), "type": row.type, **payload},
        project=row.project_dir,
        user_id=row.user_id,
        session_id=row.id,
    )


def work_events(topic: str, move: Move, row: Session, **payload: Any) -> Iterable[Event]:
    """The move itself, and what it means for the one who works on it."""
    change = move.change
    yield moved_event(change, move.transition, row.project_dir)
    facts = {
        "project_id": change.project_id,
        "change_id": change.id,
        "title": change.title,
        "status": change.status,
        "lease_token": change.lease_token,
    }
    # Of everybody's interest, so of no one user.
    yield Event(topic, {**facts, **payload}, project=row.project_dir, session_id=row.id)
