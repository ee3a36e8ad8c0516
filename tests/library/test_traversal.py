"""Best-first walks over any graph, and which texts are near."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bottega.core.readers.embedder import Vector, unit
from bottega.errors import InvalidInput
from bottega.library.graph import nearness
from bottega.library.graph.schemas import EdgeKind, StepVerdict
from bottega.library.graph.traversal import (
    MAX_EXPANSIONS,
    FindNeighbours,
    Neighbour,
    Traversal,
    TraversalLimits,
    traverse,
)

Graph = dict[str, dict[str, float]]


def around(graph: Graph) -> FindNeighbours:
    async def ways(ids: Sequence[str]) -> Mapping[str, Sequence[Neighbour]]:
        return {
            here: [Neighbour(to, to, EdgeKind.CITES, weight) for to, weight in graph[here].items()]
            for here in ids
        }

    return ways


async def walk(graph: Graph, limits: TraversalLimits | None = None) -> Traversal:
    return await traverse("a", "a", around(graph), limits or TraversalLimits())


def scores(found: Traversal) -> dict[str, float]:
    return {each.id: round(each.score, 6) for each in found.reached}


@pytest.mark.requirement("LB-403")
async def test_a_score_is_the_product_of_decays_and_weights_along_the_best_path() -> None:
    """Each hop costs the decay times the edge's weight; results come with their path."""
    graph: Graph = {"a": {"b": 1.0, "c": 0.2}, "b": {"c": 0.9}, "c": {}}
    found = await walk(graph)
    assert scores(found) == {"b": 0.7, "c": round(0.7 * 0.7 * 0.9, 6)}
    assert [step.target_ref for step in found.reached[1].path] == ["b", "c"]
    assert found.reached[1].hops == 2


@pytest.mark.requirement("LB-404")
async def test_cycles_lead_back_to_what_is_taken_already() -> None:
    """A citation that leads back to the start, or to itself, ends there."""
    graph: Graph = {"a": {"b": 1.0, "a": 1.0}, "b": {"c": 1.0}, "c": {"a": 1.0, "b": 1.0}}
    found = await walk(graph, TraversalLimits(max_hops=50, min_score=0, decay=1))
    assert [each.id for each in found.reached] == ["b", "c"]
    assert not found.cut


@pytest.mark.requirement("LB-405")
async def test_limits_hold_and_a_cut_is_told() -> None:
    """Hops, least score and number of results bound the walk."""
    chain: Graph = {"a": {"b": 1.0}, "b": {"c": 1.0}, "c": {"d": 1.0}, "d": {}}
    assert list(scores(await walk(chain, TraversalLimits(max_hops=2)))) == ["b", "c"]
    assert list(scores(await walk(chain, TraversalLimits(min_score=0.5)))) == ["b"]
    assert list(scores(await walk(chain, TraversalLimits(max_hops=0)))) == []
    few = await walk(chain, TraversalLimits(max_results=2))
    assert (list(scores(few)), few.cut) == (["b", "c"], True)
    assert not (await walk(chain)).cut


@pytest.mark.requirement("LB-405")
@pytest.mark.parametrize(
    "wrong", [{"max_hops": -1}, {"max_results": 0}, {"decay": 1.5}, {"min_score": -0.1}]
)
def test_limits_that_make_no_sense_are_refused(wrong: dict[str, float]) -> None:
    """A bad limit is an error that names the value."""
    with pytest.raises(InvalidInput, match=str(next(iter(wrong.values())))):
        TraversalLimits(**wrong)  # type: ignore[arg-type]


@pytest.mark.requirement("LB-405")
async def test_a_walk_ends_even_if_nothing_is_wanted() -> None:
    """The work is bounded, not only the results."""
    asked: set[str] = set()

    async def endless(ids: Sequence[str]) -> Mapping[str, Sequence[Neighbour]]:
        asked.update(ids)
        return {
            here: [Neighbour(f"{here}{n}", f"{here}{n}", EdgeKind.CITES, 1.0) for n in range(3)]
            for here in ids
        }

    async def is_wanted(_: str) -> bool:
        return False

    limits = TraversalLimits(max_hops=1000, decay=1, min_score=0)
    found = await traverse("a", "a", endless, limits, is_wanted)
    assert found.cut
    assert found.reached == []
    assert len(asked) <= MAX_EXPANSIONS * 16


@pytest.mark.requirement("LB-410")
async def test_every_step_is_told_with_what_became_of_it() -> None:
    """Followed, known by a better way, or too weak."""
    graph: Graph = {"a": {"b": 1.0, "c": 0.9}, "b": {"c": 0.5, "d": 0.01}, "c": {}, "d": {}}
    found = await walk(graph)
    told = {(each.source_ref, each.target_ref): each.verdict for each in found.considered}
    assert told == {
        ("a", "b"): StepVerdict.FOLLOWED,
        ("a", "c"): StepVerdict.FOLLOWED,
        ("b", "c"): StepVerdict.KNOWN_BETTER,
        ("b", "d"): StepVerdict.TOO_WEAK,
    }


@pytest.mark.requirement("LB-403")
@given(
    st.dictionaries(
        st.sampled_from("abcde"),
        st.dictionaries(st.sampled_from("abcde"), st.sampled_from([0.1, 0.5, 0.8, 1.0])),
    ),
    st.integers(0, 4),
)
async def test_the_walk_finds_what_trying_every_path_finds(drawn: Graph, max_hops: int) -> None:
    """The best path within the hops is found for every place, and best comes first."""
    graph = {name: drawn.get(name, {}) for name in "abcde"}
    best: dict[str, float] = {}
    paths = [("a", 1.0)]
    for _ in range(max_hops):
        paths = [
            (to, score * 0.7 * weight)
            for here, score in paths
            for to, weight in graph[here].items()
            if score * 0.7 * weight >= 0.01
        ]
        for to, score in paths:
            best[to] = max(best.get(to, 0), score)
    best.pop("a", None)
    found = await walk(graph, TraversalLimits(max_hops=max_hops))
    assert scores(found) == {name: round(score, 6) for name, score in best.items()}
    ordered = [(-each.score, each.hops, each.id) for each in found.reached]
    assert ordered == sorted(ordered)


def clusters(count: int, size: int) -> Vector:
    generator = np.random.default_rng(1)
    centres = np.repeat(generator.standard_normal((count, 64)), size, axis=0)
    return unit(centres + 0.4 * generator.standard_normal(centres.shape))


@pytest.mark.requirement("LB-412")
def test_only_unusually_near_texts_are_linked() -> None:
    """A few nearest each, above what is usual between these texts."""
    vectors = clusters(40, 4)
    pairs = nearness.nearest_pairs(vectors)
    assert {(one, other) for one, other, _ in pairs} == {
        (one, other)
        for one in range(160)
        for other in range(one + 1, 160)
        if one // 4 == other // 4
    }
    assert all(0 < cosine <= 1 for *_, cosine in pairs)
    cosines = (vectors @ vectors.T)[~np.eye(160, dtype=bool)]
    usual = cosines.mean() + nearness.DEVIATIONS * cosines.std()
    assert nearness.unusual_nearness(vectors) == pytest.approx(usual, abs=1e-4)
    many = nearness.nearest_pairs(clusters(30, 60))
    assert len(many) <= 30 * 60 * nearness.NEAREST


@pytest.mark.requirement("LB-412")
def test_few_texts_make_no_pairs() -> None:
    """None, one, or two texts."""
    assert nearness.nearest_pairs(np.zeros((0, 4), dtype=np.float32)) == []
    assert nearness.nearest_pairs(unit(np.ones((1, 4)))) == []
    assert len(nearness.nearest_pairs(unit(np.ones((2, 4))))) == 1


@pytest.mark.requirement("LB-413")
def test_large_libraries_are_compared_in_cells_that_miss_little(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Beyond the bound, nine in ten of the exact pairs are found for a fraction of it."""
    vectors = clusters(400, 5)
    exact = {pair[:2] for pair in nearness.nearest_pairs(vectors)}
    monkeypatch.setattr(nearness, "ALL_PAIRS", 100)
    compared = sum(len(rows) * len(others) for rows, others in nearness.by_cells(vectors))
    found = {pair[:2] for pair in nearness.nearest_pairs(vectors)}
    assert len(found & exact) >= 0.9 * len(exact)
    assert compared < 0.5 * len(vectors) ** 2
