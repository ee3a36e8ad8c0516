"""Memory files: markdown that is kept in the database, read and written as if it were on disk.

Each person has their own and sees no other's. Every read and every write is an event with who did
it, in which session and trace, and a span.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from sqlalchemy.ext.asyncio import AsyncSession

from bottega.assistant.loop.turn import Turn, trace_id_of
from bottega.assistant.memory_files import repository
from bottega.assistant.memory_files.notes import WriteResult, advice_on, combine, importance_of
from bottega.assistant.memory_files.paths import (
    MemoryAccess,
    MemoryPath,
    WriteMode,
    entrypoint_of,
    parse_path,
)
from bottega.assistant.memory_files.repository import MemoryEvent, MemoryFile
from bottega.core import clock
from bottega.core.clock import new_id
from bottega.core.db.database import Database, storable
from bottega.core.traces import SpanKind, Traces
from bottega.errors import Conflict, NotFound

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import Span


MOST_FILES = 1_000
#: Of a missing file's siblings, how many are named.
MOST_NAMED = 40
READ, WRITE, DELETE = "read", "write", "delete"


def access_of(turn: Turn, actor: str, *, key: str | None = None) -> MemoryAccess:
    trace_id = trace_id_of(turn.run_id)
    return MemoryAccess(
        turn.user_id, actor, turn.session_id, trace_id, key and f"{turn.run_id}:{key}"
    )


class MemoryFiles:
    def __init__(self, database: Database, traces: Traces) -> None:
        self._database = database
        self._traces = traces

    async def read(self, path: str, access: MemoryAccess) -> str:
        found = await self._read(parse_path(path), access)
        if found is None:
            raise await self._missing(path, access.user_id)
        return found

    async def entrypoint(self, class_id: str | None, access: MemoryAccess) -> str:
        """The `MEMORY.md` of a class, or the person's own; empty if there is none."""
        return await self._read(entrypoint_of(class_id), access) or ""

    async def list(self, user_id: str) -> Sequence[MemoryFile]:
        """All of them, as a sidebar shows them; no event, since nothing of them is read."""
        return await self._database.ask(repository.files_of, user_id)

    async def write(
        self,
        path: str,
        text: str,
        access: MemoryAccess,
        mode: WriteMode = WriteMode.APPEND,
    ) -> WriteResult:
        place, text = parse_path(path), storable(text)
        with self._span(WRITE, place, access) as span:
            async with self._database.write() as session:
                written = await _write(session, place, text, access, mode)
            span.set_attribute("bottega.memory.path", written.path)
            span.set_attribute("bottega.memory.final", text)
        return written

    async def novel(self, path: str, text: str, access: MemoryAccess) -> str:
        """What of a text does not stand in the file yet."""
        row = await self._database.ask(_find, parse_path(path), access)
        known = set(row.content.splitlines()) if row is not None else set()
        return "\n".join(line for line in text.splitlines() if line not in known)

    async def delete(self, path: str, access: MemoryAccess) -> None:
        """For a person to do; that it was there stays in the events."""
        place = parse_path(path)
        with self._span(DELETE, place, access):
            async with self._database.write() as session:
                row = await _find(session, place, access)
                if row is not None:
                    await session.delete(row)
                    session.add(_event(DELETE, row, access))
        if row is None:
            raise await self._missing(path, access.user_id)

    async def events(
        self, user_id: str, *, session_id: str | None = None, limit: int = 200
    ) -> Sequence[MemoryEvent]:
        """The newest ones, in the order in which they happened."""
        async with self._database.read() as session:
            return await repository.events_of(session, user_id, session_id=session_id, limit=limit)

    async def _read(self, place: MemoryPath, access: MemoryAccess) -> str | None:
        async with self._database.read() as session:
            row = await _find(session, place, access)
            is_told = row is not None and await _is_told(session, READ, row, access)
        if row is None:
            return None
        if not is_told:
            with self._span(READ, place, access):
                async with self._database.write(durable=False) as session:
                    session.add(_event(READ, row, access))
                    await repository.count_uses(session, {row.id: 1}, clock.now())
        return row.content

    async def _missing(self, path: str, user_id: str) -> NotFound:
        names = [str(place_of(row)) for row in await self.list(user_id)]
        there_are = f"There are: {', '.join(names[:MOST_NAMED])}" if names else "There is none yet"
        return NotFound(
            f"There is no memory file {str(parse_path(path))!r}. {there_are}.", valid_options=names
        )

    def _span(
        self, event: str, place: MemoryPath, access: MemoryAccess
    ) -> "AbstractContextManager[Span]":
        return self._traces.span(
            f"memory {event}",
            SpanKind.MEMORY,
            session_id=access.session_id,
            user_id=access.user_id,
            attributes={
                "bottega.memory.event": event,
                "bottega.memory.path": str(place),
                "bottega.memory.scope": f"class:{place.class_id}" if place.class_id else "teacher",
                "bottega.memory.actor": access.actor,
            },
        )


def place_of(row: MemoryFile) -> MemoryPath:
    return MemoryPath(row.class_id, row.path)


async def _find(
    session: AsyncSession, place: MemoryPath, access: MemoryAccess
) -> MemoryFile | None:
    place = await repository.settle(session, access.user_id, place)
    return await repository.find(session, access.user_id, place)


async def _write(
    session: AsyncSession, place: MemoryPath, text: str, access: MemoryAccess, mode: WriteMode
) -> WriteResult:
    await repository.take_turns(session, access.user_id)
    place = await repository.settle(session, access.user_id, place)
    row = await repository.find(session, access.user_id, place)
    before = row.content if row is not None else None
    after = combine(place, before, text, mode)
    if row is None:
        row = await _create(session, place, access)
    if after != before:
        row.content, row.importance, row.updated_at = after, importance_of(after), clock.now()
    # Before its event, which names it.
    await session.flush()
    # Also what changed nothing is told: it was noted once more.
    session.add(_event(WRITE, row, access, final=text))
    lines = len(after.splitlines())
    return WriteResult(str(place), lines, before is None, after != before, advice_on(place, lines))


async def _create(session: AsyncSession, place: MemoryPath, access: MemoryAccess) -> MemoryFile:
    if await repository.count_files(session, access.user_id) >= MOST_FILES:
        raise Conflict(
            f"There are {MOST_FILES} memory files already. Write to one of them, or have some "
            "deleted."
        )
    row = MemoryFile(
        id=new_id(),
        user_id=access.user_id,
        scope=place.scope,
        class_id=place.class_id,
        path=place.name,
    )
    session.add(row)
    return row


async def _is_told(session: AsyncSession, type: str, row: MemoryFile, access: MemoryAccess) -> bool:
    if access.key is None:
        return False
    return await session.get(MemoryEvent, _event_id(type, row, access)) is not None


def _event_id(type: str, row: MemoryFile, access: MemoryAccess) -> str:
    return f"{access.key}:{type}:{row.id}" if access.key else new_id()


def _event(
    type: str, row: MemoryFile, access: MemoryAccess, *, final: str | None = None
) -> MemoryEvent:
    return MemoryEvent(
        id=_event_id(type, row, access),
        trace_id=access.trace_id,
        session_id=access.session_id,
        user_id=access.user_id,
        memory_file_id=None if type == DELETE else row.id,
        event_type=type,
        final_text=final,
        scope=row.scope,
        class_id=row.class_id or None,
        path=row.path,
        actor=access.actor,
    )
