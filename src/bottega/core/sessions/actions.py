"""What people and agents did: the action log, one row an action (FR-048)."""

from collections.abc import Callable, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

import structlog
from sqlalchemy import ForeignKey, Index, select
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core import clock
from bottega.core.clock import new_id
from bottega.core.db.database import Base, Database
from bottega.core.events import Event, EventBus
from bottega.core.sessions.session import Session, lock
from bottega.core.trust.admission import scrub_all
from bottega.errors import NotFound

log = structlog.get_logger()


class ActionType(StrEnum):
    FILE_OPEN = "file_open"
    FILE_SAVE = "file_save"
    FILE_CLOSE = "file_close"
    BUFFER_SUMMARY = "buffer_summary"
    BUFFER_SIGNIFICANT_CHANGE = "buffer_significant_change"
    TAB_SWITCH = "tab_switch"
    SELECTION = "selection"
    HINT_LEVEL_CHANGE = "hint_level_change"
    EXPLAIN_REQUESTED = "explain_requested"
    REVIEW_REQUESTED = "review_requested"
    IDLE_START = "idle_start"
    IDLE_END = "idle_end"
    SESSION_STARTED = "session_started"
    SESSION_RESUMED = "session_resumed"
    SESSION_ENDED = "session_ended"
    PHASE_STARTED = "phase_started"
    PHASE_COMPLETED = "phase_completed"
    COACHING_MESSAGE = "coaching_message"
    NUDGE_SENT = "nudge_sent"
    NUDGE_SUPPRESSED = "nudge_suppressed"
    OBSERVER_MUTED = "observer_muted"
    MCP_TOOL_CALL = "mcp_tool_call"
    DECORATIONS_APPLIED = "decorations_applied"
    FILE_HINTS_APPLIED = "file_hints_applied"
    EXPLAIN_COMPLETED = "explain_completed"
    REVIEW_COMPLETED = "review_completed"
    DASHBOARD_LOADED = "dashboard_loaded"


#: What tells the observer something about how the person is doing.
OBSERVED = frozenset(
    {
        ActionType.FILE_OPEN,
        ActionType.FILE_SAVE,
        ActionType.FILE_CLOSE,
        ActionType.BUFFER_SUMMARY,
        ActionType.BUFFER_SIGNIFICANT_CHANGE,
        ActionType.TAB_SWITCH,
        ActionType.SELECTION,
        ActionType.HINT_LEVEL_CHANGE,
        ActionType.EXPLAIN_REQUESTED,
        ActionType.REVIEW_REQUESTED,
        ActionType.IDLE_START,
        ActionType.IDLE_END,
        ActionType.PHASE_STARTED,
        ActionType.PHASE_COMPLETED,
    }
)


class Action(Base):
    """FR-039."""

    __tablename__ = "action_log"
    __table_args__ = (Index("ix_action_log_session_created", "session_id", "created_at"),)

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    session_id: Mapped[str] = mapped_column(ForeignKey("sessions.id", ondelete="CASCADE"))
    action_type: Mapped[str] = mapped_column(index=True)
    data: Mapped[dict[str, Any] | None]
    created_at: Mapped[datetime] = mapped_column(default=clock.now)


Listener = Callable[[Action], None]


class Actions:
    def __init__(self, database: Database, bus: EventBus) -> None:
        self._database = database
        self._bus = bus
        self._listeners: list[Listener] = []

    async def log_action(
        self,
        session_id: str | None,
        action_type: ActionType,
        data: dict[str, Any] | None = None,
        *,
        user_id: str | None = None,
    ) -> Action | None:
        """Log one action. Without a session that exists, and is the user's if one is given, it is
        discarded with a warning (EC-17)."""
        if session_id is None:
            log.warning("actions.discarded", action=action_type, reason="no session")
            return None
        action = Action(session_id=session_id, action_type=action_type, data=scrub_all(data))
        try:
            async with self._database.write(durable=False) as session:
                owner = await lock(session, session_id, user_id)
                session.add(action)
        except NotFound as error:
            log.warning("actions.discarded", action=action_type, reason=error.message)
            return None
        self._tell(action, owner)
        return action

    def on_action(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with every action logged here; returns the way to stop that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def recent(
        self, session_id: str, limit: int = 50, action_type: ActionType | None = None
    ) -> Sequence[Action]:
        """Newest first (FR-045)."""
        query = (
            select(Action)
            .where(Action.session_id == session_id)
            .order_by(Action.created_at.desc(), Action.id.desc())
            .limit(limit)
        )
        if action_type is not None:
            query = query.where(Action.action_type == action_type)
        async with self._database.read() as session:
            return (await session.scalars(query)).all()

    def _tell(self, action: Action, owner: Session) -> None:
        for listener in tuple(self._listeners):
            try:
                listener(action)
            except Exception:
                log.exception("actions.listener_failed", action=action.action_type)
        self._bus.publish(
            Event(
                "action.logged",
                {"action_type": action.action_type, "data": action.data},
                project=owner.project_dir,
                user_id=owner.user_id,
                session_id=action.session_id,
            )
        )
