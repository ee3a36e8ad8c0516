"""Finding experiences again: by words and meaning, per axis, and as lessons before a task."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from bottega.journal.context.operations import ContextInput
from bottega.journal.context.stores import Showing
from bottega.journal.entries.enums import Axis
from bottega.journal.entries.index import axes_of, axis_text
from bottega.journal.operations import ExperienceLine
from bottega.memory.room import Memory
from tests.app import Agent
from tests.journal.builders import CONFIRMED, FALSIFIED, START, JournalApp, lines, open_journal

THREE = {"isolation": 6, "queries": 6, "deploys": 6}


async def goals(agent: Agent, query: str, **more: Any) -> list[str]:
    found = await agent("search_experiences", query=query, **more)
    assert found["count"] == len(found["results"])
    return [each["goal"] for each in found["results"]]


@pytest.mark.requirement("GH-42")
async def test_search_finds_by_words_and_by_meaning(any_app: JournalApp) -> None:
    """An exact rare word wins; without a common word the meaning does."""
    app = any_app
    await app.fill(lines(THREE))
    await app.agent("start_ghap", **START | {"goal": "Repair the frobnicator"})
    await app.agent("resolve_ghap", **CONFIRMED)
    assert (await goals(app.agent, "frobnicator"))[0] == "Repair the frobnicator"
    found = await app.agent("search_experiences", query="SQL statements are slow", limit=3)
    domains = {each["id"]: each for each in found["results"]}
    entries = (await app.agent("list_ghap_entries", limit=100))["results"]
    of = {entry["id"]: entry["domain"] for entry in entries}
    assert {of[entry_id] for entry_id in domains} == {"performance"}


@pytest.mark.requirement("GH-42")
async def test_results_are_ordered_by_score_and_complete(app: JournalApp) -> None:
    """Every field of the spec; scores between 0 and 1, best first."""
    await app.fill(lines(THREE))
    found = await app.agent("search_experiences", query="index the query joins on", limit=50)
    scores = [each["score"] for each in found["results"]]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert found["results"][0].keys() == {
        *("id", "ghap_id", "goal", "hypothesis", "action", "prediction", "outcome_status"),
        *("outcome_result", "surprise", "root_cause", "lesson", "confidence_tier", "score"),
        "created_at",
    }
    assert len((await app.agent("search_experiences", query="index", limit=2))["results"]) == 2


@pytest.mark.requirement("GH-42", "GH-45")
async def test_each_axis_looks_at_its_own_side(app: JournalApp) -> None:
    """A word of the surprise is found on that axis, not on the strategy's."""
    cause = {"category": "timing-issue", "description": "The zeppelin clock drifts"}
    end = FALSIFIED | {"surprise": "A xylophone rang", "root_cause": cause}
    await app.agent("start_ghap", **START)
    await app.agent("resolve_ghap", **end)
    texts: dict[Axis, str] = {}
    for axis in Axis:
        [item] = await app.core.vectors.scroll(axis.collection)
        texts[axis] = item.document
    assert [axis for axis in Axis if "xylophone" in texts[axis]] == [Axis.FULL, Axis.SURPRISE]
    assert [axis for axis in Axis if "zeppelin" in texts[axis]] == [Axis.SURPRISE, Axis.ROOT_CAUSE]
    assert START["strategy"] in texts[Axis.STRATEGY]
    assert "timing-issue" in texts[Axis.ROOT_CAUSE]
    assert "iterations: 1" in texts[Axis.STRATEGY]


@pytest.mark.requirement("GH-45")
def test_axis_texts_are_made_of_the_right_parts() -> None:
    """Exactly the parts that each axis compares."""
    [line] = lines({"queries": 1}, falsified=True)
    entry = ExperienceLine.model_validate(line)
    end = entry.resolution
    assert end.root_cause is not None
    assert end.lesson is not None
    outcome, lesson = f"falsified: {end.result}", end.lesson.what_worked
    why = end.root_cause.description
    said = (entry.goal, entry.hypothesis, entry.action, entry.prediction)
    parts: dict[Axis, list[Any]] = {
        Axis.FULL: [*said, outcome, end.surprise, lesson],
        Axis.STRATEGY: [entry.strategy, entry.goal, outcome, "iterations: 1", lesson],
        Axis.SURPRISE: [entry.prediction, end.result, end.surprise, why],
        Axis.ROOT_CAUSE: [
            *("wrong-assumption", why, entry.domain, entry.strategy),
            entry.hypothesis,
        ],
    }
    for axis, expected in parts.items():
        assert axis_text(entry, axis) == " ".join(expected)
    [confirmed] = lines({"queries": 1})
    assert axes_of(ExperienceLine.model_validate(confirmed)) == [Axis.FULL, Axis.STRATEGY]


@pytest.mark.requirement("GH-43")
async def test_filters_by_domain_and_outcome_hold(any_app: JournalApp) -> None:
    """Alone and together, on every axis."""
    app = any_app
    await app.fill(lines({"isolation": 3, "queries": 3}))
    await app.fill(lines({"queries": 2}, start=100, falsified=True))
    everything = {"query": "test query index state", "limit": 50}

    async def count(**arguments: Any) -> int:
        found = await app.agent("search_experiences", **everything, **arguments)
        return int(found["count"])

    assert await count() == 8
    assert await count(domain="performance") == 5
    assert await count(outcome="falsified") == 2
    assert await count(domain="testing", outcome="falsified") == 0
    assert await count(domain="performance", outcome="falsified", axis="root_cause") == 2
    assert await count(axis="surprise") == 2
    assert await count(axis="strategy", domain="testing") == 3


@pytest.mark.requirement("GH-44")
@pytest.mark.parametrize("query", ["", "   ", "\n"])
async def test_an_empty_query_finds_nothing_and_is_no_error(agent: Agent, query: str) -> None:
    """For search and for the context."""
    await agent("start_ghap", **START)
    await agent("resolve_ghap", **CONFIRMED)
    assert await agent("search_experiences", query=query) == {"results": [], "count": 0}
    assert (await agent("assemble_context", query=query))["items"] == []


@pytest.mark.requirement("GH-42")
async def test_an_entry_is_found_as_soon_as_it_is_resolved(app: JournalApp) -> None:
    """Also when somebody searched while there was nothing yet."""
    for axis in Axis:
        assert await goals(app.agent, "anything at all", axis=axis.value) == []
    await app.agent("start_ghap", **START)
    await app.agent("resolve_ghap", **FALSIFIED)
    for axis in Axis:
        hits = await app.journal.index.nearest(
            axis, "login session", limit=5, where={"user_id": "local"}
        )
        assert len(hits) == 1


@pytest.mark.requirement("GH-46")
async def test_the_context_brings_lessons_and_values_with_their_evidence(app: JournalApp) -> None:
    """Each item says what it rests on; best first, the domain holds for lessons."""
    await app.fill(lines({"isolation": 14, "queries": 12, "deploys": 10}))
    cluster = (await app.agent("get_clusters", axis="full"))["clusters"][0]
    [member] = (await app.agent("get_cluster_members", cluster_id=cluster["cluster_id"], limit=1))[
        "members"
    ]
    said = [member[name] for name in ("goal", "hypothesis", "action", "prediction")]
    text = " ".join([*said, member["outcome_result"], member["lesson"]["what_worked"]])
    arguments = {"cluster_id": cluster["cluster_id"], "axis": "full"}
    value = await app.agent("store_value", text=text, **arguments)
    found = await app.agent("assemble_context", query="A test fails now and then")
    assert found.keys() == {"items", "tokens", "budget_tokens", "left_out"}
    assert {item["kind"] for item in found["items"]} == {"lesson", "value"}
    scores = [item["score"] for item in found["items"]]
    assert scores == sorted(scores, reverse=True)
    [shown] = [item for item in found["items"] if item["kind"] == "value"]
    assert (shown["id"], shown["content"]) == (value["id"], text)
    assert cluster["cluster_id"] in shown["evidence"]
    assert "14 experiences" in shown["evidence"]
    lesson = next(item for item in found["items"] if item["kind"] == "lesson")
    assert lesson["id"] in lesson["evidence"]
    assert "confirmed, gold" in lesson["evidence"]
    only = await app.agent("assemble_context", query="test", domain="performance")
    lessons = [item for item in only["items"] if item["kind"] == "lesson"]
    assert all("(performance" in item["content"] for item in lessons)


@pytest.mark.requirement("GH-46")
async def test_the_context_keeps_to_its_budget(app: JournalApp) -> None:
    """And says how much it left out."""
    await app.fill(lines({"isolation": 12}))
    large = await app.agent("assemble_context", query="flaky test", budget_tokens=5_000)
    small = await app.agent("assemble_context", query="flaky test", budget_tokens=150)
    assert 0 < small["tokens"] <= 150
    assert len(small["items"]) < len(large["items"])
    assert small["left_out"] == len(large["items"]) + large["left_out"] - len(small["items"])
    kind, message = await app.agent.refused("assemble_context", query="x", budget_tokens=1)
    assert (kind, "[50, 20000]" in message) == ("validation_error", True)


@pytest.mark.requirement("GH-46")
async def test_an_entry_without_a_lesson_teaches_only_if_it_went_wrong(app: JournalApp) -> None:
    """A confirmed one without a lesson has nothing to tell."""
    for end in ({"status": "confirmed", "result": "It did"}, FALSIFIED):
        await app.agent("start_ghap", **START)
        await app.agent("resolve_ghap", **end)
    [item] = (await app.agent("assemble_context", query="flaky login test"))["items"]
    assert "Why it failed (wrong-assumption)" in item["content"]


@pytest.mark.requirement("GH-47")
async def test_what_was_shown_is_recorded(any_app: JournalApp) -> None:
    """Item, question, user and session; and it changes no ranking."""
    app = any_app
    await app.fill(lines({"isolation": 3}))
    asked = ContextInput(query="flaky test", session_id="s1")
    shown = await app.journal.context.assemble(app.owner, asked)
    await app.journal.flush()
    async with app.core.database.read() as session:
        rows = (await session.scalars(select(Showing))).all()
    assert {row.item_id for row in rows} == {item.id for item in shown.items}
    assert {(row.query, row.user_id, row.session_id) for row in rows} == {
        ("flaky test", "local", "s1")
    }
    again = await app.journal.context.assemble(app.owner, asked)
    scores = [[item.score for item in each.items] for each in (shown, again)]
    assert scores[0] == pytest.approx(scores[1], abs=1e-6)


@pytest.mark.requirement("GH-59")
async def test_recall_asks_the_journal_too(app: JournalApp) -> None:
    """Experiences and values are memory like any other."""
    memory = Memory(app.core)
    memory.recall.add_store(app.journal.experience_store)
    memory.recall.add_store(app.journal.value_store)
    await app.fill(lines({"isolation": 3}))
    found = await memory.recall.recall("flaky test", project=app.journal.project)
    assert {ranked.item.store for ranked in found.ranked} == {"experiences"}
    other = await memory.recall.recall("flaky test", project="/elsewhere")
    assert other.ranked == []
    await app.journal.flush()
    again = await memory.recall.recall("flaky test", project=app.journal.project)
    assert {ranked.item.use_count for ranked in again.ranked} == {1}


@pytest.mark.requirement("GH-59")
async def test_the_app_s_own_recall_has_the_journal(tmp_path: Path) -> None:
    """Through the memory room's tool."""
    async with open_journal(tmp_path) as app:
        await app.agent("start_ghap", **START)
        await app.agent("resolve_ghap", **CONFIRMED)
        [room] = [room for room in app.rooms if room.name == "memory"]
        found = await Agent(room)("recall", query="flaky login test")
        assert [item["store"] for item in found["items"]] == ["experiences"]
