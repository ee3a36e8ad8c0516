"""Best-first traversal: from one paragraph to those around it, the strongest first; and what it
asks the database, as those do who link paragraphs.

Each hop costs: a paragraph scores what the one before it scored, times the decay, times the weight
of the edge. No score can grow on the way, so whatever is taken next is the best of all that is
left; the search ends as soon as enough is found, and a cycle only leads back to what is taken
already.
"""

import heapq
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from sqlalchemy import and_, delete, false, func, or_, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from bottega.errors import InvalidInput
from bottega.library.documents.tables import LibraryDocument, LibraryEdge, LibraryParagraph
from bottega.library.graph.edges import BELONGING, edge_row
from bottega.library.graph.schemas import EdgeKind, StepVerdict
from bottega.library.parsers.references import ancestors, parent_ref

#: Paragraphs expanded in one traversal: where only few are wanted, it ends all the same.
MAX_EXPANSIONS = 500
#: Paragraphs whose neighbours are fetched together: those that are likely to be next.
AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A paragraph one edge away."""

    target_id: str
    target_ref: str
    kind: EdgeKind
    weight: float
    #: Against the edge: to what cites, not to what is cited.
    backwards: bool = False


@dataclass(frozen=True, slots=True)
class HopStep:
    source_ref: str
    target_ref: str
    kind: EdgeKind
    weight: float
    backwards: bool
    #: Of the paragraph it leads to, if that is reached by this step.
    score: float
    #: From the start to there.
    hops: int
    verdict: StepVerdict


@dataclass(frozen=True, slots=True)
class Reached:
    id: str
    ref: str
    score: float
    #: From the start to here.
    path: tuple[HopStep, ...]

    @property
    def hops(self) -> int:
        return len(self.path)


@dataclass(frozen=True, slots=True)
class TraversalLimits:
    max_hops: int = 3
    decay: float = 0.7
    min_score: float = 0.01
    max_results: int = 30

    def __post_init__(self) -> None:
        if self.max_hops < 0 or self.max_results < 1:
            raise InvalidInput(
                f"max_hops={self.max_hops} and max_results={self.max_results} lead nowhere. "
                "Use 0 hops or more, and at least 1 result."
            )
        if not (0 <= self.decay <= 1 and 0 <= self.min_score <= 1):
            raise InvalidInput(
                f"decay={self.decay} and min_score={self.min_score} have to be between 0 and 1."
            )


#: Returns the neighbours of each of the given ids.
FindNeighbours: TypeAlias = Callable[[Sequence[str]], Awaitable[Mapping[str, Sequence[Neighbour]]]]
IsWanted: TypeAlias = Callable[[str], Awaitable[bool]]


@dataclass(slots=True)
class Traversal:
    reached: list[Reached] = field(default_factory=list)
    considered: list[HopStep] = field(default_factory=list)
    #: More could have been found, had `max_results` or the bound on the work been higher.
    cut: bool = False


async def traverse(
    start_id: str,
    start_ref: str,
    around: FindNeighbours,
    limits: TraversalLimits,
    is_wanted: IsWanted | None = None,
) -> Traversal:
    """What can be reached, best first; what is not wanted is passed through, not returned."""
    found = Traversal()
    # Equal scores in order of hops and reference, so that a walk gives the same list twice.
    waiting = [(-1.0, 0, start_ref, Reached(start_id, start_ref, 1.0, ()))]
    #: With how few hops each was taken. A weaker path with fewer hops may still lead further.
    taken: dict[str, int] = {}
    best = {(start_id, 0): 1.0}
    neighbours: dict[str, Sequence[Neighbour]] = {}
    expansions = 0
    while waiting:
        *_, here = heapq.heappop(waiting)
        if taken.get(here.id, limits.max_hops + 1) <= here.hops:
            continue
        if here.id not in taken and here.path and (is_wanted is None or await is_wanted(here.id)):
            if len(found.reached) == limits.max_results:
                found.cut = True
                break
            found.reached.append(here)
        taken[here.id] = here.hops
        if here.hops == limits.max_hops:
            continue
        if expansions == MAX_EXPANSIONS:
            found.cut = True
            break
        expansions += 1
        if here.id not in neighbours:
            next_ones = (each.id for *_, each in heapq.nsmallest(AT_ONCE - 1, waiting))
            unknown = [each for each in next_ones if each not in neighbours]
            neighbours |= await around(list(dict.fromkeys([here.id, *unknown])))
        for neighbour in neighbours[here.id]:
            further = _follow(here, neighbour, limits, best, found)
            if further is not None:
                heapq.heappush(waiting, (-further.score, further.hops, further.ref, further))
    return found


def _follow(
    here: Reached,
    neighbour: Neighbour,
    limits: TraversalLimits,
    best: dict[tuple[str, int], float],
    found: Traversal,
) -> Reached | None:
    score = here.score * limits.decay * neighbour.weight
    hops = here.hops + 1
    known = max(
        (best.get((neighbour.target_id, fewer), -1.0) for fewer in range(hops + 1)), default=-1.0
    )
    verdict = StepVerdict.FOLLOWED
    if score < limits.min_score:
        verdict = StepVerdict.TOO_WEAK
    elif known >= score:
        verdict = StepVerdict.KNOWN_BETTER
    there, way = neighbour.target_ref, (neighbour.kind, neighbour.weight, neighbour.backwards)
    step = HopStep(here.ref, there, *way, score, hops, verdict)
    found.considered.append(step)
    if verdict is not StepVerdict.FOLLOWED:
        return None
    best[neighbour.target_id, hops] = score
    return Reached(neighbour.target_id, there, score, (*here.path, step))


#: Ways on from one place: a definition that everything cites must not fill the memory.
MAX_WAYS = 200
#: How far behind a paragraph its sub-paragraphs are looked for.
SUBPARAGRAPHS = 60
#: What cites a paragraph is not quite as near to it as what it cites.
BACKWARDS = 0.8


async def document_kind(session: AsyncSession, paragraph_id: str) -> str | None:
    return await session.scalar(
        select(LibraryDocument.kind)
        .join(LibraryParagraph, LibraryParagraph.document_id == LibraryDocument.id)
        .where(LibraryParagraph.id == paragraph_id)
    )


async def neighbours_of(session: AsyncSession, ids: Sequence[str]) -> dict[str, list[Neighbour]]:
    """The neighbours of each, strongest edge first; of two edges to the same one, the stronger."""
    found: dict[str, list[Neighbour]] = {paragraph_id: [] for paragraph_id in ids}
    await _add_stored(session, found, LibraryEdge.source_id, LibraryEdge.target_id)
    await _add_stored(session, found, LibraryEdge.target_id, LibraryEdge.source_id)
    await _add_belonging(session, found)
    return {paragraph_id: strongest(neighbours) for paragraph_id, neighbours in found.items()}


def strongest(neighbours: Iterable[Neighbour]) -> list[Neighbour]:
    best: dict[str, Neighbour] = {}
    for neighbour in sorted(
        neighbours,
        key=lambda neighbour: (
            -neighbour.weight,
            neighbour.kind,
            neighbour.backwards,
            neighbour.target_ref,
        ),
    ):
        best.setdefault(neighbour.target_id, neighbour)
    return list(best.values())[:MAX_WAYS]


async def _add_stored(
    session: AsyncSession,
    found: dict[str, list[Neighbour]],
    here: InstrumentedAttribute[str],
    there: InstrumentedAttribute[str],
) -> None:
    place = func.row_number().over(
        partition_by=here, order_by=(LibraryEdge.weight.desc(), LibraryEdge.kind, there)
    )
    edges = (
        select(here.label("here"), there.label("there"), LibraryEdge.kind, LibraryEdge.weight)
        .add_columns(place.label("place"))
        .where(here.in_(found))
        .subquery()
    )
    rows = await session.execute(
        select(edges, LibraryParagraph.ref)
        .join(LibraryParagraph, LibraryParagraph.id == edges.c.there)
        .where(edges.c.place <= MAX_WAYS)
    )
    for row in rows:
        kind = EdgeKind(row.kind)
        # Nearness has no direction.
        backwards = here is LibraryEdge.target_id and kind is not EdgeKind.HOP
        weight = row.weight * (BACKWARDS if backwards else 1)
        found[row.here].append(Neighbour(row.there, row.ref, kind, weight, backwards))


async def _add_belonging(session: AsyncSession, found: dict[str, list[Neighbour]]) -> None:
    columns = select(
        LibraryParagraph.id,
        LibraryParagraph.ref,
        LibraryParagraph.document_id,
        LibraryParagraph.position,
    )
    places = (await session.execute(columns.where(LibraryParagraph.id.in_(found)))).all()
    near = [
        and_(
            LibraryParagraph.document_id == place.document_id,
            or_(
                LibraryParagraph.ref.in_(list(ancestors(place.ref))),
                LibraryParagraph.position.between(
                    place.position + 1, place.position + SUBPARAGRAPHS
                ),
            ),
        )
        for place in places
    ]
    around = (await session.execute(columns.where(or_(false(), *near)))).all()
    for place in places:
        mine = {row.ref: row.id for row in around if row.document_id == place.document_id}
        found[place.id] += [
            Neighbour(row_id, ref, EdgeKind.BELONGS_TO, BELONGING, backwards=True)
            for ref, row_id in mine.items()
            if parent_ref(ref) == place.ref
        ]
        container = next((ref for ref in ancestors(place.ref) if ref in mine), None)
        if container is not None:
            found[place.id].append(
                Neighbour(mine[container], container, EdgeKind.BELONGS_TO, BELONGING)
            )


async def paragraph_texts(session: AsyncSession, library_id: str) -> dict[str, str]:
    """The text of every paragraph, in order of id."""
    rows = await session.execute(
        select(LibraryParagraph.id, LibraryParagraph.text)
        .where(LibraryParagraph.library_id == library_id)
        .order_by(LibraryParagraph.id)
    )
    return {row.id: row.text for row in rows}


async def remove_nearness(session: AsyncSession, library_id: str) -> None:
    await session.execute(
        delete(LibraryEdge).where(
            LibraryEdge.library_id == library_id, LibraryEdge.kind == EdgeKind.HOP
        )
    )


async def add_nearness(
    session: AsyncSession, library_id: str, pairs: Iterable[tuple[str, str, float]]
) -> None:
    rows = [
        edge_row(library_id, source, target, EdgeKind.HOP, near) for source, target, near in pairs
    ]
    if not rows:
        return
    # `ON CONFLICT` is the same on both, but each dialect has its own construct for it.
    dialect: Any = sqlite if session.get_bind().dialect.name == "sqlite" else postgresql
    await session.execute(dialect.insert(LibraryEdge).on_conflict_do_nothing(), rows)
