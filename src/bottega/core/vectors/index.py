"""A collection and the embedder that fills it: what a room uses to find texts by meaning."""

import asyncio
from collections.abc import Mapping, Sequence

from bottega.core.embeddings.embedder import Embedder
from bottega.core.vectors.reembed import Progress, recover, reembed
from bottega.core.vectors.store import Metadata, Vector, VectorHit, VectorItem, VectorStore, Where
from bottega.errors import Conflict


class VectorIndex:
    def __init__(
        self,
        store: VectorStore,
        embedder: Embedder,
        collection: str,
        progress: Progress | None = None,
    ) -> None:
        """`progress` hears how far re-embedding is, if the embedder has changed."""
        self.collection = collection
        self._store = store
        self._embedder = embedder
        self._progress = progress
        self._is_ready = False
        self._preparing = asyncio.Lock()

    async def prepare(self) -> None:
        """Make the collection, or re-embed it if another embedder filled it. Others wait for it."""
        async with self._preparing:
            if self._is_ready:
                return
            await self._embedder.warm()
            await recover(self._store, self.collection)
            try:
                await self._store.ensure_collection(
                    self.collection,
                    dimension=self._embedder.dimension,
                    embedder=self._embedder.name,
                )
            except Conflict:
                await reembed(self._store, self.collection, self._embedder, self._progress)
            self._is_ready = True

    async def add(
        self,
        ids: Sequence[str],
        texts: Sequence[str],
        metadata: Sequence[Metadata] | None = None,
    ) -> None:
        """Add texts; one with a known id is replaced."""
        await self.prepare()
        vectors = await self._embedder.embed(texts)
        details = metadata or [{}] * len(ids)
        items = [VectorItem(*parts) for parts in zip(ids, vectors, texts, details, strict=True)]
        await self._store.upsert(self.collection, items)

    async def embed(self, text: str) -> Vector:
        vector: Vector = (await self._embedder.embed([text]))[0]
        return vector

    async def search(
        self, query: str | Vector, *, limit: int = 10, where: Where | None = None
    ) -> list[VectorHit]:
        """The nearest texts to a text, or to a vector that `embed` made of one."""
        await self.prepare()
        vector = await self.embed(query) if isinstance(query, str) else query
        return await self._store.query(self.collection, vector, limit=limit, where=where)

    async def nearest(
        self, query: Vector, *, limit: int = 10, where: Where | None = None
    ) -> Mapping[str, float]:
        """Ids and cosines of the nearest texts, nearest first, without the texts."""
        await self.prepare()
        return await self._store.nearest(self.collection, query, limit=limit, where=where)

    async def similarities(self, query: Vector, ids: Sequence[str]) -> Mapping[str, float]:
        """The cosine of each of these items, of those that exist, to the query."""
        await self.prepare()
        return await self._store.similarities(self.collection, query, ids)

    async def delete(self, *, ids: Sequence[str] | None = None, where: Where | None = None) -> None:
        await self.prepare()
        await self._store.delete(self.collection, ids=ids, where=where)
