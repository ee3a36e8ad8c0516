"""Clusters, values and search on a journal as people write it (`data/README.md`)."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bottega.journal.entries.enums import (
    Axis,
    Domain,
    JournalOutcome,
    JournalTier,
    RootCauseCategory,
    Strategy,
)
from tests.app import Agent
from tests.journal.builders import JournalApp

DATA = Path(__file__).parent / "data"
#: What belongs to no theme, and so to no particular cluster.
ODD = "other"


def read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text().splitlines()]


EXPERIENCES, LATER = read("experiences.jsonl"), read("later.jsonl")
VALUES, QUERIES = read("values.jsonl"), read("queries.jsonl")
THEME: dict[str, str] = {line["id"]: line["theme"] for line in EXPERIENCES + LATER}
LATER_IDS = {line["id"] for line in LATER}
THEMES = set(THEME.values()) - {ODD}


@pytest.fixture
async def app(any_app: JournalApp) -> JournalApp:
    """A house with the journal in it; overrides the empty one, for `agent` as well."""
    await any_app.fill(EXPERIENCES)
    return any_app


async def groups(agent: Agent, axis: str) -> dict[str, list[str]]:
    """The members of every cluster on the axis."""
    found = {}
    for cluster in (await agent("get_clusters", axis=axis))["clusters"]:
        asked = await agent("get_cluster_members", cluster_id=cluster["cluster_id"], limit=100)
        assert asked["count"] == cluster["size"]
        found[cluster["cluster_id"]] = [member["id"] for member in asked["members"]]
    return found


async def clusters_of_members(agent: Agent) -> dict[tuple[str, str], str]:
    """The cluster of each experience on each axis."""
    return {
        (axis, entry_id): cluster_id
        for axis in Axis
        for cluster_id, ids in (await groups(agent, axis)).items()
        for entry_id in ids
    }


async def search(agent: Agent, query: str, **more: Any) -> list[str]:
    found = await agent("search_experiences", query=query, **more)
    return [result["id"] for result in found["results"]]


def on_axis(axis: Axis, lines: list[dict[str, Any]]) -> set[str]:
    return {
        line["id"]
        for line in lines
        if line["resolution"]["status"] == JournalOutcome.FALSIFIED or not axis.falsified_only
    }


def main_theme(ids: list[str]) -> str:
    return Counter(THEME[entry_id] for entry_id in ids).most_common(1)[0][0]


def test_the_journal_is_as_varied_as_the_claims_about_it() -> None:
    ends = [line["resolution"] for line in EXPERIENCES]
    assert len({line["goal"] for line in EXPERIENCES}) == len(EXPERIENCES) >= 140
    assert len(THEMES) >= 6
    assert sum(end["status"] == JournalOutcome.FALSIFIED for end in ends) >= 60
    assert {line["domain"] for line in EXPERIENCES} == set(Domain)
    assert {line["strategy"] for line in EXPERIENCES} == set(Strategy)
    assert {end["status"] for end in ends} == set(JournalOutcome)
    assert {end["confidence_tier"] for end in ends} == set(JournalTier)
    causes = {end["root_cause"]["category"] for end in ends if "root_cause" in end}
    assert causes == set(RootCauseCategory)
    assert Counter(value["valid"] for value in VALUES)[True] >= 12
    assert Counter(value["valid"] for value in VALUES)[False] >= 12


@pytest.mark.requirement("GH-32", "GH-45")
async def test_themes_land_together_on_every_axis(app: JournalApp, agent: Agent) -> None:
    """At least nine in ten members of the clusters are of their cluster's theme."""
    for axis in Axis:
        found = await groups(agent, axis)
        at_home = Counter(
            THEME[i] for ids in found.values() for i in ids if THEME[i] == main_theme(ids)
        )
        assert at_home.total() >= 0.9 * sum(len(ids) for ids in found.values()), axis
        of_theme = Counter(THEME[entry_id] for entry_id in on_axis(axis, EXPERIENCES))
        scattered = {theme for theme in THEMES if at_home[theme] < 0.75 * of_theme[theme]}
        assert not scattered, axis


@pytest.mark.requirement("GH-32", "GH-37")
async def test_an_experience_is_in_one_cluster_or_counted_as_noise(
    app: JournalApp, agent: Agent
) -> None:
    """Sizes, members and the number in no cluster add up on every axis."""
    for axis in Axis:
        expected = on_axis(axis, EXPERIENCES)
        clustered = [i for ids in (await groups(agent, axis)).values() for i in ids]
        assert len(clustered) == len(set(clustered)), axis
        assert set(clustered) <= expected, axis
        noise = (await agent("get_clusters", axis=axis))["noise_count"]
        assert noise == len(expected) - len(clustered), axis
        assert noise <= 0.15 * len(expected), axis


@pytest.mark.requirement("GH-38")
async def test_clusters_bear_out_the_values_they_taught_and_no_others(
    app: JournalApp, agent: Agent
) -> None:
    """Each statement is valid or not as a reader would say, by the distance reported."""
    clusters = await clusters_of_members(agent)
    wrong = []
    for value in VALUES:
        cluster_id = clusters[value["axis"], value["cluster_of"]]
        verdict = await agent("validate_value", text=value["text"], cluster_id=cluster_id)
        is_near = verdict["centroid_distance"] <= verdict["threshold_distance"]
        assert verdict["valid"] is is_near
        assert (verdict["reason"] is None) is is_near
        assert (verdict["similarity"] is not None) is is_near
        if verdict["valid"] is not value["valid"]:
            wrong.append((value["text"], verdict))
    assert not wrong


@pytest.mark.requirement("GH-39", "GH-41")
async def test_only_values_that_are_borne_out_are_stored(app: JournalApp, agent: Agent) -> None:
    """What is refused leaves nothing behind; the largest clusters come first."""
    clusters = await clusters_of_members(agent)
    for value in VALUES:
        cluster_id = clusters[value["axis"], value["cluster_of"]]
        asked = {"text": value["text"], "cluster_id": cluster_id, "axis": value["axis"]}
        if value["valid"]:
            assert (await agent("store_value", **asked))["cluster_id"] == cluster_id
        else:
            kind, message = await agent.refused("store_value", **asked)
            assert kind == "validation_error"
            assert "not stored" in message

    listed = (await agent("list_values", limit=100))["results"]
    assert {value["text"] for value in listed} == {v["text"] for v in VALUES if v["valid"]}
    sizes = [value["cluster_size"] for value in listed]
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.requirement("GH-35")
async def test_clusters_keep_their_labels_when_more_experiences_come_in(
    app: JournalApp, agent: Agent
) -> None:
    """A value goes on naming what it rests on."""
    before = {axis: await groups(agent, axis) for axis in Axis}
    await app.fill(LATER)
    for axis in Axis:
        after = await groups(agent, axis)
        assert set(before[axis]) <= set(after), axis
        for cluster_id, members in before[axis].items():
            shared = {name: len(set(members) & set(ids)) for name, ids in after.items()}
            # One that split lives on in its largest part.
            assert shared[cluster_id] == max(shared.values()), cluster_id
            assert shared[cluster_id] > min(len(members), len(after[cluster_id])) / 2, cluster_id
        joined = {i: main_theme(ids) for ids in after.values() for i in ids if i in LATER_IDS}
        assert joined, axis
        assert joined == {entry_id: THEME[entry_id] for entry_id in joined}, axis


@pytest.mark.requirement("GH-42")
async def test_search_finds_the_experience_that_somebody_asks_for_in_other_words(
    app: JournalApp, agent: Agent
) -> None:
    """Nine in ten paraphrased questions are answered by the first five results."""
    missed = [
        query["query"]
        for query in QUERIES
        if query["expects"] not in await search(agent, query["query"], limit=5)
    ]
    assert len(QUERIES) >= 10
    assert len(missed) <= 0.1 * len(QUERIES), missed


@pytest.mark.requirement("GH-43")
async def test_search_keeps_to_the_domain_and_the_outcome_asked_for(
    app: JournalApp, agent: Agent
) -> None:
    """Alone and together, on another axis too."""
    query = "a slow query that waits for a lock on the table"
    lines = {line["id"]: line for line in EXPERIENCES}

    confirmed = await search(agent, query, outcome="confirmed", limit=50)
    assert confirmed
    assert {lines[i]["resolution"]["status"] for i in confirmed} == {"confirmed"}

    debugging = await search(agent, query, domain="debugging", limit=50)
    assert debugging
    assert {lines[i]["domain"] for i in debugging} == {"debugging"}

    both = await search(
        agent, query, domain="performance", outcome="falsified", axis="surprise", limit=5
    )
    assert {THEME[i] for i in both} == {"database-locking"}
    assert {lines[i]["domain"] for i in both} == {"performance"}


@pytest.mark.requirement("GH-09")
async def test_a_list_keeps_to_domain_outcome_and_date(app: JournalApp, agent: Agent) -> None:
    """All three filters together, newest first."""
    listed = await agent(
        "list_ghap_entries", domain="security", outcome="falsified", since="2026-06-01", limit=100
    )
    expected = [
        line["id"]
        for line in EXPERIENCES
        if line["domain"] == "security"
        and line["resolution"]["status"] == "falsified"
        and line["created_at"] >= "2026-06-01"
    ]
    assert [entry["id"] for entry in listed["results"]] == sorted(expected, reverse=True)


@pytest.mark.requirement("GH-48")
async def test_a_new_entry_is_warned_of_what_brought_down_those_like_it(
    app: JournalApp, agent: Agent
) -> None:
    """A guess at timing in a test is told of the tests that shared something."""
    started = await agent(
        "start_ghap",
        domain="testing",
        strategy="trial-and-error",
        goal="Make the export test pass on every run of the suite",
        hypothesis="The test is slow on the runners, so its wait is too short",
        action="Waiting ten seconds in the test",
        prediction="Twenty runs of the suite pass",
    )
    assert started["premortem"][0]["category"] == RootCauseCategory.TEST_ISOLATION
    evidence = {THEME[i] for cause in started["premortem"] for i in cause["evidence"]}
    assert evidence == {"flaky-tests"}


@pytest.mark.requirement("GH-54")
async def test_what_was_imported_comes_out_again_as_it_was(app: JournalApp) -> None:
    """Every field of every experience."""
    page = await app.journal.export(app.owner, None, 500)
    out = [line.model_dump(mode="json", exclude_none=True) for line in page.lines]
    # The theme is not the journal's, and a row knows itself when it was written.
    beside = {"theme", "updated_at"}
    kept = [{k: v for k, v in line.items() if k not in beside} for line in EXPERIENCES]
    assert [{k: v for k, v in line.items() if v != [] and k not in beside} for line in out] == kept
