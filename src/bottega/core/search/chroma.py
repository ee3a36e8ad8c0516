"""Vectors on a Chroma server: every method is one or two requests of its REST API."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from bottega.core.readers.embedder import Vector, unit
from bottega.core.search.chroma_connection import COLLECTIONS, ChromaCollection, ChromaConnection
from bottega.core.search.filters import (
    Comparison,
    Condition,
    Group,
    Metadata,
    Scalar,
    Where,
    parse,
)
from bottega.core.search.vector_store import (
    Collection,
    VectorHit,
    VectorItem,
    check_deletion,
    check_items,
    check_name,
    check_vector,
)

#: Under the batch size that servers accept (5,461 by default).
ITEMS_AT_ONCE = 1_000


class ChromaVectorStore:
    kind = "chroma"

    def __init__(self, url: str) -> None:
        self._server = ChromaConnection(url)

    @property
    def available(self) -> bool:
        return self._server.available

    async def start(self) -> None:
        """FR-096, FR-098: a server that is away is logged; it does not stop ours."""
        await self._server.open()

    async def stop(self) -> None:
        await self._server.close()

    async def ensure_collection(self, name: str, *, dimension: int, embedder: str) -> None:
        """While the server is away this raises; the collection is made when it is back."""
        check_name(name)
        await self._server.want(name, dimension, embedder)

    async def collection(self, name: str) -> Collection | None:
        remote = await self._server.find(name)
        return None if remote is None else await self._describe(remote)

    async def drop_collection(self, name: str) -> None:
        await self._server.check()
        self._server.forget(name)
        await self._server.request("DELETE", f"{COLLECTIONS}/{name}", may_be_absent=True)

    async def rename_collection(self, name: str, to: str) -> None:
        check_name(to)
        remote = await self._server.reach(name)
        # The server cannot do both at once; `hybrid.recover` mends a crash between the two.
        await self.drop_collection(to)
        await self._server.request("PUT", f"{COLLECTIONS}/{remote.id}", {"new_name": to})
        self._server.forget(name)
        await self._server.want(to, remote.dimension, remote.embedder)

    async def upsert(self, collection: str, items: Sequence[VectorItem]) -> None:
        remote = await self._server.reach(collection)
        unique, vectors = check_items(collection, items, remote.dimension)
        for start in range(0, len(unique), ITEMS_AT_ONCE):
            some = unique[start : start + ITEMS_AT_ONCE]
            ids = [item.id for item in some]
            before = await self._server.call(remote, "get", {"ids": ids, "include": ["metadatas"]})
            known = dict(zip(before["ids"], before["metadatas"], strict=True))
            body = {
                "ids": ids,
                "embeddings": list(vectors[start : start + ITEMS_AT_ONCE]),
                "documents": [item.document for item in some],
                "metadatas": [_replacing(item.metadata, known.get(item.id)) for item in some],
            }
            await self._server.call(remote, "upsert", body)

    async def query(
        self, collection: str, vector: Vector, *, limit: int = 10, where: Where | None = None
    ) -> list[VectorHit]:
        condition = parse(where)
        remote = await self._server.reach(collection)
        body = {
            "query_embeddings": [check_vector(collection, vector, remote.dimension)],
            "n_results": limit,
            "where": _as_chroma(condition),
            "include": ["distances"],
        }
        found = await self._server.call(remote, "query", body)
        return [VectorHit(*hit) for hit in zip(found["ids"][0], found["distances"][0], strict=True)]

    async def similarities(
        self, collection: str, vector: Vector, ids: Sequence[str]
    ) -> dict[str, float]:
        items = await self.get(collection, ids)
        return {item.id: float(item.vector @ unit(vector)) for item in items}

    async def get(self, collection: str, ids: Sequence[str]) -> list[VectorItem]:
        remote = await self._server.reach(collection)
        items: dict[str, VectorItem] = {}
        include = ["documents", "metadatas", "embeddings"]
        for start in range(0, len(ids), ITEMS_AT_ONCE):
            some = list(ids[start : start + ITEMS_AT_ONCE])
            found = await self._server.call(remote, "get", {"ids": some, "include": include})
            columns = [found[name] for name in ("ids", *include)]
            for item_id, document, metadata, embedding in zip(*columns, strict=True):
                vector = np.array(embedding, dtype=np.float32)
                items[item_id] = VectorItem(item_id, vector, document or "", metadata or {})
        return [items[item_id] for item_id in ids if item_id in items]

    async def scroll(
        self,
        collection: str,
        *,
        after: str | None = None,
        limit: int = 100,
        where: Where | None = None,
    ) -> list[VectorItem]:
        # The server pages by insertion, which moves under a reader; ids do not.
        ids = sorted(await self._matching(collection, where))
        return await self.get(collection, [each for each in ids if each > (after or "")][:limit])

    async def delete(
        self, collection: str, *, ids: Sequence[str] | None = None, where: Where | None = None
    ) -> None:
        condition = parse(where)
        check_deletion(ids, where)
        remote = await self._server.reach(collection)
        if ids is None or ids:
            body = {"ids": ids and list(ids), "where": _as_chroma(condition)}
            await self._server.call(remote, "delete", body)

    async def count(self, collection: str) -> int:
        return await self._count(await self._server.reach(collection))

    async def _matching(self, collection: str, where: Where | None) -> list[str]:
        condition = parse(where)
        remote = await self._server.reach(collection)
        body: dict[str, Any] = {"where": _as_chroma(condition), "include": []}
        ids: list[str] = (await self._server.call(remote, "get", body))["ids"]
        return ids

    async def _count(self, remote: ChromaCollection) -> int:
        return int(await self._server.request("GET", f"{COLLECTIONS}/{remote.id}/count"))

    async def _describe(self, remote: ChromaCollection) -> Collection:
        count = await self._count(remote)
        return Collection(remote.name, remote.dimension, remote.embedder, count)


def _replacing(metadata: Metadata, before: Metadata | None) -> dict[str, Scalar | None] | None:
    """The server merges metadata into what an item had; a null takes a key away."""
    return {**dict.fromkeys(before or {}), **metadata} or None


def _as_chroma(condition: Condition | None) -> dict[str, Any] | None:
    match condition:
        case None:
            return None
        case Group(parts, everything):
            return {"$and" if everything else "$or": [_as_chroma(part) for part in parts]}
        case Comparison(key, [value], is_negated):
            return {key: {"$ne" if is_negated else "$eq": value}}
        case Comparison(key, values):
            return {key: {"$in": list(values)}}
