"""The room as a whole: its tools, its events, its logs, its appetite."""

import asyncio
import gc
import tracemalloc
from statistics import median
from time import perf_counter

import pytest
from structlog.testing import capture_logs

from bottega.journal.service import Journal
from bottega.server.mcp import tool_listing_tokens
from bottega.server.mcp.schemas import describe_tool
from tests.journal.builders import CONFIRMED, START, JournalApp, lines

ARGUMENTS = {
    "start_ghap": {"domain", "strategy", "goal", "hypothesis", "action", "prediction"},
    "update_ghap": {"hypothesis", "action", "prediction", "strategy", "note"},
    "resolve_ghap": {"status", "result", "surprise", "root_cause", "lesson"},
    "get_active_ghap": set(),
    "list_ghap_entries": {"limit", "domain", "outcome", "since"},
    "get_clusters": {"axis"},
    "get_cluster_members": {"cluster_id", "limit"},
    "validate_value": {"text", "cluster_id"},
    "store_value": {"text", "cluster_id", "axis"},
    "list_values": {"axis", "limit"},
    "search_experiences": {"query", "axis", "domain", "outcome", "limit"},
}
#: What Bottega adds to the spec's inputs, all of it optional.
ADDED = {"session_id", "confidence"}


@pytest.mark.requirement("GH-01")
async def test_all_eleven_tools_take_what_the_spec_says(app: JournalApp) -> None:
    """Registered, described, with the spec's inputs; what is added is optional."""
    described = {tool.name: describe_tool(tool) for tool in app.journal_room.tools}
    assert ARGUMENTS.keys() <= described.keys()
    for name, arguments in ARGUMENTS.items():
        schema = described[name]["inputSchema"]
        assert schema["properties"].keys() - ADDED == arguments
        assert not ADDED & set(schema.get("required", ()))
        assert described[name]["description"].endswith(".")
    assert set(described["start_ghap"]["inputSchema"]["required"]) == ARGUMENTS["start_ghap"]


@pytest.mark.requirement("GH-60")
async def test_the_tools_take_little_of_a_conversation(app: JournalApp) -> None:
    """The whole room in 2,000 tokens."""
    assert tool_listing_tokens(app.journal_room.tools) <= 2_000


@pytest.mark.requirement("GH-02")
async def test_the_parts_are_built_once(app: JournalApp) -> None:
    """A hundred calls make no second journal."""

    def journals() -> int:
        # By its type: asking a dead weak proxy whether it is one would fail.
        return sum(type(each) is Journal for each in gc.get_objects())

    before = journals()
    for _ in range(100):
        await app.agent("get_active_ghap")
    assert journals() == before


@pytest.mark.requirement("GH-53")
async def test_what_happens_is_on_the_bus(app: JournalApp) -> None:
    """Started, updated, evidence attached, resolved, value stored; whose and where."""
    await app.fill(lines({"isolation": 14, "queries": 12, "deploys": 10}))
    async with app.core.bus.subscribe("journal.*") as heard:
        started = await app.agent("start_ghap", **START, session_id="s1")
        await app.agent("update_ghap", note="x", session_id="s1")
        await app.agent("resolve_ghap", **CONFIRMED, session_id="s1")
        await app.agent("get_clusters", axis="full")
        [member] = (await app.agent("get_cluster_members", cluster_id="cluster_full_0", limit=1))[
            "members"
        ]
        said = [member[name] for name in ("goal", "hypothesis", "action", "prediction")]
        text = " ".join([*said, member["outcome_result"], member["lesson"]["what_worked"]])
        value = {"text": text, "cluster_id": "cluster_full_0", "axis": "full"}
        stored = await app.agent("store_value", **value)
        events = []
        async with asyncio.timeout(5):
            async for event in heard:
                events.append(event)
                if event.topic == "journal.value_stored":
                    break
    assert [event.topic for event in events] == [
        *("journal.started", "journal.updated", "journal.resolved", "journal.value_stored"),
    ]
    assert {event.project for event in events} == {app.journal.project}
    assert {event.user_id for event in events} == {"local"}
    assert events[0].payload["id"] == started["id"]
    assert events[0].session_id == "s1"
    assert events[2].payload["confidence_tier"] == "gold"
    assert events[3].payload["id"] == stored["id"]


@pytest.mark.requirement("GH-56")
async def test_every_call_leaves_a_structured_line(app: JournalApp) -> None:
    """What was done, and what was refused and why."""
    with capture_logs() as logs:
        await app.agent("start_ghap", **START)
        await app.agent.refused("get_clusters", axis="full")
    assert {"event": "journal.done", "tool": "start_ghap"}.items() <= logs[0].items()
    refused = logs[-1]
    assert (refused["event"], refused["type"]) == ("journal.refused", "not_found")
    assert refused["tool"] == "get_clusters"


@pytest.mark.requirement("GH-62")
async def test_local_operations_are_quick(app: JournalApp) -> None:
    """Start, update and get_active within 100 ms, get_active within 50."""
    await app.agent("start_ghap", **START)
    for tool, arguments, most in (
        ("start_ghap", START, 0.1),
        ("update_ghap", {"note": "x"}, 0.1),
        ("get_active_ghap", {}, 0.05),
    ):
        times = []
        for _ in range(15):
            began = perf_counter()
            await app.agent(tool, **arguments)
            times.append(perf_counter() - began)
        assert median(times) < most


@pytest.mark.requirement("GH-58")
async def test_repeated_calls_do_not_grow_the_process(app: JournalApp) -> None:
    """Hundreds of calls later it holds what it held."""

    async def rounds(count: int) -> None:
        for _ in range(count):
            await app.agent("start_ghap", **START)
            await app.agent("update_ghap", note="x")
            await app.agent("get_active_ghap")
            await app.agent.refused("get_clusters", axis="surprise")
            await app.agent("search_experiences", query="flaky")
            await app.agent("resolve_ghap", status="abandoned", result="Once more")

    await rounds(10)
    await app.core.bus.flush()
    gc.collect()
    tracemalloc.start()
    try:
        await rounds(5)
        await app.core.bus.flush()
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        await rounds(40)
        await app.core.bus.flush()
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    # Forty experiences have vectors in memory, of 1 kB on each of two axes; no more than that.
    assert grown < 40 * 10_000
