"""Semantic memories: what was learned in one sitting, found by meaning in the next.

The `memories` table is the truth, whatever keeps the vectors, so nothing that was told is lost: a
memory added while the vector store is away is kept, is counted as not added because it cannot be
found yet, and becomes findable with the first call that reaches the store again.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

import structlog

from bottega.core import clock
from bottega.core.database import Database
from bottega.core.embeddings import Embedder
from bottega.core.events import Event, EventBus
from bottega.core.sessions import SessionKind
from bottega.core.users import LOCAL_USER
from bottega.core.vectors.store import VectorStore, Where
from bottega.errors import Conflict, InvalidInput, NotFound, Unavailable
from bottega.memory import repository
from bottega.memory.repository import MemoryFilter
from bottega.memory.schemas import (
    Added,
    MemoryChange,
    MemoryInput,
    MemoryMetadata,
    MemoryOverview,
    MemoryPage,
    MemoryResult,
    MemoryView,
    NewMemory,
    ProjectCount,
    SessionCount,
)
from bottega.memory.tables import Memory
from bottega.memory.vectors import MemoryVectors, metadata_of

#: How long a forgotten memory can be restored.
KEEP_FORGOTTEN = timedelta(days=30)
MOST_ASKED = 1_000
SESSIONS_SHOWN = 100

log = structlog.get_logger()


class SemanticMemories:
    def __init__(
        self,
        database: Database,
        vectors: VectorStore,
        embedder: Embedder,
        bus: EventBus,
        now: Callable[[], datetime] = clock.now,
    ) -> None:
        self._database = database
        self._vectors = MemoryVectors(database, vectors, embedder)
        self._bus = bus
        self._now = now

    async def start(self) -> None:
        """FR-097: make the collection ready, catch up, and drop what was forgotten long ago."""
        if await self._settle("start"):
            async with self._database.write() as session:
                await repository.purge(session, forgotten_before=self._now() - KEEP_FORGOTTEN)

    async def add_memories(
        self,
        memories: Sequence[MemoryInput],
        session_id: str,
        project: str,
        user_id: str = LOCAL_USER,
    ) -> Added:
        """FR-099, FR-103: how many were added, which is none while the store is away."""
        if not memories:
            return Added(added=0)
        await self._insert(memories, user_id, project=project, session_id=session_id)
        return Added(added=len(memories) if await self._settle("add") else 0)

    async def query_memories(
        self,
        query_text: str,
        n_results: int = 10,
        project: str | None = None,
        user_id: str = LOCAL_USER,
    ) -> list[MemoryResult]:
        """FR-101, FR-104: the nearest in meaning, nearest first; none while the store is away."""
        where: Where = {"user_id": user_id}
        if project is not None:
            where = {"$and": [where, {"project": project}]}
        try:
            found = await self.nearest(query_text, n_results, where, user_id)
        except Unavailable as error:
            log.warning("memory.unavailable", operation="query", error=error.message)
            return []
        return [_result(row, distance) for row, distance in found]

    async def is_memory_available(self) -> bool:
        """FR-105: whether the store answers and has the collection, asked now."""
        return await self._vectors.is_available()

    async def nearest(
        self, text: str, limit: int, where: Where, user_id: str
    ) -> list[tuple[Memory, float]]:
        """The user's nearest memories with their distances; `Unavailable` if it cannot look."""
        await self._vectors.settle()
        asked = limit
        while True:
            hits = await self._vectors.query(text, limit=asked, where=where)
            async with self._database.read() as session:
                rows = await repository.live(session, [hit.id for hit in hits], user_id)
            if len(rows) >= limit or len(hits) < asked or asked >= MOST_ASKED:
                found = [(rows[hit.id], hit.distance) for hit in hits if hit.id in rows]
                return found[:limit]
            # A Chroma server may hold another database's memories too: look past them.
            asked *= 4

    async def add(self, new: NewMemory, user_id: str = LOCAL_USER) -> MemoryView:
        """Keep one memory. It is kept for sure; `searchable` says if it can be found yet."""
        [row] = await self._insert([new], user_id, project=new.project, session_id=new.session_id)
        await self._settle("add")
        return await self.get(row.id, user_id)

    async def get(self, id: str, user_id: str = LOCAL_USER) -> MemoryView:
        async with self._database.read() as session:
            row = await repository.find(session, id, user_id)
        if row is None:
            raise _unknown(id)
        return MemoryView.model_validate(row)

    async def list(
        self,
        wanted: MemoryFilter,
        *,
        after: str | None = None,
        limit: int = 50,
        user_id: str = LOCAL_USER,
    ) -> MemoryPage:
        """Newest first. `after` is the `next` of the page before."""
        async with self._database.read() as session:
            last = await repository.find(session, after, user_id) if after else None
            if after and last is None:
                raise InvalidInput(f"after={after!r} is no memory. Use `next` of the last page.")
            rows = await repository.page(session, user_id, wanted, after=last, limit=limit + 1)
        more = rows[limit - 1].id if len(rows) > limit else None
        return MemoryPage(items=[MemoryView.model_validate(r) for r in rows[:limit]], next=more)

    async def overview(self, user_id: str = LOCAL_USER) -> MemoryOverview:
        async with self._database.read() as session:
            projects = await repository.count_by_project(session, user_id)
            sessions = await repository.count_by_session(session, user_id, SESSIONS_SHOWN)
            return MemoryOverview(
                total=await repository.count(session, user_id, forgotten=False),
                forgotten=await repository.count(session, user_id, forgotten=True),
                projects=[ProjectCount(project=name, count=count) for name, count in projects],
                sessions=[
                    SessionCount(
                        session_id=session_id,
                        room=SessionKind(row.kind) if row else None,
                        title=(row.title or row.issue_title) if row else None,
                        count=count,
                    )
                    for session_id, row, count in sessions
                ],
            )

    async def edit(self, id: str, change: MemoryChange, user_id: str = LOCAL_USER) -> MemoryView:
        changes = change.changes()

        def apply(row: Memory) -> None:
            if row.forgotten_at is not None:
                raise Conflict(f"Memory {id!r} is forgotten. Restore it first.")
            for name, value in changes.items():
                setattr(row, name, value)
            if changes.keys() & {"project", "scope"}:
                row.scope = repository.reach_of(row.project, change.scope)
            row.updated_at = self._now()

        return await self._change(id, user_id, "memory.changed", apply)

    async def forget(
        self, id: str, user_id: str = LOCAL_USER, *, forever: bool = False
    ) -> MemoryView:
        """Gone from every search at once; `restore` brings it back, unless it was for ever."""

        def apply(row: Memory) -> None:
            row.forgotten_at = row.forgotten_at or self._now()

        forgotten = await self._change(id, user_id, "memory.forgotten", apply)
        if forever:
            await self._purge(id)
        return forgotten

    async def restore(self, id: str, user_id: str = LOCAL_USER) -> MemoryView:
        def apply(row: Memory) -> None:
            if row.forgotten_at is None:
                raise Conflict(f"Memory {id!r} is not forgotten: there is nothing to restore.")
            row.forgotten_at = None

        return await self._change(id, user_id, "memory.changed", apply)

    async def _insert(
        self,
        memories: Sequence[MemoryInput],
        user_id: str,
        *,
        project: str | None,
        session_id: str | None,
    ) -> Sequence[Memory]:
        async with self._database.write() as session:
            rows = await repository.insert(
                session,
                memories,
                user_id=user_id,
                project=project,
                session_id=session_id,
                now=self._now(),
            )
        self._publish("memory.added", rows)
        return rows

    async def _change(
        self, id: str, user_id: str, topic: str, apply: Callable[[Memory], None]
    ) -> MemoryView:
        async with self._database.write() as session:
            row = await repository.find(session, id, user_id, for_update=True)
            if row is None:
                raise _unknown(id)
            apply(row)
            row.version += 1
        self._publish(topic, [row])
        await self._settle(topic)
        return await self.get(id, user_id)

    async def _purge(self, id: str) -> None:
        async with self._database.write() as session:
            purged = await repository.purge(session, id=id)
        if not purged:
            raise Unavailable(
                f"Memory {id!r} is forgotten, but the vector store does not answer, so its copy "
                "there is not deleted yet. Ask again when the store is back."
            )

    async def _settle(self, operation: str) -> bool:
        """Bring the vectors up to the rows. A store that is away costs a warning, no more."""
        try:
            await self._vectors.settle()
        except Unavailable as error:
            log.warning("memory.unavailable", operation=operation, error=error.message)
            return False
        return True

    def _publish(self, topic: str, rows: Sequence[Memory]) -> None:
        # Ids only: the event log is kept, and what is forgotten must not live on in it.
        first = rows[0]
        self._bus.publish(
            Event(
                topic,
                {"ids": [row.id for row in rows]},
                project=first.project,
                user_id=first.user_id,
                session_id=first.session_id,
            )
        )


def _unknown(id: str) -> NotFound:
    return NotFound(f"There is no memory {id!r}. `bottega memory list` shows yours.")


def _result(row: Memory, distance: float) -> MemoryResult:
    metadata = MemoryMetadata.model_validate(metadata_of(row))
    return MemoryResult(id=row.id, content=row.content, metadata=metadata, distance=distance)
