"""Groups of vectors."""

import numpy as np
from numpy.typing import NDArray

from bottega.core.readers.embedder import Vector, unit
from bottega.journal.clusters.model import NOISE, cluster


def around(centres: Vector, each: int, seed: int = 0) -> tuple[Vector, NDArray[np.int64]]:
    generator = np.random.default_rng(seed)
    truth = np.repeat(np.arange(len(centres)), each)
    noise = generator.standard_normal((len(truth), centres.shape[1])) * 0.02
    return unit(centres[truth] + noise), truth


async def test_groups_are_found_and_what_belongs_nowhere_is_noise() -> None:
    centres = unit(np.random.default_rng(5).standard_normal((4, 256)))
    vectors, truth = around(centres, 25)
    stray = unit(np.random.default_rng(9).standard_normal((3, 256)))
    found = await cluster(np.vstack([vectors, stray]))
    groups = {tuple(sorted(set(found[:100][truth == group]))) for group in range(4)}
    assert len(groups) == 4
    assert set(found[:100]) == {0, 1, 2, 3}
    assert set(found[100:]) == {NOISE}


async def test_the_same_vectors_give_the_same_groups() -> None:
    vectors, _ = around(unit(np.random.default_rng(1).standard_normal((6, 128))), 12)
    first, second = await cluster(vectors), await cluster(vectors)
    assert np.array_equal(first, second)


async def test_too_few_vectors_for_a_group_are_all_noise() -> None:
    few = unit(np.random.default_rng(1).standard_normal((4, 8)))
    found = await cluster(few)
    assert found.tolist() == [NOISE] * 4
    assert (await cluster(few[:0])).tolist() == []
