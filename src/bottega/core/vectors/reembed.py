"""Changing the embedder of a collection: built beside the old one, which stands until the swap.

A crash on the way leaves the old collection as it was, and a half-built one that the next attempt
throws away.
"""

from collections.abc import Callable

import structlog

from bottega.core.embeddings.embedder import Embedder
from bottega.core.vectors.store import VectorItem, VectorStore
from bottega.errors import Conflict, NotFound

log = structlog.get_logger()

#: Told after each batch: items done, items in all.
Progress = Callable[[int, int], None]
ITEMS_AT_ONCE = 500


async def reembed(
    store: VectorStore, collection: str, embedder: Embedder, progress: Progress | None = None
) -> None:
    """Give every document of the collection its vector anew, by this embedder."""
    await embedder.warm()
    old = await store.collection(collection)
    if old is None:
        raise NotFound(f"There is no vector collection {collection!r} to re-embed.")
    log.info("vectors.reembedding", collection=collection, count=old.count, embedder=embedder.name)
    beside = _beside(collection)
    await store.drop_collection(beside)
    await store.ensure_collection(beside, dimension=embedder.dimension, embedder=embedder.name)
    done, last = 0, None
    while items := await store.scroll(collection, after=last, limit=ITEMS_AT_ONCE):
        vectors = await embedder.embed([item.document for item in items])
        await store.upsert(
            beside,
            [
                VectorItem(item.id, vector, item.document, item.metadata)
                for item, vector in zip(items, vectors, strict=True)
            ],
        )
        done, last = done + len(items), items[-1].id
        if progress:
            progress(done, max(done, old.count))
    if await store.count(beside) != done:
        raise Conflict(f"Another process is re-embedding {collection!r}. Let it finish.")
    await store.rename_collection(beside, collection)


async def recover(store: VectorStore, collection: str) -> None:
    """Finish a swap that a crash cut in two, on a store that cannot swap at once.

    The old collection goes only when the new one is whole: if just the new one is there, it is.
    """
    beside = _beside(collection)
    if await store.collection(collection) is None and await store.collection(beside) is not None:
        await store.rename_collection(beside, collection)


def _beside(collection: str) -> str:
    return f"{collection}.next"
