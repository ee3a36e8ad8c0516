"""Vectors on a Chroma server, which may be away and come back: every method is one or two requests
of its REST API.

A server that does not answer is no reason to stop (FR-098): that is said once, the call raises
`Unavailable`, and the next call tries again; it also makes the collections anew if someone deleted
them (FR-106, EC-53).

Not through the `chromadb` package: it is hundreds of megabytes, reports usage to its makers and
brings an embedder that downloads a model. A few requests are all that is needed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import httpx
import numpy as np
import orjson
import structlog

from bottega.core.readers.embedder import Vector, unit
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
from bottega.errors import Conflict, InvalidInput, NotFound, Unavailable

log = structlog.get_logger()

COLLECTIONS = "/api/v2/tenants/default_tenant/databases/default_database/collections"
TIMEOUT = httpx.Timeout(30, connect=3)


@dataclass(frozen=True, slots=True)
class ChromaCollection:
    """A collection as the server knows it."""

    id: str
    name: str
    dimension: int
    embedder: str


class ChromaConnection:
    def __init__(self, url: str) -> None:
        self.available = False
        self._url = url.rstrip("/")
        self._client = httpx.AsyncClient(timeout=TIMEOUT, trust_env=False)
        #: Dimension and embedder of the collections asked for: made again if they vanish.
        self._wanted: dict[str, tuple[int, str]] = {}
        self._found: dict[str, ChromaCollection] = {}

    async def open(self) -> None:
        """Connect, or say that there is nothing to connect to."""
        try:
            await self._connect()
        except Unavailable:
            self._warn()

    async def close(self) -> None:
        await self._client.aclose()

    async def want(self, name: str, dimension: int, embedder: str) -> None:
        """Have this collection, now or as soon as the server is back."""
        before = self._wanted.get(name)
        self._wanted[name] = (dimension, embedder)
        try:
            await self.reach(name)
        except Conflict:
            self.forget(name)
            if before:
                self._wanted[name] = before
            raise

    def forget(self, name: str) -> None:
        self._wanted.pop(name, None)
        self._found.pop(name, None)

    async def reach(self, name: str) -> ChromaCollection:
        """The collection, made if it is wanted; else `NotFound`."""
        found = await self.find(name)
        wanted = self._wanted.get(name)
        if found is None and wanted:
            found = await self._make(name, *wanted)
        if found is None:
            raise NotFound(f"There is no vector collection {name!r} on {self._url}. Make it first.")
        if wanted and wanted != (found.dimension, found.embedder):
            raise Conflict(
                f"The collection {name!r} on {self._url} has vectors of {found.embedder!r} with "
                f"{found.dimension} dimensions, not of {wanted[1]!r} with {wanted[0]}. Re-embed "
                "it, or use another name."
            )
        return found

    async def check(self) -> None:
        """Connect again if the last call failed."""
        if not self.available:
            await self._connect()

    async def find(self, name: str) -> ChromaCollection | None:
        await self.check()
        if name not in self._found:
            found = await self.request("GET", f"{COLLECTIONS}/{name}", may_be_absent=True)
            if found is None:
                return None
            self._found[name] = as_collection(found)
        return self._found[name]

    async def call(self, found: ChromaCollection, verb: str, body: dict[str, Any]) -> Any:
        return await self.request("POST", f"{COLLECTIONS}/{found.id}/{verb}", body)

    async def request(
        self, method: str, path: str, body: object = None, *, may_be_absent: bool = False
    ) -> Any:
        content = orjson.dumps(body, option=orjson.OPT_SERIALIZE_NUMPY) if body else None
        try:
            response = await self._client.request(
                method,
                self._url + path,
                content=content,
                headers={"content-type": "application/json"},
            )
            answer = orjson.loads(response.content)
        except (httpx.HTTPError, httpx.InvalidURL, orjson.JSONDecodeError) as error:
            self._fail(f"{type(error).__name__}: {error}", error)
        if response.is_success:
            return answer
        if response.status_code == httpx.codes.NOT_FOUND and may_be_absent:
            return None
        if response.status_code in (httpx.codes.BAD_REQUEST, httpx.codes.UNPROCESSABLE_ENTITY):
            raise InvalidInput(f"ChromaDB at {self._url} refused this: {response.text}")
        return self._fail(f"{response.status_code} {response.text}")

    async def _connect(self) -> None:
        await self.request("GET", "/api/v2/heartbeat")
        self.available = True
        self._found.clear()
        for name, (dimension, embedder) in self._wanted.items():
            if await self.find(name) is None:
                await self._make(name, dimension, embedder)
            else:
                log.info(f"ChromaDB connected — collection {name} ready", url=self._url)

    async def _make(self, name: str, dimension: int, embedder: str) -> ChromaCollection:
        body = {
            "name": name,
            # Another process may be making it at the same moment.
            "get_or_create": True,
            "metadata": {"embedder": embedder, "dimension": dimension},
            "configuration": {"hnsw": {"space": "cosine"}},
        }
        self._found[name] = as_collection(await self.request("POST", COLLECTIONS, body))
        log.info(f"ChromaDB connected — collection {name} ready", url=self._url)
        return self._found[name]

    def _warn(self) -> None:
        log.warning(f"ChromaDB unavailable at {self._url} — memory features disabled")

    def _fail(self, reason: str, cause: Exception | None = None) -> NoReturn:
        if self.available:
            self.available = False
            self._warn()
        raise Unavailable(
            f"ChromaDB at {self._url} does not answer as it should ({reason}). Start it, or check "
            "CHROMADB_URL; the next call tries again."
        ) from cause


def as_collection(found: dict[str, Any]) -> ChromaCollection:
    metadata = found["metadata"] or {}
    dimension = metadata.get("dimension") or found["dimension"] or 0
    return ChromaCollection(
        found["id"], found["name"], dimension, metadata.get("embedder", "unknown")
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
