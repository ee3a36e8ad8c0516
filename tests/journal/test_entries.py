"""An entry's life through the tools."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.app import Agent
from tests.journal.builders import CONFIRMED, FALSIFIED, START, JournalApp


@pytest.mark.requirement("GH-03")
async def test_a_start_gives_the_entry_an_id_and_returns_it_whole(agent: Agent) -> None:
    """Exactly the eight fields, with the id's format and the time in UTC."""
    before = datetime.now(UTC)
    started = await agent("start_ghap", **START)
    assert re.fullmatch(r"ghap_\d{8}_\d{6}_[0-9a-f]{6}", started["id"])
    created = datetime.fromisoformat(started.pop("created_at"))
    assert created.utcoffset() == timedelta(0)
    assert before <= created <= datetime.now(UTC)
    assert started == {"id": started["id"], **START}


@pytest.mark.requirement("GH-04", "GH-06", "GH-12")
async def test_the_spec_s_workflow_ends_in_gold(any_app: JournalApp) -> None:
    """Start, update, resolve; two iterations, a lesson, gold."""
    agent = any_app.agent
    started = await agent("start_ghap", **START | {"hypothesis": "Timing issue"})
    updated = await agent(
        "update_ghap", hypothesis="Test pollution - previous test leaves state", note="saw the log"
    )
    assert updated == {"success": True, "iteration_count": 2}
    resolved = await agent("resolve_ghap", **CONFIRMED)
    assert resolved.keys() == {"id", "status", "confidence_tier", "resolved_at"}
    assert (resolved["id"], resolved["status"]) == (started["id"], "confirmed")
    assert resolved["confidence_tier"] == "gold"
    assert datetime.fromisoformat(resolved["resolved_at"]).utcoffset() == timedelta(0)
    [found] = (await agent("search_experiences", query="pollution"))["results"]
    assert found["hypothesis"] == "Test pollution - previous test leaves state"
    assert any_app.files() == []


@pytest.mark.requirement("GH-17")
async def test_each_update_keeps_what_was_believed_before(app: JournalApp) -> None:
    """The history has every earlier iteration, with the note and the time."""
    agent = app.agent
    started = await agent("start_ghap", **START)
    await agent("update_ghap", action="Freeze the clock", strategy="check-assumptions")
    await agent("update_ghap", note="Only on slow machines", confidence=0.4)
    shown = await app.journal.entries.show(app.owner, started["id"])
    assert shown.iteration_count == 3
    first, second = shown.history
    assert (first.action, first.strategy) == (START["action"], START["strategy"])
    assert (second.action, second.note) == ("Freeze the clock", "Only on slow machines")
    assert first.until <= second.until
    assert shown.confidence == 0.4


@pytest.mark.requirement("GH-05")
async def test_without_an_open_entry_there_is_nothing_to_update_or_resolve(agent: Agent) -> None:
    """Not_found, and what to do instead."""
    for tool, arguments in (("update_ghap", {"note": "x"}), ("resolve_ghap", CONFIRMED)):
        kind, message = await agent.refused(tool, **arguments)
        assert kind == "not_found"
        assert "start_ghap" in message


@pytest.mark.requirement("GH-07")
async def test_a_falsified_entry_needs_its_surprise_and_root_cause(agent: Agent) -> None:
    """Refused without either, and the entry stays open."""
    await agent("start_ghap", **START)
    for missing in ("surprise", "root_cause"):
        arguments = {name: value for name, value in FALSIFIED.items() if name != missing}
        kind, message = await agent.refused("resolve_ghap", **arguments)
        assert kind == "validation_error"
        assert f"missing: {missing}" in message
    assert (await agent("get_active_ghap"))["has_active"]
    assert (await agent("resolve_ghap", **FALSIFIED))["status"] == "falsified"


@pytest.mark.requirement("GH-08")
async def test_the_active_entry_is_shown_or_said_to_be_none(agent: Agent) -> None:
    """All fields, null when there is no open entry."""
    empty = await agent("get_active_ghap")
    assert empty.pop("has_active") is False
    assert empty.keys() == {*START, "id", "iteration_count", "created_at"}
    assert set(empty.values()) == {None}
    started = await agent("start_ghap", **START)
    active = await agent("get_active_ghap")
    assert active == {**started, "iteration_count": 1, "has_active": True}
    await agent("resolve_ghap", status="abandoned", result="Not worth it")
    assert (await agent("get_active_ghap"))["has_active"] is False


@pytest.mark.requirement("GH-11")
async def test_a_start_over_an_open_entry_warns_and_keeps_the_old_one(app: JournalApp) -> None:
    """Allowed; the old entry is an orphan, named in the warning."""
    first = await app.agent("start_ghap", **START)
    second = await app.agent("start_ghap", **START | {"goal": "Another goal"})
    assert first["id"] in second["warning"]
    assert "adopt_ghap" in second["warning"]
    assert (await app.agent("get_active_ghap"))["id"] == second["id"]
    assert f"orphan-{first['id']}.json" in app.files()


async def resolve_one(agent: Agent, end: dict[str, Any], **start: Any) -> str:
    started = await agent("start_ghap", **START | start)
    await agent("resolve_ghap", **end)
    return str(started["id"])


@pytest.mark.requirement("GH-09")
async def test_the_list_filters_and_is_ordered_newest_first(any_app: JournalApp) -> None:
    """Domain, outcome, date and limit; newest first."""
    agent = any_app.agent
    first = await resolve_one(agent, CONFIRMED)
    second = await resolve_one(agent, FALSIFIED, domain="security")
    third = await resolve_one(agent, {"status": "abandoned", "result": "Gave up"})

    async def ids(**arguments: Any) -> list[str]:
        found = await agent("list_ghap_entries", **arguments)
        assert found["count"] == len(found["results"])
        return [entry["id"] for entry in found["results"]]

    assert await ids() == [third, second, first]
    assert await ids(limit=2) == [third, second]
    assert await ids(domain="security") == [second]
    assert await ids(outcome="abandoned") == [third]
    assert await ids(domain="security", outcome="confirmed") == []
    today = datetime.now(UTC).date()
    assert await ids(since=today.isoformat()) == [third, second, first]
    assert await ids(since=(today + timedelta(days=1)).isoformat()) == []
    [entry] = (await agent("list_ghap_entries", domain="security"))["results"]
    assert entry.keys() == {
        *("id", "domain", "strategy", "goal", "outcome_status"),
        *("confidence_tier", "created_at", "resolved_at"),
    }
    assert (entry["outcome_status"], entry["confidence_tier"]) == ("falsified", "silver")


@pytest.mark.requirement("GH-10")
async def test_the_list_shows_open_entries_with_no_outcome(app: JournalApp) -> None:
    """Active ones of every session and orphans; an outcome filter leaves them out."""
    agent = app.agent
    orphan = (await agent("start_ghap", **START))["id"]
    shared = (await agent("start_ghap", **START))["id"]
    other = (await agent("start_ghap", **START, session_id="worker-1"))["id"]
    found = (await agent("list_ghap_entries"))["results"]
    assert {entry["id"] for entry in found} == {orphan, shared, other}
    assert {entry["outcome_status"] for entry in found} == {None}
    assert {entry["resolved_at"] for entry in found} == {None}
    assert (await agent("list_ghap_entries", outcome="confirmed"))["results"] == []
    assert (await agent("list_ghap_entries", domain="security"))["results"] == []
    assert len((await agent("list_ghap_entries", limit=2))["results"]) == 2


@pytest.mark.requirement("GH-55")
async def test_users_keep_their_journals_apart(any_app: JournalApp) -> None:
    """One user's entries, open or resolved, are not another's."""
    mine, hers = any_app.agent, await any_app.agent_of("ana")
    started = await hers("start_ghap", **START)
    assert (await mine("get_active_ghap"))["has_active"] is False
    assert (await mine("list_ghap_entries"))["count"] == 0
    await hers("resolve_ghap", **CONFIRMED)
    assert (await mine("search_experiences", query="flaky login test"))["count"] == 0
    assert (await mine("assemble_context", query="flaky login test"))["items"] == []
    assert (await mine("list_ghap_entries"))["count"] == 0
    assert (await hers("list_ghap_entries"))["results"][0]["id"] == started["id"]
    kind, _ = await mine.refused("adopt_ghap", id=started["id"])
    assert kind == "not_found"
