"""The way to a Chroma server, which may be away and come back.

A server that does not answer is no reason to stop (FR-098): that is said once, the call raises
`Unavailable`, and the next call tries again; it also makes the collections anew if someone deleted
them (FR-106, EC-53).

Not through the `chromadb` package: it is hundreds of megabytes, reports usage to its makers and
brings an embedder that downloads a model. A few requests are all that is needed.
"""

from dataclasses import dataclass
from typing import Any, NoReturn

import httpx
import orjson
import structlog

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
