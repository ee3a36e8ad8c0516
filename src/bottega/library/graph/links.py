"""Edges by meaning: computed when they are first needed, again when the library has changed.

Of a small library whoever needs them waits for them. Of a large one that takes a minute: a run is
begun that computes them, and walks meanwhile look around for themselves (`nearby.py`).

Large libraries have many of them, so they are written in portions, between which others may write.
Each portion first looks whether the library is still the one that was read; what was begun for an
older one is dropped. Only when all is written does the library count as linked.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Sequence

import structlog
from pydantic import BaseModel

from bottega.core.runs import RunContext
from bottega.core.services import Core
from bottega.core.vectors.store import Vector
from bottega.errors import Unavailable
from bottega.library import repository
from bottega.library.graph import queries as graph_queries
from bottega.library.graph.nearness import nearest_pairs
from bottega.library.tables import Library

log = structlog.get_logger()

PAIRS_AT_ONCE = 5_000
#: Paragraphs that are linked while somebody waits: about a second.
WHILE_WAITING = 5_000
KIND = "library_link"
#: Seconds until a run is begun again for a library that is still not linked.
PATIENCE = 60.0
#: A library that changes faster than it can be linked is walked with the edges that it has.
TRIES = 3


class LinkOrder(BaseModel):
    library_id: str


class Linked(BaseModel):
    #: Whether the edges are those of the library as it was at the end.
    linked: bool


class Links:
    def __init__(self, core: Core) -> None:
        self._core = core
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        #: When a run was last begun for a library.
        self._asked: dict[str, float] = {}
        self._beginning: set[asyncio.Task[None]] = set()

    def register(self) -> None:
        """The kind of run that links a large library; once in a house."""
        self._core.runs.register(KIND, self._run)

    async def ready(self, library: Library) -> bool:
        """Whether the edges are there; if the library is small, they are from now on."""
        if await self._stale_version(library.id) is None:
            return True
        async with self._core.database.read() as session:
            count = (await repository.counts(session, library.id))["paragraphs"]
        if count <= WHILE_WAITING:
            return await self.refresh(library.id)
        self._begin_soon(library)
        return False

    def _begin_soon(self, library: Library) -> None:
        """Nobody waits for it: the first run of a process takes a second to begin."""
        if time.monotonic() - self._asked.get(library.id, -PATIENCE) < PATIENCE:
            return
        self._asked[library.id] = time.monotonic()
        task = asyncio.create_task(self._begin(library))
        self._beginning.add(task)
        task.add_done_callback(self._beginning.discard)

    async def _begin(self, library: Library) -> None:
        try:
            order = LinkOrder(library_id=library.id)
            await self._core.runs.start(KIND, order, user_id=library.user_id)
        except Exception as error:  # nobody waits for it, and the house may be closing
            log.warning("library.links_stale", library=library.id, why=str(error))

    async def _run(self, run: RunContext, order: LinkOrder) -> Linked:
        return Linked(linked=await run.step("link", self.refresh, order.library_id))

    async def refresh(self, library_id: str) -> bool:
        """Whether the edges by meaning are those of the library as it is now."""
        async with self._turns[library_id]:
            for _ in range(TRIES):
                version = await self._stale_version(library_id)
                if version is None:
                    return True
                try:
                    if await self._link(library_id, version):
                        return True
                except Unavailable as error:
                    log.warning("library.links_stale", library=library_id, why=error.message)
                    return False
        log.warning("library.links_stale", library=library_id, why="it keeps changing")
        return False

    async def _stale_version(self, library_id: str) -> int | None:
        """The version that has no edges by meaning yet; `None` if it has."""
        async with self._core.database.read() as session:
            library = await session.get(Library, library_id)
            if library is None or library.linked_version == library.version:
                return None
            return library.version

    async def _link(self, library_id: str, version: int) -> bool:
        async with self._core.database.read() as session:
            texts = await graph_queries.paragraph_texts(session, library_id)
        # Search's vectors hold the headings too: by them all paragraphs of a section are alike.
        vectors = await self._core.embedder.embed(list(texts.values()))
        pairs = await asyncio.to_thread(_near, list(texts), vectors)
        for start in range(0, max(len(pairs), 1), PAIRS_AT_ONCE):
            some = pairs[start : start + PAIRS_AT_ONCE]
            is_last = start + PAIRS_AT_ONCE >= len(pairs)
            if not await self._write(library_id, version, some, start == 0, is_last):
                return False
        log.info("library.linked", library=library_id, version=version, edges=len(pairs))
        return True

    async def _write(
        self,
        library_id: str,
        version: int,
        pairs: Sequence[tuple[str, str, float]],
        is_first: bool,
        is_last: bool,
    ) -> bool:
        async with self._core.database.write() as session:
            library = await session.get(Library, library_id, with_for_update=True)
            if library is None or library.version != version:
                return False
            if is_first:
                await graph_queries.remove_nearness(session, library_id)
            await graph_queries.add_nearness(session, library_id, pairs)
            if is_last:
                library.linked_version = version
            return True


def _near(ids: Sequence[str], vectors: Vector) -> list[tuple[str, str, float]]:
    return [(ids[one], ids[other], cosine) for one, other, cosine in nearest_pairs(vectors)]
