"""From one place to the places around it, the strongest first.

Each hop costs: a place scores what the place before it scored, times the decay, times the weight of
the edge. No score can grow on the way, so whatever is taken next is the best of all that is left;
the search ends as soon as enough is found, and a cycle only leads back to what is taken already.
"""

import heapq
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from bottega.errors import InvalidInput
from bottega.library.graph.edges import EdgeKind

#: Places looked around from in one traversal: where only few are wanted, it ends all the same.
MAX_EXPANSIONS = 500
#: Places whose ways on are asked for together: those that are likely to be next.
AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class Way:
    """One way on from a place."""

    target_id: str
    target_ref: str
    kind: EdgeKind
    weight: float
    #: Against the edge: to what cites, not to what is cited.
    backwards: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    source_ref: str
    way: Way
    #: Of the place it leads to, if it is reached by this step.
    score: float


@dataclass(frozen=True, slots=True)
class Reached:
    id: str
    ref: str
    score: float
    #: From the start to here.
    path: tuple[Step, ...]

    @property
    def hops(self) -> int:
        return len(self.path)


class Verdict(StrEnum):
    FOLLOWED = "followed"
    #: A better way leads there.
    KNOWN_BETTER = "known_better"
    TOO_WEAK = "too_weak"


@dataclass(frozen=True, slots=True)
class Considered:
    step: Step
    hops: int
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Limits:
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


#: The ways on from each of some places.
Around: TypeAlias = Callable[[Sequence[str]], Awaitable[Mapping[str, Sequence[Way]]]]
IsWanted: TypeAlias = Callable[[str], Awaitable[bool]]


@dataclass(slots=True)
class Traversal:
    reached: list[Reached] = field(default_factory=list)
    considered: list[Considered] = field(default_factory=list)
    #: More could have been found, had `max_results` or the bound on the work been higher.
    cut: bool = False


async def traverse(
    start_id: str, start_ref: str, around: Around, limits: Limits, is_wanted: IsWanted | None = None
) -> Traversal:
    """What can be reached, best first; what is not wanted is passed through, not returned."""
    found = Traversal()
    # Equal scores in order of hops and reference, so that a walk gives the same list twice.
    waiting = [(-1.0, 0, start_ref, Reached(start_id, start_ref, 1.0, ()))]
    #: With how few hops a place was taken. A weaker way with fewer hops may still lead further.
    taken: dict[str, int] = {}
    best = {(start_id, 0): 1.0}
    ways: dict[str, Sequence[Way]] = {}
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
        if here.id not in ways:
            next_ones = (each.id for *_, each in heapq.nsmallest(AT_ONCE - 1, waiting))
            unknown = [each for each in next_ones if each not in ways]
            ways |= await around(list(dict.fromkeys([here.id, *unknown])))
        for way in ways[here.id]:
            further = _follow(here, way, limits, best, found)
            if further is not None:
                heapq.heappush(waiting, (-further.score, further.hops, further.ref, further))
    return found


def _follow(
    here: Reached,
    way: Way,
    limits: Limits,
    best: dict[tuple[str, int], float],
    found: Traversal,
) -> Reached | None:
    step = Step(here.ref, way, here.score * limits.decay * way.weight)
    hops = here.hops + 1
    known = max((best.get((way.target_id, fewer), -1.0) for fewer in range(hops + 1)), default=-1.0)
    verdict = Verdict.FOLLOWED
    if step.score < limits.min_score:
        verdict = Verdict.TOO_WEAK
    elif known >= step.score:
        verdict = Verdict.KNOWN_BETTER
    found.considered.append(Considered(step, hops, verdict))
    if verdict is not Verdict.FOLLOWED:
        return None
    best[way.target_id, hops] = step.score
    return Reached(way.target_id, way.target_ref, step.score, (*here.path, step))
