"""A Chroma server that is away, dies, comes back, or loses its collection (story 8)."""

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

import numpy as np
import pytest
from structlog.testing import capture_logs

from bottega.core.search.chroma import ChromaVectorStore
from bottega.core.search.vector_store import VectorItem
from bottega.errors import Conflict, NotFound, Unavailable
from tests.peers.chroma import ChromaServer, free_port

NAME = "paige_memories"
READY = f"ChromaDB connected — collection {NAME} ready"
EAST = np.array([1, 0], dtype=np.float32)
ITEM = VectorItem("mem_s1_0", EAST, "a memory", {"project": "app"})

Line = Mapping[str, Any]


@pytest.fixture
def lines() -> Iterator[list[Line]]:
    with capture_logs() as lines:
        yield lines  # type: ignore[misc]  # structlog's own mapping type


@pytest.fixture
async def store(chroma: ChromaServer) -> AsyncIterator[ChromaVectorStore]:
    """A store for a server that is not started yet."""
    store = ChromaVectorStore(chroma.url)
    yield store
    await store.stop()


def said(lines: list[Line], level: str) -> list[str]:
    return [line["event"] for line in lines if line["log_level"] == level]


async def want(store: ChromaVectorStore) -> None:
    await store.ensure_collection(NAME, dimension=2, embedder="test")


@pytest.mark.requirement("FR-096", "FR-097", "SC-050")
async def test_a_server_that_answers_at_the_start_gets_the_collection(
    chroma: ChromaServer, store: ChromaVectorStore, lines: list[Line]
) -> None:
    """Connected at the start, collection made, the log says so."""
    chroma.start()
    await store.start()
    assert store.available is True
    await want(store)
    assert chroma.collections() == [NAME]
    assert said(lines, "info") == [READY]
    await want(store)
    assert said(lines, "warning") == []


@pytest.mark.requirement("FR-098", "SC-051")
async def test_a_server_that_is_away_at_the_start_is_one_warning(
    chroma: ChromaServer, store: ChromaVectorStore, lines: list[Line]
) -> None:
    """Starting succeeds, the store says that it is unavailable."""
    await store.start()
    assert store.available is False
    with pytest.raises(Unavailable, match=chroma.url):
        await want(store)
    warning = f"ChromaDB unavailable at {chroma.url} — memory features disabled"
    assert said(lines, "warning") == [warning]


@pytest.mark.requirement("EC-46")
@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1:{port}", "http://no-such-host.invalid:8000", "http://[bad", "nonsense"],
)
async def test_a_wrong_address_is_the_same_as_a_server_that_is_away(
    url: str, lines: list[Line]
) -> None:
    """Whatever is wrong with the address, it is a warning and no error."""
    url = url.format(port=free_port())
    store = ChromaVectorStore(url)
    await store.start()
    assert said(lines, "warning") == [f"ChromaDB unavailable at {url} — memory features disabled"]
    assert store.available is False
    with pytest.raises(Unavailable):
        await store.query(NAME, EAST)
    await store.stop()


@pytest.mark.requirement("FR-106", "SC-053")
async def test_the_first_call_after_the_server_is_up_connects_and_succeeds(
    chroma: ChromaServer, store: ChromaVectorStore, lines: list[Line]
) -> None:
    """What was asked for while it was away is made when it is there."""
    await store.start()
    with pytest.raises(Unavailable):
        await want(store)
    chroma.start()
    await store.upsert(NAME, [ITEM])
    assert store.available is True
    assert said(lines, "info") == [READY]
    assert [found["id"] for found in chroma.documents(NAME)] == ["mem_s1_0"]


@pytest.mark.requirement("EC-47", "FR-106")
async def test_a_server_that_dies_in_between_fails_the_call_and_recovers_with_a_later_one(
    chroma: ChromaServer, store: ChromaVectorStore, lines: list[Line]
) -> None:
    """The failed call flips the flag, the next ones try again."""
    chroma.start()
    await store.start()
    await want(store)
    await store.upsert(NAME, [ITEM])
    chroma.stop()
    for _ in range(2):
        with pytest.raises(Unavailable):
            await store.query(NAME, EAST)
        assert store.available is False
    assert len(said(lines, "warning")) == 1
    chroma.start()
    [hit] = await store.query(NAME, EAST)
    assert hit.id == "mem_s1_0"
    assert store.available is True


@pytest.mark.requirement("EC-53", "FR-106")
async def test_a_collection_deleted_by_somebody_else_is_made_again(
    chroma: ChromaServer, store: ChromaVectorStore
) -> None:
    """One call fails, the next finds a collection, empty but there."""
    chroma.start()
    await store.start()
    await want(store)
    await store.upsert(NAME, [ITEM])
    chroma.delete_collection(NAME)
    with pytest.raises(Unavailable):
        await store.query(NAME, EAST)
    assert store.available is False
    await store.upsert(NAME, [ITEM])
    assert [hit.id for hit in await store.query(NAME, EAST)] == ["mem_s1_0"]
    with pytest.raises(NotFound):
        await store.count("never-made")
    assert store.available is True


async def test_another_embedder_is_noticed_even_if_it_asked_while_the_server_was_away(
    chroma: ChromaServer, store: ChromaVectorStore
) -> None:
    chroma.start()
    await store.start()
    await want(store)
    chroma.stop()
    other = ChromaVectorStore(chroma.url)
    await other.start()
    with pytest.raises(Unavailable):
        await other.ensure_collection(NAME, dimension=2, embedder="another")
    chroma.start()
    with pytest.raises(Conflict, match="another"):
        await other.upsert(NAME, [ITEM])
    await other.stop()
