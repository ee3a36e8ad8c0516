"""Semantic memories: what was learned in one sitting, found by meaning in the next.

The `memories` table is the truth, whatever keeps the vectors, so nothing that was told is lost: a
memory added while the vector store is away is kept, is counted as not added because it cannot be
found yet, and becomes findable with the first call that reaches the store again.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

import structlog

from bottega.core import clock
from bottega.core.db.database import Database
from bottega.core.events import Event, EventBus
from bottega.core.search.filters import Where
from bottega.core.sessions.session import SessionKind
from bottega.core.trust.admission import admit
from bottega.core.users import LOCAL_USER
from bottega.errors import Conflict, InvalidInput, NotFound, Unavailable
from bottega.memory import projects, repository
from bottega.memory.admission import (
    SAME_TEXT,
    Admission,
    add_evidence,
    fingerprint,
    is_trivial,
    refuse_trivia,
)
from bottega.memory.index import MemoryIndex, metadata_of
from bottega.memory.recall import IMPORTANCE
from bottega.memory.repository import reach_of
from bottega.memory.schemas import (
    Added,
    MemoryChange,
    MemoryFilter,
    MemoryInput,
    MemoryMetadata,
    MemoryOverview,
    MemoryPage,
    MemoryResult,
    MemoryView,
    NearMemory,
    NewMemory,
    ProjectCount,
    RememberedView,
    SessionCount,
)
from bottega.memory.tables import Memory, MemoryItem

#: How long a forgotten memory can be restored.
KEEP_FORGOTTEN = timedelta(days=30)
MOST_ASKED = 1_000
SESSIONS_SHOWN = 100

log = structlog.get_logger()


class SemanticMemories:
    def __init__(
        self,
        database: Database,
        index: MemoryIndex,
        bus: EventBus,
        now: Callable[[], datetime] = clock.now,
    ) -> None:
        self._database = database
        self._index = index
        self._bus = bus
        self._now = now

    async def start(self) -> None:
        """FR-097: make the collection ready, catch up, and drop what was forgotten long ago."""
        self._index.reopen()
        if await self._index.try_settle("start"):
            async with self._database.write() as session:
                await repository.purge(session, forgotten_before=self._now() - KEEP_FORGOTTEN)

    async def add_memories(
        self,
        memories: Sequence[MemoryInput],
        session_id: str,
        project: str,
        user_id: str = LOCAL_USER,
    ) -> Added:
        """FR-099, FR-103: how many were added, which is none while the store is away.

        What is not worth keeping is left out, what is known already is merged with what is there.
        """
        worth = [each for each in memories if not is_trivial(each.content)]
        if not worth:
            return Added(added=0)
        await self._insert(worth, user_id, project=project, session_id=session_id)
        return Added(added=len(worth) if await self._index.try_settle("add") else 0)

    async def query_memories(
        self,
        query_text: str,
        n_results: int = 10,
        project: str | None = None,
        user_id: str = LOCAL_USER,
    ) -> list[MemoryResult]:
        """FR-101, FR-104: the nearest in meaning, nearest first; none while the store is away."""
        where: Where = {"user_id": user_id}
        if home := await projects.identify(project):
            where = {"$and": [where, projects.is_of(home)]}
        try:
            found = await self.nearest(query_text, n_results, where, user_id)
        except Unavailable as error:
            log.warning("memory.unavailable", operation="query", error=error.message)
            return []
        return [_result(row, distance) for row, distance in found]

    async def is_memory_available(self) -> bool:
        """FR-105: whether the store answers and has the collection, asked now."""
        return await self._index.is_available()

    async def nearest(
        self, text: str, limit: int, where: Where, user_id: str
    ) -> list[tuple[MemoryItem, float]]:
        """The user's nearest memories with their distances; `Unavailable` if it cannot look."""
        await self._index.settle()
        asked = limit
        while True:
            hits = await self._index.query(text, limit=asked, where=where)
            async with self._database.read() as session:
                rows = await repository.visible(session, [hit.id for hit in hits], user_id)
            if len(rows) >= limit or len(hits) < asked or asked >= MOST_ASKED:
                found = [(rows[hit.id], hit.distance) for hit in hits if hit.id in rows]
                return found[:limit]
            # A Chroma server may hold another database's memories too: look past them.
            asked *= 4

    async def find(
        self, text: str, limit: int, where: Where, user_id: str
    ) -> list[tuple[MemoryItem, float]]:
        """The best that the user may see, by words and meaning, with their relevance from 0 to 1.

        `Unavailable` if it cannot look by meaning: without, most would be missed unnoticed.
        """
        await self._index.settle()
        hits = await self._index.find(text, limit=limit, where=where)
        async with self._database.read() as session:
            rows = await repository.visible(session, [hit.id for hit in hits], user_id)
        return [(rows[hit.id], min(max(hit.score, 0.0), 1.0)) for hit in hits if hit.id in rows]

    async def add(self, new: NewMemory, user_id: str = LOCAL_USER) -> RememberedView:
        """Keep one memory, or merge it with the same one. `InvalidInput` for what says nothing.

        It is kept for sure; `searchable` says if it can be found yet.
        """
        refuse_trivia(new.content)
        added, merged = await self._insert(
            [new], user_id, project=new.project, session_id=new.session_id
        )
        [row] = added or merged
        await self._index.try_settle("add")
        view = RememberedView(**(await self.get(row.id, user_id)).model_dump())
        if merged:
            view.admission, view.reason = Admission.MERGED, SAME_TEXT
            view.near = NearMemory(id=row.id, content=row.content)
        return view

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
        wanted = wanted.model_copy(update={"project": await projects.identify(wanted.project)})
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
        changes = admit(change, "memory").changes()
        if "content" in changes:
            refuse_trivia(changes["content"])
        if "project" in changes:
            changes["project"] = await projects.identify(changes["project"])
        if "evidence" in changes:
            changes["evidence"] = repository.lines_of(changes["evidence"])

        def apply(row: Memory) -> None:
            if row.forgotten_at is not None:
                raise Conflict(f"Memory {id!r} is forgotten. Restore it first.")
            for name, value in changes.items():
                setattr(row, name, value)
            if changes.keys() & {"project", "scope"}:
                row.scope = reach_of(row.project, change.scope)
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
    ) -> tuple[Sequence[Memory], Sequence[Memory]]:
        """The rows that were added, and those that had the same text and were merged with."""
        told = [admit(each, "memory") for each in memories]
        project = await projects.identify(project)
        texts = [(fingerprint(each.content), reach_of(project, each.scope)) for each in told]
        async with self._database.write() as session:
            known = {
                (row.fingerprint, row.scope): row
                for row in await repository.same(session, texts, user_id=user_id, project=project)
            }
            fresh: dict[tuple[str, str], MemoryInput] = {}
            for text, memory in zip(texts, told, strict=True):
                if text not in known:
                    fresh.setdefault(text, memory)
            added = await repository.insert(
                session,
                list(fresh.values()),
                user_id=user_id,
                project=project,
                session_id=session_id,
                now=self._now(),
            )
            known |= dict(zip(fresh, added, strict=True))
            repeated = [
                (known[text], memory)
                for text, memory in zip(texts, told, strict=True)
                if fresh.get(text) is not memory
            ]
            for row, memory in repeated:
                self._merge(row, memory)
        merged = list(dict.fromkeys(row for row, _ in repeated))
        self._publish("memory.added", added)
        self._publish("memory.changed", merged)
        return added, merged

    def _merge(self, row: Memory, memory: MemoryInput) -> None:
        row.evidence = add_evidence(row.evidence, repository.lines_of(memory.evidence))
        row.tags = list(dict.fromkeys([*row.tags, *memory.tags]))
        row.importance = max(row.rank, memory.importance, key=IMPORTANCE.__getitem__)
        row.updated_at = self._now()
        row.version += 1

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
        await self._index.try_settle(topic)
        return await self.get(id, user_id)

    async def _purge(self, id: str) -> None:
        async with self._database.write() as session:
            purged = await repository.purge(session, id=id)
        if not purged:
            raise Unavailable(
                f"Memory {id!r} is forgotten, but the vector store does not answer, so its copy "
                "there is not deleted yet. Ask again when the store is back."
            )

    def _publish(self, topic: str, rows: Sequence[Memory]) -> None:
        if not rows:
            return
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


def _result(row: MemoryItem, distance: float) -> MemoryResult:
    metadata = MemoryMetadata.model_validate(metadata_of(row))
    return MemoryResult(id=row.id, content=row.content, metadata=metadata, distance=distance)
