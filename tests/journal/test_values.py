"""Values: principles that a cluster bears out, and no others."""

import numpy as np
import pytest

from bottega.journal.entries.enums import Axis
from tests.journal.builders import JournalApp, lines

THREE = {"isolation": 14, "queries": 12, "deploys": 10}
#: Says what the members say, so it lies among them.
VALID = (
    "Quicken the report: the query scans the whole table because the join has no index on its "
    "foreign key. Add an index and compare query plans. The query is answered from an index in "
    "under 100 ms. Confirmed: the query fell from 2 s to 40 ms, the plan shows an index scan now. "
    "Read the query plan before guessing, index what the query joins on."
)
INVALID = "Write release notes that a customer understands"


async def queries_cluster(app: JournalApp, axis: str = "full") -> str:
    await app.fill(lines(THREE))
    wanted = lines(THREE)[14]["id"]
    for cluster in (await app.agent("get_clusters", axis=axis))["clusters"]:
        found = await app.agent("get_cluster_members", cluster_id=cluster["cluster_id"])
        if wanted in [member["id"] for member in found["members"]]:
            return str(cluster["cluster_id"])
    pytest.fail("the queries are in no cluster")


@pytest.mark.requirement("GH-38")
async def test_a_value_is_judged_by_the_spread_of_the_members(any_app: JournalApp) -> None:
    """Mean + 1 standard deviation of the cosine distances, in all dimensions."""
    app = any_app
    cluster_id = await queries_cluster(app)
    found = await app.agent("get_cluster_members", cluster_id=cluster_id, limit=100)
    ids = [member["id"] for member in found["members"]]
    vectors = np.array(
        [item.vector for item in await app.core.vectors.get("experiences_full", ids)]
    )
    centroid = vectors.mean(axis=0)
    centroid /= np.linalg.norm(centroid)
    distances = 1 - vectors @ centroid
    for text in (VALID, INVALID):
        distance = 1 - float((await app.core.embedder.embed([text]))[0] @ centroid)
        verdict = await app.agent("validate_value", text=text, cluster_id=cluster_id)
        threshold = distances.mean() + distances.std()
        assert verdict["threshold_distance"] == pytest.approx(threshold, abs=1e-4)
        assert verdict["centroid_distance"] == pytest.approx(distance, abs=1e-4)
        assert verdict["valid"] is bool(distance <= threshold)


@pytest.mark.requirement("GH-38")
async def test_a_verdict_has_the_figures_and_if_invalid_the_reason(app: JournalApp) -> None:
    """Similarity only when valid, reason only when not."""
    cluster_id = await queries_cluster(app)
    good = await app.agent("validate_value", text=VALID, cluster_id=cluster_id)
    assert good["valid"] is True
    assert good["reason"] is None
    assert good["similarity"] == pytest.approx(1 - good["centroid_distance"], abs=1e-6)
    bad = await app.agent("validate_value", text=INVALID, cluster_id=cluster_id)
    assert (bad["valid"], bad["similarity"]) == (False, None)
    assert f"{bad['centroid_distance']:.3f}" in bad["reason"]
    assert bad.keys() == good.keys()
    assert bad.keys() == {
        *("valid", "similarity", "centroid_distance", "threshold_distance", "reason"),
    }


@pytest.mark.requirement("GH-39")
async def test_only_a_valid_value_is_stored(any_app: JournalApp) -> None:
    """The other is refused with its figures, and nothing of it is kept."""
    app = any_app
    cluster_id = await queries_cluster(app)
    arguments = {"cluster_id": cluster_id, "axis": "full"}
    kind, message = await app.agent.refused("store_value", text=INVALID, **arguments)
    assert kind == "validation_error"
    assert "similarity" in message
    assert "members allow" in message
    assert (await app.agent("list_values"))["results"] == []
    stored = await app.agent("store_value", text=VALID, **arguments)
    assert stored.keys() == {
        *("id", "text", "axis", "cluster_id", "cluster_size"),
        *("similarity_to_centroid", "created_at"),
    }
    assert (stored["text"], stored["axis"]) == (VALID, "full")
    assert stored["cluster_id"] == cluster_id
    assert stored["cluster_size"] == 12
    assert 0 < stored["similarity_to_centroid"] <= 1
    assert (await app.agent("list_values"))["results"] == [stored]


@pytest.mark.requirement("GH-40")
async def test_the_axis_must_be_the_cluster_s(app: JournalApp) -> None:
    """Another is a validation_error that names both."""
    cluster_id = await queries_cluster(app)
    kind, message = await app.agent.refused(
        "store_value", text=VALID, cluster_id=cluster_id, axis="strategy"
    )
    assert kind == "validation_error"
    assert "'strategy'" in message
    assert "'full'" in message
    assert (await app.agent("list_values"))["count"] == 0


@pytest.mark.requirement("GH-41")
async def test_values_of_larger_clusters_come_first_then_newer_ones(any_app: JournalApp) -> None:
    """Filtered by axis, limited."""
    app = any_app
    cluster_id = await queries_cluster(app)
    first = await app.agent("store_value", text=VALID, cluster_id=cluster_id, axis="full")
    second = await app.agent("store_value", text=VALID + ".", cluster_id=cluster_id, axis="full")
    await app.fill(lines({"queries": 12}, start=200))
    await app.agent("get_clusters", axis="full")
    grown = await app.agent("store_value", text=VALID, cluster_id=cluster_id, axis="full")
    assert grown["cluster_size"] > second["cluster_size"] == first["cluster_size"]
    ids = [value["id"] for value in (await app.agent("list_values"))["results"]]
    assert ids == [grown["id"], second["id"], first["id"]]
    limited = await app.agent("list_values", axis="full", limit=1)
    assert [value["id"] for value in limited["results"]] == [grown["id"]]
    assert (await app.agent("list_values", axis="surprise"))["count"] == 0


@pytest.mark.requirement("GH-24")
async def test_lost_vectors_of_values_are_made_again(app: JournalApp) -> None:
    """Sync counts them with the experiences'."""
    cluster_id = await queries_cluster(app)
    stored = await app.agent("store_value", text=VALID, cluster_id=cluster_id, axis="full")
    await app.core.vectors.delete("values", ids=[stored["id"]])
    assert (await app.journal.sync()).reindexed == 1
    assert await app.core.vectors.count("values") == 1
    assert (await app.journal.sync()).reindexed == 0


@pytest.mark.requirement("GH-38")
async def test_what_a_cluster_means_does_not_change_while_a_value_is_formed(
    app: JournalApp,
) -> None:
    """Experiences that come in meanwhile count when clusters are asked for again."""
    cluster_id = await queries_cluster(app)
    before = await app.agent("validate_value", text=VALID, cluster_id=cluster_id)
    await app.fill(lines({"queries": 10}, start=400))
    assert await app.agent("validate_value", text=VALID, cluster_id=cluster_id) == before
    await app.agent("get_clusters", axis=Axis.FULL.value)
    assert await app.agent("validate_value", text=VALID, cluster_id=cluster_id) != before
