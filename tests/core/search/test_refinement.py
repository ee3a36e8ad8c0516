"""Finer vectors behind the static ones: made in the background, used when none is missing."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from bottega.core.readers.embedder import Vector
from bottega.core.search import refinement
from bottega.core.search.hybrid import VectorIndex
from bottega.core.search.refinement import Refiner
from bottega.core.search.vector_store import VectorStore
from tests.core.search.test_reembedding import TEXTS, LetterCounts


class SlowLetters(LetterCounts):
    """Reads nothing until it is let."""

    def __init__(self, letters: str) -> None:
        super().__init__(letters)
        self.may_read = asyncio.Event()

    async def embed(self, texts: list[str]) -> Vector:  # type: ignore[override]
        await self.may_read.wait()
        return await super().embed(texts)


@asynccontextmanager
async def at_work(store: VectorStore, fine: LetterCounts) -> AsyncIterator[VectorIndex]:
    refiner = Refiner(store, fine)
    index = VectorIndex(store, LetterCounts("abc"), "texts", refiner=refiner)
    await refiner.start()
    try:
        yield index
    finally:
        await refiner.stop()


async def finest_when_whole(index: VectorIndex) -> VectorIndex:
    async with asyncio.timeout(30):
        while not (finest := await index.finest()).is_fine:
            await asyncio.sleep(0.01)
    return finest


async def document(store: VectorStore, index: VectorIndex, item_id: str) -> str:
    [item] = await store.get(index.collection, [item_id])
    return item.document


async def test_texts_are_found_at_once_and_better_a_little_later(store: VectorStore) -> None:
    fine = SlowLetters("rsaep")
    async with at_work(store, fine) as index:
        await index.add(list(TEXTS), list(TEXTS.values()))
        assert await index.finest() is index
        assert await index.search("sea", limit=1)
        fine.may_read.set()
        finest = await finest_when_whole(index)
        assert await store.count(finest.collection) == len(TEXTS)
        [hit] = await finest.search("apple", limit=1)
        assert await document(store, finest, hit.id) == "red apple"


async def test_a_search_waits_for_the_few_texts_that_are_being_read(store: VectorStore) -> None:
    """Otherwise each text that is added would change the order for a moment."""
    async with at_work(store, LetterCounts("rsaep")) as index:
        await index.add(["one"], ["red apple"])
        assert (await index.finest()).is_fine


async def test_what_was_changed_or_deleted_is_so_in_both(store: VectorStore) -> None:
    async with at_work(store, LetterCounts("rsaep")) as index:
        await index.add(["one", "two"], ["red apple", "blue sea"])
        await index.add(["one"], ["grey slate"])
        await index.delete(ids=["two"])
        finest = await finest_when_whole(index)
        [hit] = await finest.search("red apple", limit=5)
        assert hit.id == "one"
        assert await document(store, finest, hit.id) == "grey slate"


async def test_what_a_killed_process_left_is_made_by_the_next(store: VectorStore) -> None:
    async with at_work(store, SlowLetters("rsaep")) as index:
        await index.add(list(TEXTS), list(TEXTS.values()))
    async with at_work(store, LetterCounts("rsaep")) as index:
        assert not (await index.finest()).is_fine
        await finest_when_whole(index)


async def test_a_text_that_changes_while_it_is_read_is_read_again(store: VectorStore) -> None:
    fine = SlowLetters("rsaep")
    async with at_work(store, fine) as index:
        await index.add(["one"], ["red apple"])
        await asyncio.sleep(0.05)
        await index.add(["one"], ["grey slate"])
        fine.may_read.set()
        finest = await finest_when_whole(index)
        [hit] = await finest.search("slate", limit=1)
        assert await document(store, finest, hit.id) == "grey slate"


async def test_a_text_that_another_process_added_is_seen(
    store: VectorStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refinement, "TRUST", 0.0)
    async with at_work(store, LetterCounts("rsaep")) as index:
        await index.add(["one"], ["red apple"])
        await finest_when_whole(index)
        other = VectorIndex(store, LetterCounts("abc"), "texts")
        await other.add(["two"], ["blue sea"])
        assert not (await index.finest()).is_fine
        assert await store.count((await finest_when_whole(index)).collection) == 2


async def test_a_reader_that_fails_is_asked_again(
    store: VectorStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refinement, "RETRY_SECONDS", 0.01)
    fine = LetterCounts("rsaep", fail_after=20)
    async with at_work(store, fine) as index:
        await index.add(list(TEXTS)[:60], list(TEXTS.values())[:60])
        await asyncio.sleep(0.1)
        assert not (await index.finest()).is_fine
        fine._left = None
        await finest_when_whole(index)


async def test_a_collection_goes_with_its_finer_one(store: VectorStore) -> None:
    async with at_work(store, LetterCounts("rsaep")) as index:
        await index.add(["one"], ["red apple"])
        finest = await finest_when_whole(index)
        await index.drop()
        assert await store.collection(finest.collection) is None
        assert await store.collection(index.collection) is None
