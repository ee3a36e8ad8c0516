"""Values: principles that a cluster bears out, and no others."""

import numpy as np
import pytest

from bottega.journal.enums import Axis
from tests.journal.house import House
from tests.journal.sample import lines

THREE = {"isolation": 14, "queries": 12, "deploys": 10}
#: Says what the members say, so it lies among them.
VALID = (
    "Quicken the report: the query scans the whole table because the join has no index on its "
    "foreign key. Add an index and compare query plans. The query is answered from an index in "
    "under 100 ms. Confirmed: the query fell from 2 s to 40 ms, the plan shows an index scan now. "
    "Read the query plan before guessing, index what the query joins on."
)
INVALID = "Write release notes that a customer understands"


async def queries_cluster(house: House, axis: str = "full") -> str:
    await house.fill(lines(THREE))
    wanted = lines(THREE)[14]["id"]
    for cluster in (await house.agent("get_clusters", axis=axis))["clusters"]:
        found = await house.agent("get_cluster_members", cluster_id=cluster["cluster_id"])
        if wanted in [member["id"] for member in found["members"]]:
            return str(cluster["cluster_id"])
    pytest.fail("the queries are in no cluster")


async def test_a_value_is_judged_by_the_spread_of_the_members(any_house: House) -> None:
    """GH-38: mean + 1 standard deviation of the cosine distances, in all dimensions."""
    house = any_house
    cluster_id = await queries_cluster(house)
    found = await house.agent("get_cluster_members", cluster_id=cluster_id, limit=100)
    ids = [member["id"] for member in found["members"]]
    vectors = np.array(
        [item.vector for item in await house.core.vectors.get("experiences_full", ids)]
    )
    centroid = vectors.mean(axis=0)
    centroid /= np.linalg.norm(centroid)
    distances = 1 - vectors @ centroid
    for text in (VALID, INVALID):
        distance = 1 - float((await house.core.embedder.embed([text]))[0] @ centroid)
        verdict = await house.agent("validate_value", text=text, cluster_id=cluster_id)
        threshold = distances.mean() + distances.std()
        assert verdict["threshold_distance"] == pytest.approx(threshold, abs=1e-4)
        assert verdict["centroid_distance"] == pytest.approx(distance, abs=1e-4)
        assert verdict["valid"] is bool(distance <= threshold)


async def test_a_verdict_has_the_figures_and_if_invalid_the_reason(house: House) -> None:
    """GH-38: similarity only when valid, reason only when not."""
    cluster_id = await queries_cluster(house)
    good = await house.agent("validate_value", text=VALID, cluster_id=cluster_id)
    assert good["valid"] is True
    assert good["reason"] is None
    assert good["similarity"] == pytest.approx(1 - good["centroid_distance"], abs=1e-6)
    bad = await house.agent("validate_value", text=INVALID, cluster_id=cluster_id)
    assert (bad["valid"], bad["similarity"]) == (False, None)
    assert f"{bad['centroid_distance']:.3f}" in bad["reason"]
    assert bad.keys() == good.keys()
    assert bad.keys() == {
        *("valid", "similarity", "centroid_distance", "threshold_distance", "reason"),
    }


async def test_only_a_valid_value_is_stored(any_house: House) -> None:
    """GH-39: the other is refused with its figures, and nothing of it is kept."""
    house = any_house
    cluster_id = await queries_cluster(house)
    arguments = {"cluster_id": cluster_id, "axis": "full"}
    kind, message = await house.agent.refused("store_value", text=INVALID, **arguments)
    assert kind == "validation_error"
    assert "similarity" in message
    assert "members allow" in message
    assert (await house.agent("list_values"))["results"] == []
    stored = await house.agent("store_value", text=VALID, **arguments)
    assert stored.keys() == {
        *("id", "text", "axis", "cluster_id", "cluster_size"),
        *("similarity_to_centroid", "created_at"),
    }
    assert (stored["text"], stored["axis"]) == (VALID, "full")
    assert stored["cluster_id"] == cluster_id
    assert stored["cluster_size"] == 12
    assert 0 < stored["similarity_to_centroid"] <= 1
    assert (await house.agent("list_values"))["results"] == [stored]


async def test_the_axis_must_be_the_cluster_s(house: House) -> None:
    """GH-40: another is a validation_error that names both."""
    cluster_id = await queries_cluster(house)
    kind, message = await house.agent.refused(
        "store_value", text=VALID, cluster_id=cluster_id, axis="strategy"
    )
    assert kind == "validation_error"
    assert "'strategy'" in message
    assert "'full'" in message
    assert (await house.agent("list_values"))["count"] == 0


async def test_values_of_larger_clusters_come_first_then_newer_ones(any_house: House) -> None:
    """GH-41: filtered by axis, limited."""
    house = any_house
    cluster_id = await queries_cluster(house)
    first = await house.agent("store_value", text=VALID, cluster_id=cluster_id, axis="full")
    second = await house.agent("store_value", text=VALID + ".", cluster_id=cluster_id, axis="full")
    await house.fill(lines({"queries": 12}, start=200))
    await house.agent("get_clusters", axis="full")
    grown = await house.agent("store_value", text=VALID, cluster_id=cluster_id, axis="full")
    assert grown["cluster_size"] > second["cluster_size"] == first["cluster_size"]
    ids = [value["id"] for value in (await house.agent("list_values"))["results"]]
    assert ids == [grown["id"], second["id"], first["id"]]
    limited = await house.agent("list_values", axis="full", limit=1)
    assert [value["id"] for value in limited["results"]] == [grown["id"]]
    assert (await house.agent("list_values", axis="surprise"))["count"] == 0


async def test_lost_vectors_of_values_are_made_again(house: House) -> None:
    """GH-24: sync counts them with the experiences'."""
    cluster_id = await queries_cluster(house)
    stored = await house.agent("store_value", text=VALID, cluster_id=cluster_id, axis="full")
    await house.core.vectors.delete("values", ids=[stored["id"]])
    assert (await house.journal.persister.sync()).reindexed == 1
    assert await house.core.vectors.count("values") == 1
    assert (await house.journal.persister.sync()).reindexed == 0


async def test_what_a_cluster_means_does_not_change_while_a_value_is_formed(house: House) -> None:
    """GH-38: experiences that come in meanwhile count when clusters are asked for again."""
    cluster_id = await queries_cluster(house)
    before = await house.agent("validate_value", text=VALID, cluster_id=cluster_id)
    await house.fill(lines({"queries": 10}, start=400))
    assert await house.agent("validate_value", text=VALID, cluster_id=cluster_id) == before
    await house.agent("get_clusters", axis=Axis.FULL.value)
    assert await house.agent("validate_value", text=VALID, cluster_id=cluster_id) != before
