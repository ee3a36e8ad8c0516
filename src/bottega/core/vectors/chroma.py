"""Vectors on a Chroma server: every method is one or two requests of its REST API."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from bottega.core.vectors.chroma_connection import COLLECTIONS, ChromaConnection, Place, as_place
from bottega.core.vectors.store import (
    Collection,
    Metadata,
    Scalar,
    Vector,
    VectorHit,
    VectorItem,
    Where,
    check_items,
    check_name,
    check_vector,
    unit,
)
from bottega.core.vectors.where import (
    Comparison,
    Condition,
    Group,
    Operator,
    holds,
    parse,
)
from bottega.errors import InvalidInput

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
        place = await self._server.find(name)
        return None if place is None else await self._describe(place)

    async def collections(self) -> list[Collection]:
        await self._server.check()
        found = await self._server.request("GET", COLLECTIONS)
        places = sorted(map(as_place, found), key=lambda place: place.name)
        return [await self._describe(place) for place in places]

    async def drop_collection(self, name: str) -> None:
        await self._server.check()
        self._server.forget(name)
        await self._server.request("DELETE", f"{COLLECTIONS}/{name}", may_be_absent=True)

    async def rename_collection(self, name: str, to: str) -> None:
        check_name(to)
        place = await self._server.reach(name)
        # The server cannot do both at once; `reembed.recover` mends a crash between the two.
        await self.drop_collection(to)
        await self._server.request("PUT", f"{COLLECTIONS}/{place.id}", {"new_name": to})
        self._server.forget(name)
        await self._server.want(to, place.dimension, place.embedder)

    async def upsert(self, collection: str, items: Sequence[VectorItem]) -> None:
        place = await self._server.reach(collection)
        unique, vectors = check_items(collection, items, place.dimension)
        for start in range(0, len(unique), ITEMS_AT_ONCE):
            some = unique[start : start + ITEMS_AT_ONCE]
            ids = [item.id for item in some]
            before = await self._server.call(place, "get", {"ids": ids, "include": ["metadatas"]})
            known = dict(zip(before["ids"], before["metadatas"], strict=True))
            body = {
                "ids": ids,
                "embeddings": list(vectors[start : start + ITEMS_AT_ONCE]),
                "documents": [item.document for item in some],
                "metadatas": [_replacing(item.metadata, known.get(item.id)) for item in some],
            }
            await self._server.call(place, "upsert", body)

    async def query(
        self, collection: str, vector: Vector, *, limit: int = 10, where: Where | None = None
    ) -> list[VectorHit]:
        condition = parse(where)
        place = await self._server.reach(collection)
        body = {
            "query_embeddings": [check_vector(collection, vector, place.dimension)],
            "n_results": limit,
            "where": _as_chroma(condition),
            "include": ["documents", "metadatas", "distances"],
        }
        found = await self._server.call(place, "query", body)
        columns = [found[name][0] for name in ("ids", "documents", "metadatas", "distances")]
        return [
            VectorHit(item_id, document or "", metadata or {}, distance)
            for item_id, document, metadata, distance in zip(*columns, strict=True)
        ]

    async def nearest(
        self, collection: str, vector: Vector, *, limit: int = 10, where: Where | None = None
    ) -> dict[str, float]:
        hits = await self.query(collection, vector, limit=limit, where=where)
        return {hit.id: 1 - hit.distance for hit in hits}

    async def similarities(
        self, collection: str, vector: Vector, ids: Sequence[str]
    ) -> dict[str, float]:
        items = await self.get(collection, ids)
        return {item.id: float(item.vector @ unit(vector)) for item in items}

    async def get(self, collection: str, ids: Sequence[str]) -> list[VectorItem]:
        place = await self._server.reach(collection)
        items: dict[str, VectorItem] = {}
        include = ["documents", "metadatas", "embeddings"]
        for start in range(0, len(ids), ITEMS_AT_ONCE):
            some = list(ids[start : start + ITEMS_AT_ONCE])
            found = await self._server.call(place, "get", {"ids": some, "include": include})
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
        if ids is None and condition is None:
            raise InvalidInput("Say which items to delete: `ids`, `where` or both.")
        place = await self._server.reach(collection)
        if ids is None or ids:
            body = {"ids": ids and list(ids), "where": _as_chroma(condition)}
            await self._server.call(place, "delete", body)

    async def count(self, collection: str, where: Where | None = None) -> int:
        if where:
            return len(await self._matching(collection, where))
        return await self._count(await self._server.reach(collection))

    async def _matching(self, collection: str, where: Where | None) -> list[str]:
        condition = parse(where)
        place = await self._server.reach(collection)
        body: dict[str, Any] = {"where": _as_chroma(condition), "include": []}
        ids: list[str] = (await self._server.call(place, "get", body))["ids"]
        return ids

    async def _count(self, place: Place) -> int:
        return int(await self._server.request("GET", f"{COLLECTIONS}/{place.id}/count"))

    async def _describe(self, place: Place) -> Collection:
        count = await self._count(place)
        return Collection(place.name, place.dimension, place.embedder, count)


def _replacing(metadata: Metadata, before: Metadata | None) -> dict[str, Scalar | None] | None:
    """The server merges metadata into what an item had; a null takes a key away."""
    return {**dict.fromkeys(before or {}), **metadata} or None


def _as_chroma(condition: Condition | None) -> dict[str, Any] | None:
    if condition is None:
        return None
    if isinstance(condition, Group):
        name = "$and" if condition.all else "$or"
        return {name: [_as_chroma(part) for part in condition.parts]}
    if condition.operator not in (Operator.IN, Operator.NIN):
        return _comparison(condition)
    parts = _members(condition)
    if len(parts) == 1:
        return parts[0]
    return {"$or" if condition.operator is Operator.IN else "$and": parts}


def _members(comparison: Comparison) -> list[dict[str, Any]]:
    """The members of a list by type, as the server wants them, and the fractions one by one."""
    key, values = comparison.key, comparison.values
    single = Operator.EQ if comparison.operator is Operator.IN else Operator.NE
    lists = (
        [value for value in values if isinstance(value, str)],
        [value for value in values if isinstance(value, bool)],
        [int(value) for value in values if _is_whole(value)],
    )
    fractions = [value for value in values if isinstance(value, float) and not _is_whole(value)]
    return [
        *({key: {comparison.operator.value: members}} for members in lists if members),
        *(_comparison(Comparison(key, single, (value,))) for value in fractions),
    ]


def _comparison(comparison: Comparison) -> dict[str, Any]:
    [value] = comparison.values
    plain = {comparison.key: {comparison.operator.value: value}}
    if not isinstance(value, float) or _is_whole(value):
        return plain
    # The server cuts the fraction off before it compares with integers, and errs on this one.
    cut = int(value)
    if holds(comparison, cut):
        return {"$or": [plain, {comparison.key: {"$eq": cut}}]}
    return {"$and": [plain, {comparison.key: {"$ne": cut}}]}


def _is_whole(value: Scalar) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == int(value)
