"""Memories that are corrected, forgotten, restored and listed; vectors that follow."""

from collections.abc import Sequence
from datetime import timedelta

import numpy as np
import pytest
from numpy.typing import NDArray

from bottega.core import clock
from bottega.core.readers.embedder import Embedder
from bottega.errors import Conflict, InvalidInput, NotFound
from bottega.memory import repository
from bottega.memory.index import MemoryIndex
from bottega.memory.schemas import MemoryChange, MemoryFilter, MemoryInput, NewMemory
from bottega.memory.service import KEEP_FORGOTTEN
from bottega.memory.stores import Importance, Scope
from tests.memory.builders import MemoryApp, open_memory

BREAD = NewMemory(content="The bakery example uses sourdough", project="app", session_id="s1")


async def found(app: MemoryApp, query: str) -> list[str]:
    return [result.content for result in await app.memories.query_memories(query)]


async def test_an_edited_memory_is_found_by_its_new_meaning(app: MemoryApp) -> None:
    memory = await app.memories.add(BREAD)
    before = (await app.memories.query_memories("database migrations"))[0].distance
    change = MemoryChange(content="Database migrations run at start-up", tags=["sql"])
    edited = await app.memories.edit(memory.id, change)
    assert (edited.content, edited.tags, edited.project) == (change.content, ["sql"], "app")
    assert edited.updated_at > edited.created_at
    [result] = await app.memories.query_memories("database migrations")
    assert (result.content, result.metadata.tags) == (change.content, "sql")
    assert result.distance < before


async def test_a_memory_without_a_project_any_more_reaches_all_of_them(app: MemoryApp) -> None:
    memory = await app.memories.add(BREAD)
    assert memory.scope is Scope.PROJECT
    edited = await app.memories.edit(memory.id, MemoryChange(project=None))
    assert (edited.scope, edited.project) == (Scope.PERSONAL, None)


async def test_a_memory_for_a_project_must_name_one(app: MemoryApp) -> None:
    with pytest.raises(InvalidInput, match="needs a project"):
        await app.memories.add(NewMemory(content="Here only", scope=Scope.PROJECT))
    memory = await app.memories.add(NewMemory(content="Everywhere"))
    with pytest.raises(InvalidInput, match="needs a project"):
        await app.memories.edit(memory.id, MemoryChange(scope=Scope.PROJECT))
    learned_in = NewMemory(content="Prefers tabs", project="app", scope=Scope.PERSONAL)
    assert (await app.memories.add(learned_in)).scope is Scope.PERSONAL


async def test_a_forgotten_memory_is_gone_at_once_and_can_be_restored(app: MemoryApp) -> None:
    memory = await app.memories.add(BREAD)
    forgotten = await app.memories.forget(memory.id)
    assert forgotten.forgotten_at is not None
    assert await found(app, "bakery") == []
    assert await app.core.vectors.count("paige_memories") == 0
    assert (await app.memories.list(MemoryFilter())).items == []
    restored = await app.memories.restore(memory.id)
    assert restored.forgotten_at is None
    assert await found(app, "bakery") == [BREAD.content]


async def test_what_is_forgotten_for_ever_leaves_no_trace(app: MemoryApp) -> None:
    memory = await app.memories.add(BREAD)
    await app.memories.forget(memory.id, forever=True)
    with pytest.raises(NotFound, match=memory.id):
        await app.memories.restore(memory.id)
    assert await app.core.vectors.get("paige_memories", [memory.id]) == []


async def test_a_start_purges_only_what_was_forgotten_long_ago(app: MemoryApp) -> None:
    old, recent, kept = [
        await app.memories.add(NewMemory(content=f"Oven {number} is hot")) for number in range(3)
    ]
    await app.memories.forget(old.id)
    in_the_past = clock.now() - KEEP_FORGOTTEN - timedelta(days=1)
    async with app.core.database.write() as session:
        row = await repository.find(session, old.id, "local")
        assert row is not None
        row.forgotten_at = in_the_past
    await app.memories.forget(recent.id)
    await app.memories.start()
    with pytest.raises(NotFound):
        await app.memories.get(old.id)
    assert (await app.memories.restore(recent.id)).id == recent.id
    assert (await app.memories.get(kept.id)).searchable


@pytest.mark.requirement("FR-100")
async def test_forgotten_ids_are_never_given_again(app: MemoryApp) -> None:
    memory = await app.memories.add(BREAD)
    await app.memories.forget(memory.id, forever=True)
    assert (await app.memories.add(BREAD)).id == "mem_s1_1"


async def test_states_that_forbid_a_change_are_said(app: MemoryApp) -> None:
    memory = await app.memories.add(BREAD)
    with pytest.raises(Conflict, match="nothing to restore"):
        await app.memories.restore(memory.id)
    await app.memories.forget(memory.id)
    with pytest.raises(Conflict, match="Restore it first"):
        await app.memories.edit(memory.id, MemoryChange(importance=Importance.LOW))


async def test_nobody_touches_the_memories_of_another(app: MemoryApp) -> None:
    ana = await app.new_user("ana")
    memory = await app.memories.add(BREAD, ana)
    for attempt in (
        app.memories.get(memory.id),
        app.memories.edit(memory.id, MemoryChange(content="mine now")),
        app.memories.forget(memory.id),
        app.memories.restore(memory.id),
    ):
        with pytest.raises(NotFound):
            await attempt
    assert (await app.memories.list(MemoryFilter())).items == []
    assert (await app.memories.get(memory.id, ana)).content == BREAD.content


async def test_pages_show_every_memory_once_newest_first(app: MemoryApp) -> None:
    for n in range(7):
        await app.memories.add(NewMemory(content=f"number {n}"))
    seen, after = [], None
    while True:
        page = await app.memories.list(MemoryFilter(), after=after, limit=3)
        seen += [memory.content for memory in page.items]
        if (after := page.next) is None:
            break
    assert seen == [f"number {n}" for n in range(6, -1, -1)]


async def test_a_list_can_be_narrowed(app: MemoryApp) -> None:
    here = await app.memories.add(BREAD)
    everywhere = await app.memories.add(NewMemory(content="100% of reviews want SMALL diffs"))

    async def listed(wanted: MemoryFilter) -> list[str]:
        return [memory.id for memory in (await app.memories.list(wanted)).items]

    assert await listed(MemoryFilter(project="app")) == [here.id]
    assert await listed(MemoryFilter(scope=Scope.PERSONAL)) == [everywhere.id]
    assert await listed(MemoryFilter(session_id="s1")) == [here.id]
    assert await listed(MemoryFilter(query="small DIFFS")) == [everywhere.id]
    assert await listed(MemoryFilter(query="0%")) == [everywhere.id]
    assert await listed(MemoryFilter(query="_")) == []


async def test_a_page_after_nothing_is_refused(app: MemoryApp) -> None:
    with pytest.raises(InvalidInput, match="'mem_nowhere_0'"):
        await app.memories.list(MemoryFilter(), after="mem_nowhere_0")


async def test_every_change_is_told_without_the_words_remembered(app: MemoryApp) -> None:
    async with app.core.bus.subscribe("memory.*") as events:
        memory = await app.memories.add(BREAD)
        await app.memories.edit(memory.id, MemoryChange(importance=Importance.HIGH))
        await app.memories.forget(memory.id)
        await app.memories.restore(memory.id)
        heard = [await anext(events) for _ in range(4)]
    assert [event.topic for event in heard] == [
        "memory.added",
        "memory.changed",
        "memory.forgotten",
        "memory.changed",
    ]
    for event in heard:
        assert event.payload == {"ids": [memory.id]}
        assert (event.user_id, event.project, event.session_id) == ("local", "app", "s1")


async def test_a_crash_between_row_and_vector_is_made_good_at_the_next_start(
    database_url: str, embedder: Embedder
) -> None:
    async with open_memory(database_url, embedder) as app, app.core.database.write() as session:
        await repository.insert(
            session,
            [MemoryInput(content="Written just before the power went")],
            user_id="local",
            project="app",
            session_id="s1",
            now=clock.now(),
        )
    async with open_memory(database_url, embedder) as app:
        assert await app.core.vectors.count("paige_memories") == 1
        assert (await app.memories.get("mem_s1_0")).searchable


async def test_vectors_that_vanish_behind_our_back_are_made_again(app: MemoryApp) -> None:
    memory = await app.memories.add(BREAD)
    await app.core.vectors.delete("paige_memories", ids=[memory.id])
    assert await found(app, "bakery") == []
    assert await found(app, "bakery") == [BREAD.content]


async def test_a_late_writer_does_not_leave_an_old_vector_behind(app: MemoryApp) -> None:
    """Two servers index one memory, and the slower writes an older version over the newer."""
    memory = await app.memories.add(BREAD)
    async with app.core.database.read() as session:
        old = await repository.find(session, memory.id, "local")
    assert old is not None
    slower = MemoryIndex(
        app.core.database, app.core.text_index, app.core.vectors, app.core.embedder, app.refiner
    )
    await app.memories.edit(memory.id, MemoryChange(content="Database migrations run first"))
    await slower.index([old])
    await slower.settle()
    [held] = await app.core.vectors.get("paige_memories", [memory.id])
    assert held.document == "Database migrations run first"
    await app.memories.forget(memory.id, forever=True)
    await slower.index([old])
    assert await app.core.vectors.get("paige_memories", [memory.id]) == []


async def test_a_new_embedder_makes_every_vector_anew(
    database_url: str, embedder: Embedder
) -> None:
    async with open_memory(database_url, embedder) as app:
        await app.memories.add(BREAD)
    async with open_memory(database_url, HalfEmbedder(embedder)) as app:
        collection = await app.core.vectors.collection("paige_memories")
        assert collection is not None
        assert (collection.embedder, collection.dimension) == ("half", 128)
        assert await found(app, "bakery") == [BREAD.content]


class HalfEmbedder:
    """Another model: half the dimensions of the one it stands on."""

    name = "half"
    dimension = 128

    def __init__(self, whole: Embedder) -> None:
        self._whole = whole

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        half = (await self._whole.embed(texts))[:, : self.dimension]
        lengths = np.linalg.norm(half, axis=1, keepdims=True)
        return np.asarray(half / np.maximum(lengths, 1e-9), dtype=np.float32)

    async def warm(self) -> None:
        await self._whole.warm()
