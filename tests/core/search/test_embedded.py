"""What is particular to vectors in memory: other processes, concurrency, moving to pgvector."""

import asyncio

import numpy as np
import pytest

from bottega.core.db.database import Database
from bottega.core.readers.embedder import Vector, unit
from bottega.core.search import embedded
from bottega.core.search.backends import choose_store
from bottega.core.search.embedded import EmbeddedVectorStore
from bottega.core.search.pgvector import PgVectorStore
from bottega.core.search.vector_store import VectorItem
from bottega.errors import NotFound, Unavailable

EAST = np.array([1, 0, 0], dtype=np.float32)


def items(*ids: str, group: str = "a") -> list[VectorItem]:
    return [VectorItem(name, EAST, name, {"group": group}) for name in ids]


async def found(store: EmbeddedVectorStore, group: str = "a") -> set[str]:
    hits = await store.query("notes", EAST, limit=50, where={"group": group})
    return {hit.id for hit in hits}


async def test_a_process_sees_what_another_has_written(database: Database) -> None:
    """Two stores on one database are two processes: each has its own copy in memory."""
    ours, theirs = EmbeddedVectorStore(database), EmbeddedVectorStore(database)
    await ours.ensure_collection("notes", dimension=3, embedder="test")
    await ours.upsert("notes", items("one", "two", "three"))
    assert await found(ours) == await found(theirs) == {"one", "two", "three"}
    await theirs.upsert("notes", items("four"))
    await theirs.delete("notes", ids=["one"])
    await ours.upsert("notes", items("five"))
    assert await found(ours) == await found(theirs) == {"two", "three", "four", "five"}
    await theirs.upsert("notes", items("two", group="b"))
    await theirs.delete("notes", where={"group": "a"})
    assert await found(ours, "a") == set()
    assert await found(ours, "b") == {"two"}


async def test_similarities_are_as_new_as_the_search_before_them(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked right after a search they read nothing; a moment later they see what others wrote."""
    ours, theirs = EmbeddedVectorStore(database), EmbeddedVectorStore(database)
    await ours.ensure_collection("notes", dimension=3, embedder="test")
    await ours.upsert("notes", items("one"))
    monkeypatch.setattr(embedded, "NEW_FOR", 60)
    assert [hit.id for hit in await ours.query("notes", EAST)] == ["one"]
    await theirs.upsert("notes", items("two"))
    assert await ours.similarities("notes", EAST, ["one", "two"]) == {"one": 1}
    monkeypatch.setattr(embedded, "NEW_FOR", 0)
    assert await ours.similarities("notes", EAST, ["one", "two"]) == {"one": 1, "two": 1}


async def test_a_collection_that_another_process_replaced_is_read_anew(
    database: Database,
) -> None:
    ours, theirs = EmbeddedVectorStore(database), EmbeddedVectorStore(database)
    await ours.ensure_collection("notes", dimension=3, embedder="test")
    await ours.upsert("notes", items("old"))
    assert await found(ours) == {"old"}
    await theirs.drop_collection("notes")
    with pytest.raises(NotFound):
        await found(ours)
    await theirs.ensure_collection("notes", dimension=2, embedder="other")
    await theirs.upsert("notes", [VectorItem("new", EAST[:2], "new", {})])
    assert [hit.id for hit in await ours.query("notes", EAST[:2])] == ["new"]


async def test_writes_and_searches_at_the_same_time_do_not_disturb_each_other(
    sqlite: Database,
) -> None:
    rows = unit(np.random.default_rng(0).standard_normal((4_000, 512)))
    store = EmbeddedVectorStore(sqlite)
    await store.ensure_collection("notes", dimension=512, embedder="test")
    await store.upsert("notes", numbered(rows[:3_000], 0))

    async def search(row: int) -> None:
        [hit] = await store.query("notes", rows[row], limit=1)
        assert hit.id == f"i{row}"
        assert hit.distance == pytest.approx(0, abs=1e-5)

    async def write(start: int) -> None:
        await store.upsert("notes", numbered(rows[start : start + 250], start))
        await store.delete("notes", ids=[f"i{n}" for n in range(start - 2_900, start - 2_700)])

    await asyncio.gather(
        *(search(row) for row in range(2_000, 2_040)),
        *(write(start) for start in range(3_000, 4_000, 250)),
    )
    left = await store.count("notes")
    assert left == 4_000 - 800
    hits = await store.query("notes", rows[0], limit=5_000)
    assert len(hits) == left


def numbered(rows: Vector, start: int) -> list[VectorItem]:
    return [VectorItem(f"i{n}", row, "", {}) for n, row in enumerate(rows, start)]


async def test_search_finds_exactly_what_comparing_with_every_vector_finds(
    sqlite: Database,
) -> None:
    generator = np.random.default_rng(3)
    rows = unit(generator.standard_normal((2_000, 32)))
    store = EmbeddedVectorStore(sqlite)
    await store.ensure_collection("notes", dimension=32, embedder="test")
    metadata = [{"third": n % 3 == 0, "first": n < 25} for n in range(len(rows))]
    await store.upsert(
        "notes",
        [VectorItem(f"i{n}", row, "", metadata[n]) for n, row in enumerate(rows)],
    )
    for where, passes in (
        (None, np.ones(2_000, dtype=bool)),
        ({"third": True}, np.arange(2_000) % 3 == 0),
        ({"first": True}, np.arange(2_000) < 25),
    ):
        query = unit(generator.standard_normal(32))
        scores = np.where(passes, rows @ query, -np.inf)
        expected = [f"i{n}" for n in np.argsort(-scores)[:10]]
        hits = await store.query("notes", query, limit=10, where=where)
        assert [hit.id for hit in hits] == expected


async def test_the_store_is_chosen_by_what_there_is(database: Database) -> None:
    expected = "embedded" if database.dialect == "sqlite" else "pgvector"
    assert choose_store(database).kind == expected
    assert choose_store(database, embedded=True).kind == "embedded"
    assert choose_store(database, "http://127.0.0.1:9").kind == "chroma"


async def test_pgvector_takes_over_what_the_embedded_store_has(
    postgresql: Database,
) -> None:
    """A database that gains the extension keeps its vectors."""
    before = EmbeddedVectorStore(postgresql)
    await before.ensure_collection("notes", dimension=3, embedder="test")
    await before.upsert("notes", items("one", "two"))
    after = PgVectorStore(postgresql)
    await after.start()
    hits = await after.query("notes", EAST)
    assert [(hit.id, round(hit.distance, 6)) for hit in hits] == [("one", 0), ("two", 0)]


async def test_pgvector_without_postgresql_says_what_to_do(sqlite: Database) -> None:
    with pytest.raises(Unavailable, match="CREATE EXTENSION vector"):
        await PgVectorStore(sqlite).start()


async def test_a_write_that_is_cancelled_leaves_no_half_changed_copy_in_memory(
    postgresql: Database,
) -> None:
    rows = unit(np.random.default_rng(0).standard_normal((3_000, 64)))
    store = EmbeddedVectorStore(postgresql)
    await store.ensure_collection("notes", dimension=64, embedder="test")
    await store.upsert("notes", numbered(rows[:10], 0))
    await store.query("notes", rows[0])
    for moment in range(0, 400, 25):
        writing = asyncio.create_task(store.upsert("notes", numbered(rows, 0)))
        for _ in range(moment):
            await asyncio.sleep(0)
        writing.cancel()
        await asyncio.gather(writing, return_exceptions=True)
        hits = await store.query("notes", rows[5], limit=5_000)
        assert len(hits) == await store.count("notes")
        assert hits[0].id == "i5"
        await store.delete("notes", ids=[f"i{n}" for n in range(10, 3_000)])
