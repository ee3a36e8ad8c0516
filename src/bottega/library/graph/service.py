"""Traversals of a library: along citations, numbering and nearness in meaning.

Edges by meaning are computed when they are first needed, and again when the library has changed.
For a small library the caller waits for them. For a large one that takes a minute: a run is started
that computes them, and traversals meanwhile look neighbours up themselves (`NearbyParagraphs`).

Large libraries have many of them, so they are written in portions, between which others may write.
Each portion first looks whether the library is still the one that was read; what was begun for an
older one is dropped. Only when all is written does the library count as linked.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial

import structlog
from pydantic import BaseModel
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core.readers.embedder import Vector
from bottega.core.runs import RunContext
from bottega.core.services import Core
from bottega.errors import InvalidInput, NotFound, Unavailable
from bottega.library.documents import repository
from bottega.library.documents.schemas import ParagraphView
from bottega.library.documents.service import Indexes
from bottega.library.documents.tables import Library
from bottega.library.graph import traversal as graph_queries
from bottega.library.graph.nearness import NearbyParagraphs, nearest_pairs
from bottega.library.graph.schemas import GraphStep, Hop, Hops, Trace, TracedStep
from bottega.library.graph.traversal import (
    FindNeighbours,
    IsWanted,
    Neighbour,
    Reached,
    Traversal,
    TraversalLimits,
    traverse,
)
from bottega.library.parsers.document import Kind

log = structlog.get_logger()

PAIRS_AT_ONCE = 5_000
#: Paragraphs that are linked while somebody waits: about a second.
WHILE_WAITING = 5_000
KIND = "library_link"
#: Seconds until a run is begun again for a library that is still not linked.
RETRY_AFTER = 60.0
#: A library that changes faster than it can be linked is walked with the edges that it has.
TRIES = 3


class LinkOrder(BaseModel):
    library_id: str


class Linked(BaseModel):
    #: Whether the edges are those of the library as it was at the end.
    linked: bool


class SemanticLinks:
    def __init__(self, core: Core) -> None:
        self._core = core
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        #: When a run was last begun for a library.
        self._asked: dict[str, float] = {}
        self._beginning: set[asyncio.Task[None]] = set()

    def register(self) -> None:
        """Register the run that links a large library; once in a process."""
        self._core.runs.register(KIND, self._run)

    async def ready(self, library: Library) -> bool:
        """Whether the edges are there; those of a small library are computed first if need be."""
        if await self._stale_version(library.id) is None:
            return True
        async with self._core.database.read() as session:
            count = (await repository.counts(session, library.id))["paragraphs"]
        if count <= WHILE_WAITING:
            return await self.refresh(library.id)
        self._begin_soon(library)
        return False

    def _begin_soon(self, library: Library) -> None:
        """Start a run in the background: the first run of a process takes a second to start."""
        if time.monotonic() - self._asked.get(library.id, -RETRY_AFTER) < RETRY_AFTER:
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


class Graph:
    def __init__(self, core: Core) -> None:
        self._core = core
        self._links = SemanticLinks(core)
        self._indexes = Indexes(core)

    async def hop(
        self,
        library: Library,
        paragraph_id: str,
        *,
        max_hops: int = 3,
        decay: float = 0.7,
        min_score: float = 0.01,
        max_results: int = 30,
    ) -> Hops:
        """What a paragraph leads to, best first; `paragraph_id` is its id or reference.

        Raises `NotFound` if there is no such paragraph.
        """
        limits = TraversalLimits(max_hops, decay, min_score, max_results)
        return await self._reach(library, paragraph_id, limits)

    async def guide_to_standard(
        self,
        library: Library,
        guide_section_id: str,
        *,
        max_hops: int = 2,
        decay: float = 0.7,
        min_score: float = 0.01,
        max_results: int = 30,
    ) -> Hops:
        """The paragraphs of standards that a section of a guide leads to."""
        async with self._core.database.read() as session:
            start = await _start(session, library, guide_section_id)
        if start.kind is not Kind.GUIDE:
            raise InvalidInput(
                f"{start.ref!r} is in a standard ({start.document}). Give the section of a guide "
                "here, or hop from the standard's paragraph itself."
            )
        limits = TraversalLimits(max_hops, decay, min_score, max_results)
        return await self._reach(library, guide_section_id, limits, only=Kind.STANDARD)

    async def trace(self, library: Library, start_id: str, max_hops: int = 3) -> Trace:
        """The walk of `hop` with every step that it considered, for debugging."""
        linked = await self.link(library)
        async with self._core.database.read() as session:
            start = await _start(session, library, start_id)
            found = await self._walk(session, library, start, TraversalLimits(max_hops), linked)
            hops = await _hops(session, library, found.reached)
        steps = [TracedStep.model_validate(step) for step in found.considered]
        return Trace(start=start, steps=steps, hops=hops, linked=linked)

    async def link(self, library: Library) -> bool:
        """Compute stale edges by meaning, now or in a run; returns whether they are up to date."""
        return await self._links.ready(library)

    async def _reach(
        self, library: Library, start_id: str, limits: TraversalLimits, only: Kind | None = None
    ) -> Hops:
        """`only` keeps what is in documents of that kind."""
        linked = await self.link(library)
        async with self._core.database.read() as session:

            async def is_wanted(paragraph_id: str) -> bool:
                return await graph_queries.document_kind(session, paragraph_id) == only

            start = await _start(session, library, start_id)
            found = await self._walk(
                session, library, start, limits, linked, is_wanted if only else None
            )
            hops = await _hops(session, library, found.reached)
        return Hops(start=start, hops=hops, cut=found.cut, linked=linked)

    async def _walk(
        self,
        session: AsyncSession,
        library: Library,
        start: ParagraphView,
        limits: TraversalLimits,
        linked: bool,
        is_wanted: IsWanted | None = None,
    ) -> Traversal:
        around: FindNeighbours = partial(graph_queries.neighbours_of, session)
        if not linked:
            index = self._indexes.vectors(library.id)
            nearby = NearbyParagraphs(session, library.id, self._core.embedder, index)
            around = _with_nearby(around, nearby)
        return await traverse(start.id, start.ref, around, limits, is_wanted)


async def _start(session: AsyncSession, library: Library, identifier: str) -> ParagraphView:
    found = await repository.paragraph(session, library.id, identifier)
    if found is None:
        raise NotFound(
            f"The library {library.name!r} has no paragraph {identifier!r} to start from. Search "
            "for one, or give a reference as its document writes it."
        )
    return found


def _with_nearby(around: FindNeighbours, nearby: NearbyParagraphs) -> FindNeighbours:
    async def look(ids: Sequence[str]) -> Mapping[str, Sequence[Neighbour]]:
        stored, near = await around(ids), await nearby.neighbours_of(ids)
        return {key: graph_queries.strongest([*stored[key], *near.get(key, ())]) for key in ids}

    return look


async def _hops(session: AsyncSession, library: Library, reached: Sequence[Reached]) -> list[Hop]:
    paragraphs = await repository.paragraphs(session, library.id, [each.id for each in reached])
    return [
        Hop(
            paragraph=paragraphs[each.id],
            score=each.score,
            hops=each.hops,
            path=[GraphStep.model_validate(step) for step in each.path],
        )
        for each in reached
    ]


def _near(ids: Sequence[str], vectors: Vector) -> list[tuple[str, str, float]]:
    return [(ids[one], ids[other], cosine) for one, other, cosine in nearest_pairs(vectors)]
