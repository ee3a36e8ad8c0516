"""What callers get wrong, and what they are told."""

from typing import Any

import pytest

from bottega.journal.entries.enums import Axis, Domain, JournalOutcome, RootCauseCategory, Strategy
from tests.app import Agent
from tests.journal.builders import CONFIRMED, FALSIFIED, START

MEMBERS = {"cluster_id": "cluster_full_0"}
VALUE = {"text": "Isolate tests", "cluster_id": "cluster_full_0"}
CAUSE = {"category": "magic", "description": "x"}


@pytest.mark.requirement("GH-25")
@pytest.mark.parametrize(
    ("tool", "arguments", "field", "options"),
    [
        ("start_ghap", START | {"domain": "invalid"}, "domain", Domain),
        ("start_ghap", START | {"strategy": "guess"}, "strategy", Strategy),
        ("update_ghap", {"strategy": "guess"}, "strategy", Strategy),
        ("resolve_ghap", CONFIRMED | {"status": "done"}, "status", JournalOutcome),
        ("resolve_ghap", FALSIFIED | {"root_cause": CAUSE}, "root_cause", RootCauseCategory),
        ("list_ghap_entries", {"domain": "x"}, "domain", Domain),
        ("list_ghap_entries", {"outcome": "open"}, "outcome", JournalOutcome),
        ("get_clusters", {"axis": "domain"}, "axis", Axis),
        ("store_value", VALUE | {"axis": "x"}, "axis", Axis),
        ("list_values", {"axis": "x"}, "axis", Axis),
        ("search_experiences", {"query": "q", "axis": "x"}, "axis", Axis),
        ("search_experiences", {"query": "q", "domain": "x"}, "domain", Domain),
        ("search_experiences", {"query": "q", "outcome": "x"}, "outcome", JournalOutcome),
        ("assemble_context", {"query": "q", "domain": "x"}, "domain", Domain),
    ],
)
async def test_a_word_outside_its_set_is_refused_with_the_valid_ones(
    agent: Agent, tool: str, arguments: dict[str, Any], field: str, options: Any
) -> None:
    """A validation_error that names the field and lists every option."""
    await agent("start_ghap", **START)
    kind, message = await agent.refused(tool, **arguments)
    assert kind == "validation_error"
    assert field in message
    assert all(option in message for option in options)


@pytest.mark.requirement("GH-25")
async def test_every_word_of_every_set_is_accepted(agent: Agent) -> None:
    """All domains, strategies, categories and outcomes work."""
    for domain in Domain:
        await agent("start_ghap", **START | {"domain": domain.value})
    for strategy in Strategy:
        await agent("update_ghap", strategy=strategy.value)
    for category in RootCauseCategory:
        cause = {"category": category.value, "description": "Because of it"}
        await agent("start_ghap", **START)
        await agent("resolve_ghap", **FALSIFIED | {"root_cause": cause})
    for outcome in JournalOutcome:
        assert (await agent("list_ghap_entries", outcome=outcome.value))["count"] in (0, 9)


LONG: dict[int, list[tuple[str, dict[str, Any], str]]] = {
    1_000: [
        *(("start_ghap", START, name) for name in ("goal", "hypothesis", "action", "prediction")),
        *(("update_ghap", {}, name) for name in ("hypothesis", "action", "prediction", "note")),
    ],
    2_000: [("resolve_ghap", FALSIFIED, name) for name in ("result", "surprise")],
    500: [("validate_value", VALUE, "text"), ("store_value", VALUE | {"axis": "full"}, "text")],
}


@pytest.mark.requirement("GH-26")
@pytest.mark.parametrize(
    ("tool", "arguments", "field", "limit"),
    [(*case, limit) for limit, cases in LONG.items() for case in cases],
)
async def test_a_text_over_its_limit_or_empty_is_refused(
    agent: Agent, tool: str, arguments: dict[str, Any], field: str, limit: int
) -> None:
    """One character more than the limit, nothing, and blanks; the limit itself is fine."""
    await agent("start_ghap", **START)
    for text in ("x" * (limit + 1), "", "   "):
        kind, message = await agent.refused(tool, **arguments | {field: text})
        assert kind == "validation_error"
        assert field in message
        assert str(limit) in message
    accepted = await agent.ask(tool, arguments | {field: "x" * limit})
    assert accepted["structuredContent"].get("error", {}).get("type") != "validation_error"


@pytest.mark.requirement("GH-26")
@pytest.mark.parametrize(
    "nested",
    [
        {"root_cause": {"category": "oversight", "description": "x" * 2_001}},
        {"lesson": {"what_worked": "x" * 2_001}},
        {"lesson": {"what_worked": "x", "takeaway": "x" * 2_001}},
        {"lesson": {"what_worked": ""}},
        {"lesson": {"takeaway": "only this"}},
        {"root_cause": {"category": "oversight"}},
        {"root_cause": "oversight"},
    ],
)
async def test_the_parts_of_a_resolution_are_checked_too(
    agent: Agent, nested: dict[str, Any]
) -> None:
    """Descriptions, what worked and takeaways of 1 to 2,000 characters."""
    await agent("start_ghap", **START)
    kind, message = await agent.refused("resolve_ghap", **FALSIFIED | nested)
    assert kind == "validation_error"
    assert next(iter(nested)) in message
    assert (await agent("get_active_ghap"))["has_active"]


@pytest.mark.requirement("GH-27")
@pytest.mark.parametrize(
    ("tool", "arguments", "highest"),
    [
        ("list_ghap_entries", {}, 100),
        ("get_cluster_members", MEMBERS, 100),
        ("list_values", {}, 100),
        ("search_experiences", {"query": "q"}, 50),
    ],
)
async def test_a_limit_out_of_its_range_is_refused_with_the_range(
    agent: Agent, tool: str, arguments: dict[str, Any], highest: int
) -> None:
    """0, negative and one too many; both ends are fine."""
    for limit in (0, -1, highest + 1):
        kind, message = await agent.refused(tool, **arguments, limit=limit)
        assert kind == "validation_error"
        assert f"[1, {highest}]" in message
    for limit in (1, highest):
        answer = await agent.ask(tool, arguments | {"limit": limit})
        assert answer["structuredContent"].get("error", {}).get("type") != "validation_error"


@pytest.mark.requirement("GH-27")
@pytest.mark.parametrize("confidence", [-0.1, 1.1, float("nan"), "sure"])
async def test_a_confidence_is_between_0_and_1(agent: Agent, confidence: Any) -> None:
    """Anything else is refused."""
    kind, message = await agent.refused("start_ghap", **START, confidence=confidence)
    assert kind == "validation_error"
    assert "confidence" in message


@pytest.mark.requirement("GH-28")
@pytest.mark.parametrize(
    "since", ["yesterday", "2026-13-01", "01.02.2026", "", "9999-12-31T23:59:59-12:00", 5.5]
)
async def test_a_date_that_is_none_is_refused_with_the_format(agent: Agent, since: Any) -> None:
    """ISO 8601 is said to be expected."""
    kind, message = await agent.refused("list_ghap_entries", since=since)
    assert kind == "validation_error"
    assert "since" in message


@pytest.mark.requirement("GH-28")
@pytest.mark.parametrize(
    "since", ["2020-01-01", "2020-01-01T10:00:00Z", "2020-01-01T10:00:00+02:00", "2020-01-01T10:00"]
)
async def test_dates_and_times_of_every_iso_form_are_understood(agent: Agent, since: str) -> None:
    """With and without a time or an offset."""
    await agent("start_ghap", **START)
    assert (await agent("list_ghap_entries", since=since))["count"] == 1


@pytest.mark.requirement("GH-29")
@pytest.mark.parametrize(
    "cluster_id",
    ["", "full_0", "cluster_full", "cluster_domain_0", "cluster_full_-1", "cluster_full_x", "7"],
)
async def test_a_cluster_id_of_another_form_is_refused(agent: Agent, cluster_id: str) -> None:
    """Members, validate and store say which form is expected."""
    value = VALUE | {"cluster_id": cluster_id}
    for tool, arguments in (
        ("get_cluster_members", {"cluster_id": cluster_id}),
        ("validate_value", value),
        ("store_value", value | {"axis": "full"}),
    ):
        kind, message = await agent.refused(tool, **arguments)
        assert kind == "validation_error"
        assert "cluster_{axis}_{label}" in message


@pytest.mark.requirement("GH-29")
@pytest.mark.parametrize("session_id", ["", "../../etc", "a/b", "x" * 129, "a b", "a\0b"])
async def test_a_session_id_that_could_lead_elsewhere_is_refused(
    agent: Agent, session_id: str
) -> None:
    """It is part of a file's name."""
    kind, message = await agent.refused("start_ghap", **START, session_id=session_id)
    assert kind == "validation_error"
    assert "session_id" in message


@pytest.mark.requirement("GH-29")
async def test_an_entry_id_of_another_form_is_refused(agent: Agent) -> None:
    """With the form that is expected."""
    for entry_id in ("ghap_1", "../active", "ghap_20260101_000000_XYZXYZ"):
        kind, message = await agent.refused("adopt_ghap", id=entry_id)
        assert kind == "validation_error"
        assert "ghap_{YYYYMMDD}_{HHMMSS}_{6 hex digits}" in message


@pytest.mark.requirement("GH-30")
@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("start_ghap", {}, ["domain", "strategy", "goal", "hypothesis", "action"]),
        ("start_ghap", START | {"goal": 7}, ["goal", "7"]),
        ("start_ghap", START | {"goal": None}, ["goal"]),
        ("start_ghap", START | {"gaol": "x"}, ["gaol", "not an argument"]),
        ("start_ghap", START | {"goal": "a\0b"}, ["goal", "NUL"]),
        ("update_ghap", {}, ["at least one of", "hypothesis", "note"]),
        ("resolve_ghap", {"result": "x"}, ["status", "missing"]),
        ("list_ghap_entries", {"limit": "many"}, ["limit", "many"]),
        ("list_ghap_entries", {"limit": 1.5}, ["limit"]),
        ("get_clusters", {}, ["axis", "missing"]),
        ("get_cluster_members", {}, ["cluster_id", "missing"]),
        ("validate_value", {"text": "x"}, ["cluster_id", "missing"]),
        ("store_value", VALUE, ["axis", "missing"]),
        ("search_experiences", {}, ["query", "missing"]),
        ("search_experiences", {"query": "x" * 2_001}, ["query", "2000"]),
        ("get_active_ghap", {"sesion_id": "x"}, ["sesion_id", "session_id"]),
    ],
)
async def test_missing_mistyped_and_unknown_arguments_are_explained(
    agent: Agent, tool: str, arguments: dict[str, Any], words: list[str]
) -> None:
    """A validation_error in the same shape as all errors, naming what is wrong."""
    await agent("start_ghap", **START)
    result = await agent.ask(tool, arguments)
    assert result["isError"]
    error = result["structuredContent"]["error"]
    assert error["type"] == "validation_error"
    assert all(word in error["message"] for word in words)
