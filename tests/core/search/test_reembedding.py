"""A new embedder: every document gets a new vector, and the two kinds are never mixed."""

from collections.abc import Sequence

import numpy as np
import pytest

from bottega.core.readers.embedder import Vector, unit
from bottega.core.search.hybrid import VectorIndex, reembed
from bottega.core.search.vector_store import VectorStore
from bottega.errors import Conflict, NotFound

TEXTS = {f"t{n:04}": "red apple" if n % 2 else "blue sea" for n in range(1_200)}


class LetterCounts:
    """A small real embedder: how often each of some letters stands in a text."""

    def __init__(self, letters: str, fail_after: int | None = None) -> None:
        self.name = f"letters:{letters}"
        self.dimension = len(letters)
        self._letters = letters
        self._left = fail_after

    async def warm(self) -> None:
        return None

    async def embed(self, texts: Sequence[str]) -> Vector:
        if self._left is not None:
            self._left -= len(texts)
            if self._left < 0:
                raise ConnectionError("the embedder's power was cut")
        return unit(np.array([[text.count(each) for each in self._letters] for text in texts]))


async def filled(store: VectorStore, embedder: LetterCounts) -> None:
    index = VectorIndex(store, embedder, "texts")
    metadata = [{"even": key[-1] in "02468"} for key in TEXTS]
    await index.add(list(TEXTS), list(TEXTS.values()), metadata)


async def test_a_changed_embedder_re_embeds_every_document(store: VectorStore) -> None:
    await filled(store, LetterCounts("abc"))
    index = VectorIndex(store, LetterCounts("rsaep"), "texts")
    [hit] = await index.search("apple", limit=1, where={"even": False})
    [item] = await store.get("texts", [hit.id])
    assert item.document == "red apple"
    assert item.metadata == {"even": False}
    kept = await store.collection("texts")
    assert kept is not None
    assert (kept.embedder, kept.dimension, kept.count) == ("letters:rsaep", 5, 1_200)
    assert await store.collection("texts.next") is None


async def test_the_same_embedder_re_embeds_nothing(store: VectorStore) -> None:
    await filled(store, LetterCounts("abc"))
    again = VectorIndex(store, LetterCounts("abc", fail_after=0), "texts")
    await again.prepare()


async def test_a_crash_in_between_leaves_the_old_collection_and_a_new_attempt_succeeds(
    store: VectorStore,
) -> None:
    old = LetterCounts("abc")
    await filled(store, old)
    with pytest.raises(ConnectionError):
        await reembed(store, "texts", LetterCounts("rs", fail_after=600))
    # Asked for by id: among 600 equal vectors Chroma's nearest is an approximation.
    [kept_item] = await store.get("texts", ["t0000"])
    assert kept_item.document == "blue sea"
    np.testing.assert_allclose(kept_item.vector, (await old.embed(["blue sea"]))[0], rtol=1e-5)
    assert await store.count("texts") == 1_200
    await reembed(store, "texts", LetterCounts("rs"))
    kept = await store.collection("texts")
    assert kept is not None
    assert (kept.embedder, kept.count) == ("letters:rs", 1_200)


async def test_a_swap_that_was_cut_in_two_is_finished_at_the_next_start(
    store: VectorStore,
) -> None:
    """On Chroma the old collection goes before the new one has its name."""
    new = LetterCounts("rs")
    await store.ensure_collection("texts.next", dimension=2, embedder=new.name)
    index = VectorIndex(store, new, "texts")
    await store.upsert("texts.next", [])
    await index.prepare()
    assert await store.collection("texts") is not None
    assert await store.collection("texts.next") is None


async def test_two_processes_that_re_embed_at_once_lose_nothing(store: VectorStore) -> None:
    await filled(store, LetterCounts("abc"))
    batches = 0

    class Disturbed(LetterCounts):
        async def embed(self, texts: Sequence[str]) -> Vector:
            nonlocal batches
            batches += 1
            if batches == 2:
                # The other process begins: it throws away what this one has built.
                await store.drop_collection("texts.next")
                await store.ensure_collection("texts.next", dimension=2, embedder=self.name)
            return await super().embed(texts)

    with pytest.raises(Conflict, match="Another process"):
        await reembed(store, "texts", Disturbed("rs"))
    assert await store.count("texts") == 1_200


async def test_what_does_not_exist_cannot_be_re_embedded(store: VectorStore) -> None:
    with pytest.raises(NotFound):
        await reembed(store, "nowhere", LetterCounts("ab"))
