"""Groups of alike experiences."""

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bottega.journal.clusters.model import relabel
from bottega.journal.entries.enums import Axis
from tests.journal.builders import FALSIFIED, START, JournalApp, lines, open_journal

THREE = {"isolation": 14, "queries": 12, "deploys": 10}


async def members(app: JournalApp, cluster_id: str) -> set[str]:
    found = await app.agent("get_cluster_members", cluster_id=cluster_id, limit=100)
    return {member["id"] for member in found["members"]}


async def by_theme(app: JournalApp, axis: str = "full") -> dict[str, str]:
    """The cluster of each theme's first experience."""
    clusters = (await app.agent("get_clusters", axis=axis))["clusters"]
    found = {c["cluster_id"]: await members(app, c["cluster_id"]) for c in clusters}
    first = {"isolation": 0, "queries": 14, "deploys": 26}
    ids = {theme: lines(THREE)[row]["id"] for theme, row in first.items()}
    return {
        theme: next(name for name, inside in found.items() if entry_id in inside)
        for theme, entry_id in ids.items()
    }


@pytest.mark.requirement("GH-32")
async def test_themes_become_clusters_the_largest_first(any_app: JournalApp) -> None:
    """The fields of the spec, sorted by size; what belongs to no cluster is counted."""
    await any_app.fill(lines(THREE))
    found = await any_app.agent("get_clusters", axis="full")
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
    assert len(set((await by_theme(any_app)).values())) == 3


@pytest.mark.requirement("GH-33")
async def test_too_few_experiences_are_said_to_be(app: JournalApp) -> None:
    """None is not_found; under 20 is insufficient_data, with the number there is."""
    kind, message = await app.agent.refused("get_clusters", axis="full")
    assert (kind, "full" in message) == ("not_found", True)
    await app.fill(lines({"queries": 19}))
    result = await app.agent.ask("get_clusters", {"axis": "full"})
    error = result["structuredContent"]["error"]
    assert (error["type"], error["count"]) == ("insufficient_data", 19)
    assert "20" in error["message"]
    kind, _ = await app.agent.refused("get_clusters", axis="surprise")
    assert kind == "not_found"
    await app.fill(lines({"queries": 1}, start=100))
    assert "clusters" in await app.agent("get_clusters", axis="full")


@pytest.mark.requirement("GH-45")
async def test_axes_of_what_went_wrong_hold_falsified_experiences_only(app: JournalApp) -> None:
    """The other two hold all."""
    await app.fill(lines({"queries": 12, "deploys": 12}))
    await app.fill(lines({"isolation": 11, "queries": 11}, start=100, falsified=True))
    for axis, count in zip(Axis, (46, 46, 22, 22), strict=True):
        found = await app.agent("get_clusters", axis=axis.value)
        inside = sum(cluster["size"] for cluster in found["clusters"])
        assert inside + found["noise_count"] == count


@pytest.mark.requirement("GH-34")
async def test_a_clustering_stands_until_the_data_change(app: JournalApp) -> None:
    """Also when another process changed them."""
    await app.fill(lines(THREE))
    clusters = app.journal.clusters
    first = await clusters.current(app.owner, Axis.FULL)
    assert await clusters.current(app.owner, Axis.FULL) is first
    assert await clusters.current(app.owner, Axis.STRATEGY) is not first
    await app.agent("start_ghap", **START)
    assert await clusters.current(app.owner, Axis.FULL) is first
    await app.agent("resolve_ghap", **FALSIFIED)
    second = await clusters.current(app.owner, Axis.FULL)
    assert second is not first
    total = sum(cluster.size for cluster in second.clusters.values()) + second.noise_count
    assert total == 37


@pytest.mark.requirement("GH-35")
async def test_a_cluster_that_grows_keeps_its_label(any_app: JournalApp) -> None:
    """The second largest becomes the largest and is still called what it was."""
    await any_app.fill(lines(THREE))
    before = await by_theme(any_app)
    more = {"queries": 12, "deploys": 2}
    await any_app.fill(lines(more, start=200))
    after = await by_theme(any_app)
    assert after == before
    clusters = (await any_app.agent("get_clusters", axis="full"))["clusters"]
    assert clusters[0]["cluster_id"] == before["queries"]


@pytest.mark.requirement("GH-35")
async def test_labels_outlive_a_restart(tmp_path: Path, database_url: str) -> None:
    """Members can be asked for by an id of before, and re-clustering keeps it."""
    async with open_journal(tmp_path, database_url) as app:
        await app.fill(lines(THREE))
        before = await by_theme(app)
        inside = await members(app, before["deploys"])
    async with open_journal(tmp_path, database_url) as app:
        assert await members(app, before["deploys"]) == inside
        await app.fill(lines({"deploys": 6}, start=300))
        assert await by_theme(app) == before


@pytest.mark.requirement("GH-35")
def test_a_label_is_never_given_to_another_cluster() -> None:
    """Of a split the larger part keeps it, what is new gets a fresh one."""
    ids = [f"e{n}" for n in range(12)]
    found = np.array([0] * 5 + [1] * 3 + [2] * 4)
    before = {"4": ids[:8], "6": ["gone"] * 5}
    labels, next_label = relabel(ids, found, before, 7)
    assert labels.tolist() == [4] * 5 + [8] * 3 + [7] * 4
    assert next_label == 9


@pytest.mark.requirement("GH-36")
async def test_the_centroid_leans_to_what_can_be_relied_on(app: JournalApp) -> None:
    """It is the mean of the members weighted by their tiers."""
    weak = [_abandoned(line) for line in lines({"queries": 12}, start=50)]
    await app.fill(lines({"queries": 12}) + weak)
    clusters = app.journal.clusters
    made = await clusters.current(app.owner, Axis.FULL)
    vectors = {
        item.id: item.vector
        for item in await app.core.vectors.scroll(Axis.FULL.collection, limit=100)
    }
    abandoned = {line["id"] for line in weak}
    for cluster in made.clusters.values():
        weights = np.array([0.2 if i in abandoned else 1.0 for i in cluster.members])
        mean = np.average([vectors[i] for i in cluster.members], axis=0, weights=weights)
        assert cluster.centroid == pytest.approx(mean / np.linalg.norm(mean), abs=1e-5)
        assert cluster.average_weight == pytest.approx(weights.mean())


def _abandoned(line: dict[str, Any]) -> dict[str, Any]:
    return line | {"resolution": line["resolution"] | {"status": "abandoned"}}


@pytest.mark.requirement("GH-37")
async def test_members_come_whole_and_the_most_typical_first(app: JournalApp) -> None:
    """Every field of the spec, up to the limit."""
    await app.fill(lines(THREE))
    cluster_id = (await by_theme(app))["queries"]
    found = await app.agent("get_cluster_members", cluster_id=cluster_id, limit=3)
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
    cluster = await app.journal.clusters.find(
        app.owner, Axis.FULL, int(cluster_id.rpartition("_")[2])
    )
    assert [member["id"] for member in found["members"]] == list(cluster.members[:3])
    nearest = await app.core.vectors.get("experiences_full", cluster.members)
    distances = [cluster.distance(item.vector) for item in nearest]
    assert distances == sorted(distances)


@pytest.mark.requirement("GH-37")
@pytest.mark.parametrize("filled", [0, 5, 36])
async def test_a_cluster_that_is_not_there_is_not_found(app: JournalApp, filled: int) -> None:
    """For members, validation and storing, however much there is."""
    if filled:
        await app.fill(lines(THREE)[:filled])
    value = {"text": "Anything", "cluster_id": "cluster_full_99"}
    for tool, arguments in (
        ("get_cluster_members", {"cluster_id": "cluster_full_99"}),
        ("validate_value", value),
        ("store_value", value | {"axis": "full"}),
    ):
        kind, message = await app.agent.refused(tool, **arguments)
        assert kind == "not_found"
        assert filled < 36 or "cluster_full_99" in message


@pytest.mark.requirement("GH-57")
async def test_the_loop_goes_on_while_clusters_are_made(app: JournalApp) -> None:
    """The computation is in a thread."""
    await app.fill(lines({"isolation": 60, "queries": 60, "deploys": 60}))
    await app.agent("get_clusters", axis="strategy")
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0)
            ticks += 1

    ticking = asyncio.create_task(tick())
    await app.agent("get_clusters", axis="full")
    ticking.cancel()
    assert ticks > 100
