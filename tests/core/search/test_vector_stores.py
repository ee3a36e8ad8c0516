"""One contract, held by every vector store."""

from collections.abc import Sequence

import numpy as np
import pytest

from bottega.core.readers.embedder import Vector, unit
from bottega.core.search.filters import Metadata
from bottega.core.search.vector_store import Collection, VectorItem, VectorStore
from bottega.errors import Conflict, InvalidInput, NotFound

NOTES = "notes"


def vector(*values: float) -> Vector:
    return np.array(values, dtype=np.float32)


def item(id: str, at: Sequence[float], metadata: Metadata | None = None) -> VectorItem:
    return VectorItem(id, vector(*at), f"document {id}", metadata or {})


async def notes(store: VectorStore, *items: VectorItem) -> None:
    await store.ensure_collection(NOTES, dimension=3, embedder="test")
    await store.upsert(NOTES, items)


async def test_the_nearest_come_first_with_their_documents(store: VectorStore) -> None:
    await notes(
        store,
        item("east", (1, 0, 0), {"n": 1}),
        item("north", (0, 1, 0)),
        item("west", (-2, 0, 0)),
    )
    hits = await store.query(NOTES, vector(3, 1, 0), limit=3)
    assert [hit.id for hit in hits] == ["east", "north", "west"]
    [first] = await store.get(NOTES, [hits[0].id])
    assert (first.document, first.metadata) == ("document east", {"n": 1})
    assert [round(hit.distance, 3) for hit in hits] == [0.051, 0.684, 1.949]


@pytest.mark.requirement("EC-52")
async def test_a_query_gives_no_more_than_asked_and_no_more_than_there_are(
    store: VectorStore,
) -> None:
    """Fewer than asked for are all there are."""
    await notes(store, item("a", (1, 0, 0)), item("b", (0, 1, 0)))
    assert len(await store.query(NOTES, vector(1, 0, 0), limit=1)) == 1
    assert len(await store.query(NOTES, vector(1, 0, 0), limit=50)) == 2


async def test_the_zero_vector_is_kept_and_is_at_distance_one_of_everything(
    store: VectorStore,
) -> None:
    await notes(store, item("empty", (0, 0, 0)), item("a", (1, 0, 0)))
    hits = await store.query(NOTES, vector(1, 0, 0))
    assert [(hit.id, round(hit.distance, 3)) for hit in hits] == [("a", 0.0), ("empty", 1.0)]
    hits = await store.query(NOTES, vector(0, 0, 0))
    assert [round(hit.distance, 3) for hit in hits] == [1.0, 1.0]


async def test_an_item_with_a_known_id_is_replaced_whole(store: VectorStore) -> None:
    await notes(store, item("a", (1, 0, 0), {"old": "yes", "kept": 1}))
    changed = VectorItem("a", vector(0, 1, 0), "changed", {"kept": 2})
    await store.upsert(NOTES, [changed])
    [kept] = await store.get(NOTES, ["a"])
    assert (kept.document, kept.metadata) == ("changed", {"kept": 2})
    assert await store.count(NOTES) == 1
    assert await store.query(NOTES, vector(0, 1, 0), where={"old": "yes"}) == []
    [hit] = await store.query(NOTES, vector(0, 1, 0))
    assert round(hit.distance, 3) == 0
    await store.upsert(NOTES, [VectorItem("a", vector(0, 1, 0), "bare", {})])
    assert (await store.get(NOTES, ["a"]))[0].metadata == {}


async def test_the_last_of_two_items_with_one_id_counts(store: VectorStore) -> None:
    await notes(store, item("a", (1, 0, 0)), VectorItem("a", vector(0, 1, 0), "second", {}))
    assert [each.document for each in await store.get(NOTES, ["a"])] == ["second"]


async def test_items_come_back_in_the_order_asked_at_unit_length(store: VectorStore) -> None:
    await notes(store, item("a", (3, 4, 0)), item("b", (0, 2, 0)))
    found = await store.get(NOTES, ["b", "absent", "a"])
    assert [each.id for each in found] == ["b", "a"]
    assert np.allclose(found[1].vector, [0.6, 0.8, 0])


async def test_items_are_deleted_by_id_by_filter_and_by_both(store: VectorStore) -> None:
    items = [item(f"i{n}", (1, n, 0), {"half": n // 2, "odd": n % 2 == 1}) for n in range(6)]
    await notes(store, *items)
    await store.query(NOTES, vector(1, 0, 0))
    await store.delete(NOTES, ids=["i0", "absent"])
    await store.delete(NOTES, where={"half": 2})
    await store.delete(NOTES, ids=["i1", "i2"], where={"odd": True})
    await store.delete(NOTES, ids=[])
    left = {hit.id for hit in await store.query(NOTES, vector(1, 0, 0))}
    assert left == {"i2", "i3"}
    assert await store.count(NOTES) == 2
    with pytest.raises(InvalidInput):
        await store.delete(NOTES)


async def test_scrolling_meets_every_item_once_in_order_of_id(store: VectorStore) -> None:
    ids = ["B", "a", "Ä", "a.b", "b-1", "b_1", "0"]
    await notes(store, *(item(name, (1, 0, n), {"even": n % 2 == 0}) for n, name in enumerate(ids)))
    met: list[str] = []
    while page := await store.scroll(NOTES, after=met[-1] if met else None, limit=3):
        met += [each.id for each in page]
    assert met == sorted(ids)
    some = await store.scroll(NOTES, after="B", where={"even": True})
    assert [each.id for each in some] == ["b-1", "Ä"]


async def test_collections_have_their_own_items_and_dimensions(store: VectorStore) -> None:
    await notes(store, item("a", (1, 0, 0)))
    await store.ensure_collection("wide", dimension=5, embedder="other")
    await store.upsert("wide", [VectorItem("a", np.ones(5, dtype=np.float32), "wide one", {})])
    [hit] = await store.query("wide", np.ones(5, dtype=np.float32))
    assert [each.document for each in await store.get("wide", [hit.id])] == ["wide one"]
    assert await store.collection(NOTES) == Collection(NOTES, 3, "test", 1)
    assert await store.collection("wide") == Collection("wide", 5, "other", 1)
    await store.drop_collection("wide")
    await store.drop_collection("wide")
    assert await store.collection("wide") is None
    assert await store.count(NOTES) == 1


async def test_ensuring_a_collection_twice_keeps_it_and_another_embedder_is_a_conflict(
    store: VectorStore,
) -> None:
    await notes(store, item("a", (1, 0, 0)))
    await store.ensure_collection(NOTES, dimension=3, embedder="test")
    assert await store.count(NOTES) == 1
    with pytest.raises(Conflict):
        await store.ensure_collection(NOTES, dimension=3, embedder="another")
    with pytest.raises(Conflict):
        await store.ensure_collection(NOTES, dimension=4, embedder="test")
    assert await store.count(NOTES) == 1


async def test_a_renamed_collection_takes_the_place_of_another(store: VectorStore) -> None:
    await notes(store, item("old", (1, 0, 0)))
    await store.query(NOTES, vector(1, 0, 0))
    await store.ensure_collection("notes.next", dimension=2, embedder="new")
    await store.upsert("notes.next", [VectorItem("new", vector(1, 0), "new one", {})])
    await store.rename_collection("notes.next", NOTES)
    assert [hit.id for hit in await store.query(NOTES, vector(1, 0))] == ["new"]
    assert await store.collection("notes.next") is None
    await store.ensure_collection(NOTES, dimension=2, embedder="new")


async def test_what_does_not_fit_is_refused(store: VectorStore) -> None:
    await notes(store, item("a", (1, 0, 0)))
    with pytest.raises(InvalidInput, match="3 dimensions"):
        await store.upsert(NOTES, [VectorItem("b", vector(1, 0), "short", {})])
    with pytest.raises(InvalidInput, match="3 dimensions"):
        await store.query(NOTES, vector(1, 0))
    with pytest.raises(InvalidInput, match="finite"):
        await store.upsert(NOTES, [item("b", (1, float("nan"), 0))])
    with pytest.raises(InvalidInput, match="metadata"):
        await store.upsert(NOTES, [item("b", (1, 0, 0), {"tags": ["x"]})])  # type: ignore[dict-item]
    with pytest.raises(InvalidInput, match="id"):
        await store.upsert(NOTES, [item("", (1, 0, 0))])
    with pytest.raises(InvalidInput, match="called"):
        await store.ensure_collection("no spaces", dimension=3, embedder="test")
    assert await store.count(NOTES) == 1


async def test_an_unknown_collection_is_not_found(store: VectorStore) -> None:
    with pytest.raises(NotFound, match="nowhere"):
        await store.query("nowhere", vector(1, 0, 0))
    with pytest.raises(NotFound, match="nowhere"):
        await store.upsert("nowhere", [item("a", (1, 0, 0))])
    with pytest.raises(NotFound, match="nowhere"):
        await store.count("nowhere")


@pytest.mark.requirement("EC-51")
async def test_many_items_go_in_at_once_and_the_right_ones_come_out(store: VectorStore) -> None:
    """A large call needs no batching by the caller."""
    rows = unit(np.random.default_rng(1).standard_normal((1_500, 16)))
    await store.ensure_collection("many", dimension=16, embedder="test")
    await store.upsert(
        "many",
        [VectorItem(f"i{n}", row, "text", {"hundred": n // 100}) for n, row in enumerate(rows)],
    )
    assert await store.count("many") == 1_500
    hits = await store.query("many", rows[77], limit=5)
    assert hits[0].id == "i77"
    hits = await store.query("many", rows[77], limit=200, where={"hundred": 1})
    assert {hit.id for hit in hits} == {f"i{n}" for n in range(100, 200)}


async def test_distances_of_the_nearest_and_cosines_of_certain_items_agree(
    store: VectorStore,
) -> None:
    """Of certain items, those that exist."""
    await notes(
        store,
        item("east", (1, 0, 0)),
        item("between", (3, 4, 0)),
        item("north", (0, 2, 0), {"kind": "x"}),
        item("empty", (0, 0, 0), {"kind": "x"}),
    )
    toward = vector(2, 0, 0)
    near = await store.query(NOTES, toward, limit=2)
    assert [(hit.id, round(1 - hit.distance, 4)) for hit in near] == [
        ("east", 1.0),
        ("between", 0.6),
    ]
    of_kind = await store.query(NOTES, toward, where={"kind": "x"})
    assert {hit.id for hit in of_kind} == {"north", "empty"}
    some = await store.similarities(NOTES, toward, ["north", "between", "empty", "nowhere"])
    assert some == pytest.approx({"north": 0.0, "between": 0.6, "empty": 0.0}, abs=1e-4)
    assert await store.similarities(NOTES, toward, []) == {}
    for ask in (store.query("nowhere", toward), store.similarities("nowhere", toward, ["a"])):
        with pytest.raises(NotFound):
            await ask
