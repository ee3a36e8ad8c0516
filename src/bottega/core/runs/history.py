"""The append-only event list of runs: the one place where a run changes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core import clock
from bottega.core.database import Database
from bottega.core.events import Event, EventBus
from bottega.core.runs.patience import patiently
from bottega.core.runs.run import Happening, Run, RunEvent, RunStatus, advance, begin
from bottega.core.runs.tables import RunEventRow, RunRow
from bottega.errors import Conflict, NotFound


@dataclass(frozen=True, slots=True)
class Draft:
    """An event before it has its place in the list."""

    key: str
    type: str
    payload: dict[str, Any] = field(default_factory=dict)


class History:
    def __init__(self, database: Database, bus: EventBus) -> None:
        self._database = database
        self._bus = bus

    async def create(
        self,
        run_id: str,
        kind: str,
        input: dict[str, Any],
        *,
        user_id: str,
        session_id: str | None,
        queue: str | None,
    ) -> Run:
        """The run of this id; one that exists already is returned if it was asked for the same."""
        payload = {
            "kind": kind,
            "input": input,
            "user_id": user_id,
            "session_id": session_id,
            "queue": queue,
        }
        event = RunEvent(run_id, 1, Happening.QUEUED, payload, clock.now())
        run = begin(event)
        try:
            async with self._database.write() as session:
                row = RunRow()
                row.show(run)
                session.add(row)
                await session.flush()
                session.add(_row(event, Happening.QUEUED))
        except IntegrityError:
            return await self._existing(run)
        self._publish(run, event)
        return run

    async def append(self, run_id: str, decide: Callable[[Run], Draft]) -> Run:
        """Add the event that `decide` drafts from the run as it is; the run after it.

        Nothing is added when the list has that key already, or when the run has ended.
        """
        async with self._database.write() as session:
            row = await session.get(RunRow, run_id, with_for_update=True)
            if row is None:
                raise _no_run(run_id)
            run = row.to_run()
            draft = decide(run)
            if run.status.is_final or await _has_key(session, run_id, draft.key):
                return run
            event = RunEvent(run_id, run.position + 1, draft.type, draft.payload, clock.now())
            run = advance(run, event)
            row.show(run)
            session.add(_row(event, draft.key))
        self._publish(run, event)
        return run

    async def record(self, run_id: str, draft: Draft) -> None:
        """Append what the run itself has to say, however long the database is away."""
        await patiently(lambda: self.append(run_id, lambda _: draft))

    async def get(self, run_id: str, *, user_id: str | None = None) -> Run:
        async with self._database.read() as session:
            row = await session.get(RunRow, run_id)
        if row is None or user_id not in (None, row.user_id):
            raise _no_run(run_id)
        return row.to_run()

    async def list(
        self,
        *,
        kind: str | None = None,
        status: RunStatus | None = None,
        user_id: str | None = None,
        session_id: str | None = None,
        limit: int = 50,
    ) -> Sequence[Run]:
        """Newest first."""
        filters = (
            (RunRow.kind, kind),
            (RunRow.status, status),
            (RunRow.user_id, user_id),
            (RunRow.session_id, session_id),
        )
        query = (
            select(RunRow)
            .where(*(column == value for column, value in filters if value is not None))
            .order_by(RunRow.created_at.desc(), RunRow.id.desc())
            .limit(limit)
        )
        async with self._database.read() as session:
            return [row.to_run() for row in await session.scalars(query)]

    async def events(self, run_id: str, *, after: int = 0, limit: int = 1000) -> Sequence[RunEvent]:
        query = (
            select(RunEventRow)
            .where(RunEventRow.run_id == run_id, RunEventRow.position > after)
            .order_by(RunEventRow.position)
            .limit(limit)
        )
        async with self._database.read() as session:
            return [row.to_event() for row in await session.scalars(query)]

    async def event(self, run_id: str, key: str) -> RunEvent | None:
        query = select(RunEventRow).where(RunEventRow.run_id == run_id, RunEventRow.key == key)
        async with self._database.read() as session:
            row = await session.scalar(query)
        return row.to_event() if row else None

    async def unfinished(self) -> int:
        final = [status for status in RunStatus if status.is_final]
        query = select(func.count()).select_from(RunRow).where(RunRow.status.not_in(final))
        async with self._database.read() as session:
            return await session.scalar(query) or 0

    async def _existing(self, wanted: Run) -> Run:
        async with self._database.read() as session:
            row = await session.get(RunRow, wanted.id)
        if row is None:
            raise NotFound(
                f"A run cannot belong to user {wanted.user_id!r} and session "
                f"{wanted.session_id!r}: one of them does not exist."
            )
        run = row.to_run()
        if (run.kind, run.input, run.user_id) != (wanted.kind, wanted.input, wanted.user_id):
            raise Conflict(f"The run {wanted.id!r} exists already and is another one.")
        return run

    def _publish(self, run: Run, event: RunEvent) -> None:
        self._bus.publish(
            Event(
                f"run.{event.type}",
                {
                    "run_id": run.id,
                    "kind": run.kind,
                    "status": run.status,
                    "position": event.position,
                    "payload": event.payload,
                },
                user_id=run.user_id,
                session_id=run.session_id,
            )
        )


async def _has_key(session: AsyncSession, run_id: str, key: str) -> bool:
    query = select(RunEventRow.position).where(RunEventRow.run_id == run_id, RunEventRow.key == key)
    return await session.scalar(query) is not None


def _row(event: RunEvent, key: str) -> RunEventRow:
    return RunEventRow(
        run_id=event.run_id,
        position=event.position,
        key=key,
        type=event.type,
        payload=event.payload,
        created_at=event.created_at,
    )


def _no_run(run_id: str) -> NotFound:
    return NotFound(f"There is no run {run_id!r}.")
