"""Sessions of people and agents, of every kind, in one table.

A session is alive (active, idle, inactive) and may change between these; once it is completed,
abandoned or ended it stays so. What was said in it is in `core/sessions/conversations.py`.

Every method takes the `user_id` on whose behalf it is called and sees only that user's sessions;
`None`, for the server itself, sees all.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core import clock
from bottega.core.clock import new_id
from bottega.core.db.database import Base, Database
from bottega.core.events import Event, EventBus
from bottega.core.session_kinds import LIVE as LIVE
from bottega.core.session_kinds import SessionKind as SessionKind
from bottega.core.session_kinds import SessionStatus as SessionStatus
from bottega.core.trust.admission import scrub_all
from bottega.core.users import LOCAL_USER
from bottega.errors import Conflict, InvalidInput, NotFound

#: What `update` may change; the rest has a verb of its own or never changes.
TITLES = frozenset({"title", "issue_title"})
EDITABLE = frozenset({"type", "title", "issue_number", "issue_title", "data"})


class Session(Base):
    """FR-014, and what the other rooms' sessions need."""

    __tablename__ = "sessions"
    __table_args__ = (
        Index("ix_sessions_user_kind_status", "user_id", "kind", "status"),
        Index("ix_sessions_project_started", "project_dir", "started_at"),
    )

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    kind: Mapped[str]
    #: What sort of session within its kind: master, worker, manual, a command's name.
    type: Mapped[str | None]
    status: Mapped[str] = mapped_column(default=SessionStatus.ACTIVE)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id"), default=LOCAL_USER)
    project_dir: Mapped[str]
    title: Mapped[str | None]
    issue_number: Mapped[int | None]
    issue_title: Mapped[str | None]
    #: The room's own facts about it.
    data: Mapped[dict[str, Any]] = mapped_column(default=dict)
    started_at: Mapped[datetime] = mapped_column(default=clock.now)
    #: Last sign of life: an action, a message, a heartbeat.
    seen_at: Mapped[datetime] = mapped_column(default=clock.now)
    ended_at: Mapped[datetime | None]


class Sessions:
    def __init__(self, database: Database, bus: EventBus) -> None:
        self._database = database
        self._bus = bus

    async def create(
        self,
        kind: SessionKind,
        project_dir: str,
        *,
        user_id: str = LOCAL_USER,
        type: str | None = None,
        title: str | None = None,
        issue_number: int | None = None,
        issue_title: str | None = None,
        data: dict[str, Any] | None = None,
    ) -> Session:
        row = Session(
            kind=kind,
            project_dir=project_dir,
            user_id=user_id,
            type=type,
            title=scrub_all(title),
            issue_number=issue_number,
            issue_title=scrub_all(issue_title),
            data=data or {},
        )
        try:
            async with self._database.write() as session:
                session.add(row)
        except IntegrityError as error:
            raise NotFound(f"There is no user {user_id!r} to have a session.") from error
        self._publish("session.started", row)
        return row

    async def get(self, session_id: str, *, user_id: str | None) -> Session:
        return await self._database.ask(find, session_id, user_id)

    async def list(
        self,
        *,
        user_id: str | None,
        kind: SessionKind | None = None,
        status: SessionStatus | None = None,
        project_dir: str | None = None,
        limit: int = 50,
    ) -> Sequence[Session]:
        """Newest first."""
        wanted = {"user_id": user_id, "kind": kind, "status": status, "project_dir": project_dir}
        query = select(Session).filter_by(
            **{name: value for name, value in wanted.items() if value is not None}
        )
        newest = query.order_by(Session.started_at.desc(), Session.id.desc()).limit(limit)
        async with self._database.read() as session:
            return (await session.scalars(newest)).all()

    async def active(
        self, kind: SessionKind, project_dir: str, *, user_id: str | None
    ) -> Session | None:
        """The newest active session of a kind in a project."""
        found = await self.list(
            user_id=user_id,
            kind=kind,
            status=SessionStatus.ACTIVE,
            project_dir=project_dir,
            limit=1,
        )
        return found[0] if found else None

    async def touch(self, session_id: str, *, user_id: str | None) -> Session:
        """A sign of life; an idle or inactive session is active again."""
        async with self._database.write(durable=False) as session:
            row = await lock(session, session_id, user_id)
            woken = row.status in LIVE and row.status != SessionStatus.ACTIVE
            if woken:
                row.status = SessionStatus.ACTIVE
        if woken:
            self._publish("session.changed", row)
        return row

    async def update(self, session_id: str, *, user_id: str | None, **changes: Any) -> Session:
        """Change some of `EDITABLE`."""
        if unknown := changes.keys() - EDITABLE:
            raise InvalidInput(
                f"A session's {', '.join(sorted(unknown))} cannot be updated.",
                valid_options=sorted(EDITABLE),
            )
        async with self._database.write() as session:
            row = await lock(session, session_id, user_id)
            for name, value in changes.items():
                setattr(row, name, scrub_all(value) if name in TITLES else value)
        self._publish("session.changed", row)
        return row

    async def note(self, session_id: str, *, user_id: str | None, **facts: Any) -> Session:
        """Change some of the room's own facts about it (`data`) and leave the others."""
        async with self._database.write() as session:
            row = await lock(session, session_id, user_id)
            row.data = {**row.data, **facts}
        self._publish("session.changed", row)
        return row

    async def entitle(self, session_id: str, title: str) -> bool:
        """Name a session that has no name yet; whether it had none."""
        unnamed = update(Session).where(Session.id == session_id, Session.title.is_(None))
        async with self._database.write() as session:
            named = unnamed.values(title=scrub_all(title)).returning(Session)
            row = (await session.scalars(named)).one_or_none()
        if row is not None:
            self._publish("session.changed", row)
        return row is not None

    async def delete(self, session_id: str, *, user_id: str | None) -> None:
        """With all that was said in it; what it cost stays in the ledger."""
        async with self._database.write() as session:
            row = await lock(session, session_id, user_id)
            await session.delete(row)
        self._publish("session.deleted", row)

    async def set_status(
        self, session_id: str, status: SessionStatus, *, user_id: str | None
    ) -> Session:
        """Move to another status; `Conflict` for a session that is over."""
        async with self._database.write() as session:
            row = await lock(session, session_id, user_id)
            if row.status == status:
                return row
            if row.status not in LIVE:
                raise Conflict(
                    f"Session {session_id!r} is {row.status} and stays so; it cannot become "
                    f"{status}. Start a new one.",
                    status=row.status,
                )
            row.status = status
            row.ended_at = None if status in LIVE else clock.now()
        self._publish("session.changed" if status in LIVE else "session.ended", row)
        return row

    async def end(
        self,
        session_id: str,
        status: SessionStatus = SessionStatus.ENDED,
        *,
        user_id: str | None,
    ) -> Session:
        if status in LIVE:
            raise InvalidInput(
                f"A session cannot end as {status}.",
                valid_options=sorted(set(SessionStatus) - LIVE),
            )
        return await self.set_status(session_id, status, user_id=user_id)

    def _publish(self, topic: str, row: Session) -> None:
        payload = {"kind": row.kind, "type": row.type, "status": row.status, "title": row.title}
        self._bus.publish(
            Event(
                topic,
                payload,
                project=row.project_dir,
                user_id=row.user_id,
                session_id=row.id,
            )
        )


async def find(session: AsyncSession, session_id: str, user_id: str | None) -> Session:
    row = await session.get(Session, session_id)
    # The same error for another user's session as for none: nobody learns that it exists.
    if row is None or user_id not in (None, row.user_id):
        raise NotFound(f"There is no session {session_id!r}.")
    return row


async def lock(session: AsyncSession, session_id: str, user_id: str | None) -> Session:
    """The session's row, seen now and held until the transaction ends."""
    mine = update(Session).where(Session.id == session_id).values(seen_at=clock.now())
    if user_id is not None:
        mine = mine.where(Session.user_id == user_id)
    row = (await session.scalars(mine.returning(Session))).one_or_none()
    if row is None:
        raise NotFound(f"There is no session {session_id!r}.")
    return row
