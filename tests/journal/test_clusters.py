"""Groups of alike experiences."""

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bottega.journal.cluster import relabel
from bottega.journal.enums import Axis
from tests.journal.house import FALSIFIED, START, House, open_house
from tests.journal.sample import lines

THREE = {"isolation": 14, "queries": 12, "deploys": 10}


async def members(house: House, cluster_id: str) -> set[str]:
    found = await house.agent("get_cluster_members", cluster_id=cluster_id, limit=100)
    return {member["id"] for member in found["members"]}


async def by_theme(house: House, axis: str = "full") -> dict[str, str]:
    """The cluster of each theme's first experience."""
    clusters = (await house.agent("get_clusters", axis=axis))["clusters"]
    found = {c["cluster_id"]: await members(house, c["cluster_id"]) for c in clusters}
    first = {"isolation": 0, "queries": 14, "deploys": 26}
    ids = {theme: lines(THREE)[row]["id"] for theme, row in first.items()}
    return {
        theme: next(name for name, inside in found.items() if entry_id in inside)
        for theme, entry_id in ids.items()
    }


async def test_themes_become_clusters_the_largest_first(any_house: House) -> None:
    """GH-32: the fields of the spec, sorted by size; what belongs to no cluster is counted."""
    await any_house.fill(lines(THREE))
    found = await any_house.agent("get_clusters", axis="full")
    assert found.keys() == {"axis", "clusters", "count", "noise_count"}
    assert (found["axis"], found["count"]) == ("full", len(found["clusters"]))
    sizes = [cluster["size"] for cluster in found["clusters"]]
    assert sizes == sorted(sizes, reverse=True)
    assert sum(sizes) + found["noise_count"] == 36
    assert found["count"] >= 3
    for cluster in found["clusters"]:
        assert cluster.keys() == {"cluster_id", "label", "size", "avg_weight"}
        assert cluster["cluster_id"] == f"cluster_full_{cluster['label']}"
        assert cluster["avg_weight"] == 1.0
    assert len(set((await by_theme(any_house)).values())) == 3


async def test_too_few_experiences_are_said_to_be(house: House) -> None:
    """GH-33: none is not_found; under 20 is insufficient_data, with the number there is."""
    kind, message = await house.agent.refused("get_clusters", axis="full")
    assert (kind, "full" in message) == ("not_found", True)
    await house.fill(lines({"queries": 19}))
    result = await house.agent.ask("get_clusters", {"axis": "full"})
    error = result["structuredContent"]["error"]
    assert (error["type"], error["count"]) == ("insufficient_data", 19)
    assert "20" in error["message"]
    kind, _ = await house.agent.refused("get_clusters", axis="surprise")
    assert kind == "not_found"
    await house.fill(lines({"queries": 1}, start=100))
    assert "clusters" in await house.agent("get_clusters", axis="full")


async def test_axes_of_what_went_wrong_hold_falsified_experiences_only(house: House) -> None:
    """GH-45: the other two hold all."""
    await house.fill(lines({"queries": 12, "deploys": 12}))
    await house.fill(lines({"isolation": 11, "queries": 11}, start=100, falsified=True))
    for axis, count in zip(Axis, (46, 46, 22, 22), strict=True):
        found = await house.agent("get_clusters", axis=axis.value)
        inside = sum(cluster["size"] for cluster in found["clusters"])
        assert inside + found["noise_count"] == count


async def test_a_clustering_stands_until_the_data_change(house: House) -> None:
    """GH-34: also when another process changed them."""
    await house.fill(lines(THREE))
    clusters = house.journal.clusters
    first = await clusters.current(house.owner, Axis.FULL)
    assert await clusters.current(house.owner, Axis.FULL) is first
    assert await clusters.current(house.owner, Axis.STRATEGY) is not first
    await house.agent("start_ghap", **START)
    assert await clusters.current(house.owner, Axis.FULL) is first
    await house.agent("resolve_ghap", **FALSIFIED)
    second = await clusters.current(house.owner, Axis.FULL)
    assert second is not first
    total = sum(cluster.size for cluster in second.clusters.values()) + second.noise_count
    assert total == 37


async def test_a_cluster_that_grows_keeps_its_label(any_house: House) -> None:
    """GH-35: the second largest becomes the largest and is still called what it was."""
    await any_house.fill(lines(THREE))
    before = await by_theme(any_house)
    more = {"queries": 12, "deploys": 2}
    await any_house.fill(lines(more, start=200))
    after = await by_theme(any_house)
    assert after == before
    clusters = (await any_house.agent("get_clusters", axis="full"))["clusters"]
    assert clusters[0]["cluster_id"] == before["queries"]


async def test_labels_outlive_a_restart(tmp_path: Path, database_url: str) -> None:
    """GH-35: members can be asked for by an id of before, and re-clustering keeps it."""
    async with open_house(tmp_path, database_url) as house:
        await house.fill(lines(THREE))
        before = await by_theme(house)
        inside = await members(house, before["deploys"])
    async with open_house(tmp_path, database_url) as house:
        assert await members(house, before["deploys"]) == inside
        await house.fill(lines({"deploys": 6}, start=300))
        assert await by_theme(house) == before


def test_a_label_is_never_given_to_another_cluster() -> None:
    """GH-35: of a split the larger part keeps it, what is new gets a fresh one."""
    ids = [f"e{n}" for n in range(12)]
    found = np.array([0] * 5 + [1] * 3 + [2] * 4)
    before = {"4": ids[:8], "6": ["gone"] * 5}
    labels, next_label = relabel(ids, found, before, 7)
    assert labels.tolist() == [4] * 5 + [8] * 3 + [7] * 4
    assert next_label == 9


async def test_the_centroid_leans_to_what_can_be_relied_on(house: House) -> None:
    """GH-36: it is the mean of the members weighted by their tiers."""
    weak = [_abandoned(line) for line in lines({"queries": 12}, start=50)]
    await house.fill(lines({"queries": 12}) + weak)
    clusters = house.journal.clusters
    made = await clusters.current(house.owner, Axis.FULL)
    vectors = {
        item.id: item.vector
        for item in await house.core.vectors.scroll(Axis.FULL.collection, limit=100)
    }
    abandoned = {line["id"] for line in weak}
    for cluster in made.clusters.values():
        weights = np.array([0.2 if i in abandoned else 1.0 for i in cluster.members])
        mean = np.average([vectors[i] for i in cluster.members], axis=0, weights=weights)
        assert cluster.centroid == pytest.approx(mean / np.linalg.norm(mean), abs=1e-5)
        assert cluster.average_weight == pytest.approx(weights.mean())


def _abandoned(line: dict[str, Any]) -> dict[str, Any]:
    return line | {"resolution": line["resolution"] | {"status": "abandoned"}}


async def test_members_come_whole_and_the_most_typical_first(house: House) -> None:
    """GH-37: every field of the spec, up to the limit."""
    await house.fill(lines(THREE))
    cluster_id = (await by_theme(house))["queries"]
    found = await house.agent("get_cluster_members", cluster_id=cluster_id, limit=3)
    assert (found["cluster_id"], found["axis"]) == (cluster_id, "full")
    assert found["count"] == len(found["members"]) == 3
    for member in found["members"]:
        assert member.keys() == {
            *("id", "ghap_id", "goal", "hypothesis", "action", "prediction", "created_at"),
            *("outcome_status", "outcome_result", "surprise", "root_cause", "lesson"),
            "confidence_tier",
        }
        assert member["id"] == member["ghap_id"]
        assert member["lesson"].keys() == {"what_worked", "takeaway"}
    cluster = await house.journal.clusters.find(
        house.owner, Axis.FULL, int(cluster_id.rpartition("_")[2])
    )
    assert [member["id"] for member in found["members"]] == list(cluster.members[:3])
    nearest = await house.core.vectors.get("experiences_full", cluster.members)
    distances = [cluster.distance(item.vector) for item in nearest]
    assert distances == sorted(distances)


@pytest.mark.parametrize("filled", [0, 5, 36])
async def test_a_cluster_that_is_not_there_is_not_found(house: House, filled: int) -> None:
    """GH-37: for members, validation and storing, however much there is."""
    if filled:
        await house.fill(lines(THREE)[:filled])
    value = {"text": "Anything", "cluster_id": "cluster_full_99"}
    for tool, arguments in (
        ("get_cluster_members", {"cluster_id": "cluster_full_99"}),
        ("validate_value", value),
        ("store_value", value | {"axis": "full"}),
    ):
        kind, message = await house.agent.refused(tool, **arguments)
        assert kind == "not_found"
        assert filled < 36 or "cluster_full_99" in message


async def test_the_loop_goes_on_while_clusters_are_made(house: House) -> None:
    """GH-57: the computation is in a thread."""
    await house.fill(lines({"isolation": 60, "queries": 60, "deploys": 60}))
    await house.agent("get_clusters", axis="strategy")
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0)
            ticks += 1

    ticking = asyncio.create_task(tick())
    await house.agent("get_clusters", axis="full")
    ticking.cancel()
    assert ticks > 100
