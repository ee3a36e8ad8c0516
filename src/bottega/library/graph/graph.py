"""Walks through a library: along citations, numbering and nearness in meaning."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core.services import Core
from bottega.errors import InvalidInput, NotFound
from bottega.library import repository
from bottega.library.graph import queries as graph_queries
from bottega.library.graph.links import Links
from bottega.library.graph.nearby import Nearby
from bottega.library.graph.traversal import (
    Around,
    IsWanted,
    Limits,
    Reached,
    Step,
    Traversal,
    Way,
    traverse,
)
from bottega.library.graph.views import GraphStep, Hop, Hops, Trace, TracedStep
from bottega.library.indexes import Indexes
from bottega.library.reading.document import Kind
from bottega.library.tables import Library
from bottega.library.views import ParagraphView


class Graph:
    def __init__(self, core: Core) -> None:
        self._core = core
        self._links = Links(core)
        self._indexes = Indexes(core)

    async def hop(
        self,
        library: Library,
        start_id: str,
        *,
        max_hops: int = 3,
        decay: float = 0.7,
        min_score: float = 0.01,
        max_results: int = 30,
    ) -> Hops:
        """What a paragraph leads to; `start_id` is its id or its reference."""
        limits = Limits(max_hops, decay, min_score, max_results)
        return await self._reach(library, start_id, limits)

    async def guide_to_standard(
        self,
        library: Library,
        section_id: str,
        *,
        max_hops: int = 2,
        decay: float = 0.7,
        min_score: float = 0.01,
        max_results: int = 30,
    ) -> Hops:
        """The paragraphs of standards that a section of a guide leads to."""
        async with self._core.database.read() as session:
            start = await _start(session, library, section_id)
        if start.kind is not Kind.GUIDE:
            raise InvalidInput(
                f"{start.ref!r} is in a standard ({start.document}). Give the section of a guide "
                "here, or hop from the standard's paragraph itself."
            )
        limits = Limits(max_hops, decay, min_score, max_results)
        return await self._reach(library, section_id, limits, only=Kind.STANDARD)

    async def trace(self, library: Library, start_id: str, max_hops: int = 3) -> Trace:
        """The walk of `hop` with every step that it considered, for debugging."""
        linked = await self.link(library)
        async with self._core.database.read() as session:
            start = await _start(session, library, start_id)
            found = await self._walk(session, library, start, Limits(max_hops), linked)
            hops = await _hops(session, library, found.reached)
        steps = [
            TracedStep(**_shown(each.step), hops=each.hops, verdict=each.verdict)
            for each in found.considered
        ]
        return Trace(start=start, steps=steps, hops=hops, linked=linked)

    async def link(self, library: Library) -> bool:
        """Have edges by meaning for the library as it is now, or soon; whether it has them."""
        return await self._links.ready(library)

    async def _reach(
        self, library: Library, start_id: str, limits: Limits, only: Kind | None = None
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
        limits: Limits,
        linked: bool,
        is_wanted: IsWanted | None = None,
    ) -> Traversal:
        around: Around = partial(graph_queries.ways_from, session)
        if not linked:
            index = self._indexes.vectors(library.id)
            nearby = Nearby(session, library.id, self._core.embedder, index)
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


def _with_nearby(around: Around, nearby: Nearby) -> Around:
    async def look(ids: Sequence[str]) -> Mapping[str, Sequence[Way]]:
        stored, near = await around(ids), await nearby.ways_from(ids)
        return {key: graph_queries.strongest([*stored[key], *near.get(key, ())]) for key in ids}

    return look


async def _hops(session: AsyncSession, library: Library, reached: Sequence[Reached]) -> list[Hop]:
    paragraphs = await repository.paragraphs(session, library.id, [each.id for each in reached])
    return [
        Hop(
            paragraph=paragraphs[each.id],
            score=each.score,
            hops=each.hops,
            path=[GraphStep(**_shown(step)) for step in each.path],
        )
        for each in reached
    ]


def _shown(step: Step) -> dict[str, Any]:
    """The fields of a `GraphStep`."""
    way = step.way
    return {
        "source_ref": step.source_ref,
        "target_ref": way.target_ref,
        "kind": way.kind,
        "weight": way.weight,
        "backwards": way.backwards,
        "score": step.score,
    }
