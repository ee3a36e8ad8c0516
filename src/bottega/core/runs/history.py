"""The append-only event list of runs: the one place where a run changes."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

import structlog
from sqlalchemy import func, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core import clock
from bottega.core.db.database import Database
from bottega.core.db.write_behind import TRANSIENT
from bottega.core.events import Event, EventBus
from bottega.core.runs.run import (
    Happening,
    Run,
    RunEvent,
    RunEventRow,
    RunRow,
    RunStatus,
    advance,
    begin,
)
from bottega.core.text.words import excerpt_json
from bottega.core.trust.admission import scrub_all
from bottega.errors import Conflict, NotFound

T = TypeVar("T")

#: Of a run's event, what the bus tells: characters of a text, items of a list.
LONGEST_TOLD, MOST_TOLD = 160, 5
#: Seconds between attempts; the last one repeats.
PAUSES = (0.05, 0.2, 1.0, 5.0)

log = structlog.get_logger()


async def retry_until_available(ask: Callable[[], Awaitable[T]]) -> T:
    """The answer of a database, asked until it gives one: a run outlasts most outages.

    Errors that are not outages are raised.
    """
    for attempt in itertools.count():
        try:
            return await ask()
        except TRANSIENT as error:
            pause = PAUSES[min(attempt, len(PAUSES) - 1)]
            log.warning("run.waits_for_database", error=str(error), pause=pause)
            await asyncio.sleep(pause)
    raise AssertionError("counting does not end")


@dataclass(frozen=True, slots=True)
class Draft:
    """An event before it has its place in the list."""

    key: str
    type: str
    payload: dict[str, Any] = field(default_factory=dict)

    def scrubbed(self) -> "Draft":
        return replace(self, payload=scrub_all(self.payload))


class RunHistory:
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
            "input": scrub_all(input),
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
            draft = decide(run).scrubbed()
            if run.status.is_final or await _known_keys(session, run_id, [draft.key]):
                return run
            event = RunEvent(run_id, run.position + 1, draft.type, draft.payload, clock.now())
            run = advance(run, event)
            row.show(run)
            session.add(_row(event, draft.key))
        self._publish(run, event)
        return run

    async def record(self, run_id: str, draft: Draft) -> None:
        """Append what moves the run, however long the database is away."""
        await retry_until_available(lambda: self.append(run_id, lambda _: draft))

    async def tell(self, run_id: str, drafts: Sequence[Draft]) -> None:
        """Append events that do not change the run's status, in one transaction.

        The disk is not waited for where only a power cut could take them: the run, which it ends
        too, emits them again.
        """
        await retry_until_available(lambda: self._tell(run_id, drafts))

    async def _tell(self, run_id: str, drafts: Sequence[Draft]) -> None:
        async with self._database.write(durable=self._database.crashes_alone) as session:
            # By columns: a row with all of a run's input would be read for every word it says.
            held = select(*_HEAD).where(RunRow.id == run_id).with_for_update()
            row = (await session.execute(held)).one_or_none()
            if row is None:
                raise _no_run(run_id)
            head = _Head(*row)
            known = await _known_keys(session, run_id, [draft.key for draft in drafts])
            fresh = {draft.key: draft.scrubbed() for draft in drafts if draft.key not in known}
            if not fresh or RunStatus(head.status).is_final:
                return
            events = {
                key: RunEvent(run_id, position, draft.type, draft.payload, clock.now())
                for position, (key, draft) in enumerate(fresh.items(), head.position + 1)
            }
            rows = [_columns(event, key) for key, event in events.items()]
            await session.execute(insert(RunEventRow), rows)
            moved = update(RunRow).where(RunRow.id == run_id)
            position = head.position + len(events)
            now = rows[-1]["created_at"]
            await session.execute(moved.values(position=position, updated_at=now, recoveries=0))
        for event in events.values():
            self._publish(head, event)

    async def clear_recoveries(self, run_ids: Sequence[str]) -> None:
        """They have moved, though no event tells of it."""
        if not run_ids:
            return
        cleared = update(RunRow).where(RunRow.id.in_(run_ids), RunRow.recoveries > 0)
        async with self._database.write(durable=False) as session:
            await session.execute(cleared.values(recoveries=0))

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

    async def keys(self, run_id: str) -> frozenset[str]:
        query = select(RunEventRow.key).where(RunEventRow.run_id == run_id)
        async with self._database.read() as session:
            return frozenset(await session.scalars(query))

    async def unfinished(self) -> int:
        final = [status for status in RunStatus if status.is_final]
        query = select(func.count()).select_from(RunRow).where(RunRow.status.not_in(final))
        async with self._database.read() as session:
            return await session.scalar(query) or 0

    async def unfinished_of(self, user_id: str) -> frozenset[str]:
        """The runs of a user that are queued, running or paused: a reply sets those going again."""
        alive = RunRow.status.in_([status for status in RunStatus if not status.is_final])
        query = select(RunRow.id).where(RunRow.user_id == user_id, alive)
        async with self._database.read() as session:
            return frozenset(await session.scalars(query))

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

    def _publish(self, run: "Run | _Head", event: RunEvent) -> None:
        self._bus.publish(
            Event(
                f"run.{event.type}",
                {
                    "run_id": run.id,
                    "kind": run.kind,
                    "status": run.status,
                    "position": event.position,
                    # The whole is in the run's own list; this copy is logged as well.
                    "payload": excerpt_json(event.payload, LONGEST_TOLD, MOST_TOLD),
                },
                user_id=run.user_id,
                session_id=run.session_id,
            )
        )


class _Head(NamedTuple):
    """What of a run its events are published with."""

    id: str
    kind: str
    status: str
    user_id: str
    session_id: str | None
    position: int


_HEAD = tuple(getattr(RunRow, name) for name in _Head._fields)


async def _known_keys(session: AsyncSession, run_id: str, keys: Sequence[str]) -> set[str]:
    """Those of the keys that the list has."""
    query = select(RunEventRow.key).where(RunEventRow.run_id == run_id, RunEventRow.key.in_(keys))
    return set(await session.scalars(query))


def _row(event: RunEvent, key: str) -> RunEventRow:
    return RunEventRow(**_columns(event, key))


def _columns(event: RunEvent, key: str) -> dict[str, Any]:
    return {
        "run_id": event.run_id,
        "position": event.position,
        "key": key,
        "type": event.type,
        "payload": event.payload,
        "created_at": event.created_at,
    }


def _no_run(run_id: str) -> NotFound:
    return NotFound(f"There is no run {run_id!r}.")
