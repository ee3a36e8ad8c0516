"""Groups of vectors."""

import numpy as np
from numpy.typing import NDArray

from bottega.core.clustering import NOISE, cluster
from bottega.core.vectors.store import Vector, unit


def around(centres: Vector, each: int, seed: int = 0) -> tuple[Vector, NDArray[np.int64]]:
    generator = np.random.default_rng(seed)
    truth = np.repeat(np.arange(len(centres)), each)
    noise = generator.standard_normal((len(truth), centres.shape[1])) * 0.02
    return unit(centres[truth] + noise), truth


async def test_groups_are_found_and_what_belongs_nowhere_is_noise() -> None:
    centres = unit(np.random.default_rng(5).standard_normal((4, 256)))
    vectors, truth = around(centres, 25)
    stray = unit(np.random.default_rng(9).standard_normal((3, 256)))
    found = await cluster(np.vstack([vectors, stray]), np.ones(103))
    groups = {tuple(sorted(set(found.labels[:100][truth == group]))) for group in range(4)}
    assert len(groups) == 4
    assert set(found.labels[:100]) == set(found.centroids) == {0, 1, 2, 3}
    assert set(found.labels[100:]) == {NOISE}


async def test_a_centroid_is_the_weighted_mean_in_the_full_space() -> None:
    centres = unit(np.random.default_rng(5).standard_normal((2, 64)))
    vectors, _ = around(centres, 10)
    weights = np.linspace(0.2, 1, 20)
    found = await cluster(vectors, weights)
    for label, centroid in found.centroids.items():
        mine = found.labels == label
        expected = (vectors[mine] * weights[mine, None]).sum(axis=0) / weights[mine].sum()
        assert centroid.shape == (64,)
        assert np.allclose(centroid, expected, atol=1e-5)


async def test_the_same_vectors_give_the_same_groups() -> None:
    vectors, _ = around(unit(np.random.default_rng(1).standard_normal((6, 128))), 12)
    first, second = await cluster(vectors, np.ones(72)), await cluster(vectors, np.ones(72))
    assert np.array_equal(first.labels, second.labels)


async def test_too_few_vectors_for_a_group_are_all_noise() -> None:
    few = unit(np.random.default_rng(1).standard_normal((4, 8)))
    found = await cluster(few, np.ones(4))
    assert found.labels.tolist() == [NOISE] * 4
    assert found.centroids == {}
    assert (await cluster(few[:0], np.ones(0))).labels.tolist() == []
