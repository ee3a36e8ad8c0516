"""The thirteen tools, as an agent calls them."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bottega.board.changes.states import ChangeStatus
from bottega.core.users import LOCAL_USER
from bottega.server.mcp import tool_listing_tokens
from tests.board.agent_board import AgentDoors, lease, open_agent_doors

READS = {"board_list_work", "board_show_change", "board_recall"}
NAMES = READS | {
    "board_register_session",
    "board_heartbeat",
    "board_end_session",
    "board_next_work",
    "board_complete_work",
    "board_release_work",
    "board_propose_change",
    "board_update_tasks",
    "board_record_memory",
    "board_request_clarification",
}
PROPOSAL: dict[str, Any] = {
    "title": "Round totals",
    "why": "Totals of large orders are off by a cent, and customers complain about it at the till.",
    "what_changes": "- Totals are rounded once, at the end.",
    "impact": "- Affected specs: orders",
    "tasks": ["Round at the end"],
    "specs": [
        {
            "capability": "orders",
            "added": [
                {
                    "name": "Rounding",
                    "text": "The shop SHALL round a total once.",
                    "scenarios": [{"name": "Half a cent", "steps": ["WHEN 0.5", "THEN 1"]}],
                }
            ],
        }
    ],
}


@pytest.fixture
async def doors(tmp_path: Path) -> AsyncIterator[AgentDoors]:
    async with open_agent_doors(tmp_path) as doors:
        yield doors


def tasks_file(doors: AgentDoors) -> str:
    folder = Path(doors.project.path) / "openspec/changes/add-discounts"
    return (folder / "tasks.md").read_text()


@pytest.mark.requirement("BD-453")
async def test_an_official_client_works_through_a_change(doors: AgentDoors) -> None:
    """From registration to review with all thirteen tools, by the official MCP client."""
    await doors.approve()
    used: set[str] = set()

    async with doors.mcp() as client:

        async def call(tool: str, **arguments: Any) -> dict[str, Any]:
            used.add(tool)
            result = await client.call_tool(tool, arguments)
            assert not result.is_error, (tool, result.structured_content)
            answer: dict[str, Any] = result.structured_content
            return answer

        listed = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert listed.keys() == NAMES
        marked = {n for n, tool in listed.items() if (a := tool.annotations) and a.read_only_hint}
        assert marked == READS

        folder = str(Path(doors.project.path) / "src")
        me = await call("board_register_session", project_path=folder, type="master")
        mine = {"session_id": me["session_id"]}
        work = (await call("board_next_work", **mine))["work"]
        assert work["change_id"] == "add-discounts"
        held = lease(me["session_id"], work)
        asked = await call("board_request_clarification", **mine, question="Tabs?", blocking=False)
        await doors.clarifications.answer(asked["clarification_id"], "Spaces", LOCAL_USER)
        [answer] = (await call("board_heartbeat", **mine))["answers"]
        assert answer["answer"] == "Spaces"
        learned = {"tier": "task", "category": "decision", "content": "Spaces, not tabs."}
        await call("board_record_memory", **mine, **learned)
        assert "Spaces, not tabs." in (await call("board_recall", **mine))["memory"]
        await call("board_release_work", **held, why="Lunch.")
        held = lease(me["session_id"], (await call("board_next_work", **mine))["work"])
        done = await call("board_update_tasks", **held, tasks=["1.1", "1.2", "2.1"])
        assert (done["status"], done["open_tasks"]) == ("review", [])
        finished = await call("board_complete_work", **held, result="Discounts are in.")
        assert finished["status"] == "review"
        shown = await call("board_show_change", change_id="add-discounts")
        assert shown["result"] == "Discounts are in."
        proposed = await call("board_propose_change", **mine, **PROPOSAL)
        found = (await call("board_list_work", project_id=doors.project.id))["work"]
        statuses = {row["change_id"]: row["status"] for row in found}
        assert statuses == {"add-discounts": "review", proposed["change_id"]: "proposing"}
        assert (await call("board_end_session", **mine))["status"] == "ended"
    assert used == NAMES


@pytest.mark.requirement("BD-454")
def test_the_tools_cost_an_agent_few_tokens(doors: AgentDoors) -> None:
    """The whole list within 2,000."""
    assert tool_listing_tokens(doors.room.tools) <= 2_000


@pytest.mark.requirement("BD-444")
async def test_next_work_hands_everything_over(doors: AgentDoors) -> None:
    """Texts, tasks, agent type, prompt, tools, memory and lease in one answer; asked
    again, the same."""
    session_id, work = await doors.begin()
    assert work["proposal"].startswith("# Add discounts")
    assert [task["id"] for task in work["tasks"]] == ["1.1", "1.2", "2.1"]
    assert "SHALL take ten per cent" in work["specs"]["orders"]
    assert work["agent_type"] == "general-purpose"
    assert work["system_prompt"]
    assert work["tools"]
    assert "No previous attempts" in work["memory"]
    again = (await doors.call("board_next_work", session_id=session_id))["work"]
    assert again["lease_token"] == work["lease_token"] == 1


@pytest.mark.requirement("BD-424")
async def test_without_work_the_answer_is_none_and_why(doors: AgentDoors) -> None:
    """Nothing is approved yet, and that is no error."""
    session_id = await doors.register()
    answer = await doors.call("board_next_work", session_id=session_id)
    assert answer["work"] is None
    assert answer["reason"].startswith("Nothing is approved in bakery.")


@pytest.mark.requirement("BD-455")
async def test_reported_tasks_are_ticked_in_the_file(doors: AgentDoors) -> None:
    """The first report begins the work, the last task ends it in review."""
    session_id, work = await doors.begin()
    held = lease(session_id, work)
    answer = await doors.call("board_update_tasks", **held, tasks=["1.1", "2.1"])
    assert (answer["status"], answer["open_tasks"]) == ("in_progress", ["1.2"])
    assert "- [x] 1.1" in tasks_file(doors)
    assert "- [ ] 1.2" in tasks_file(doors)
    answer = await doors.call("board_update_tasks", **held, tasks=["2.1"], done=False)
    assert answer["open_tasks"] == ["1.2", "2.1"]
    answer = await doors.call("board_update_tasks", **held, tasks=["1.2", "2.1"])
    assert answer["status"] == "review"
    topics = [t for t in doors.app.topics() if t in ("work.progress", "work.completed")]
    assert topics[-1] == "work.completed"
    steps = await doors.changes.history(doors.project.id, "add-discounts")
    path = ["proposing", "approved", "assigned", "in_progress", "review"]
    assert [step.to_state for step in steps] == path
    assert steps[-1].trigger_session_id == session_id


@pytest.mark.requirement("BD-429", "BD-456")
async def test_only_the_holder_may_report(doors: AgentDoors) -> None:
    """With the session and the token in the arguments, on any connection; an
    unknown task and an unknown change are clear errors, and the file stays."""
    session_id, work = await doors.begin()
    held = lease(session_id, work)
    before = tasks_file(doors)
    other = await doors.register()
    for wrong in (held | {"session_id": other}, held | {"lease_token": 7}):
        kind, message = await doors.refused("board_update_tasks", **wrong, tasks=["1.1"])
        assert kind == "conflict"
        assert "You do not hold 'add-discounts'" in message
    kind, message = await doors.refused("board_update_tasks", **held, tasks=["9.9"])
    assert kind == "not_found"
    assert "'9.9'" in message
    kind, _ = await doors.refused(
        "board_complete_work", **held | {"change_id": "nothing"}, result="Done."
    )
    assert kind == "not_found"
    assert tasks_file(doors) == before


@pytest.mark.requirement("BD-428")
async def test_completing_says_which_tasks_are_open(doors: AgentDoors) -> None:
    """It is in review all the same; a person decides."""
    session_id, work = await doors.begin()
    answer = await doors.call("board_complete_work", **lease(session_id, work), result="Enough.")
    assert (answer["status"], answer["open_tasks"]) == ("review", ["1.1", "1.2", "2.1"])


@pytest.mark.requirement("BD-457")
async def test_a_proposal_of_an_agent_waits_for_a_person(doors: AgentDoors) -> None:
    """Written to disk, proposing, with what it overlaps; nothing hands it out."""
    session_id = await doors.register()
    requirement = PROPOSAL["specs"][0]["added"][0] | {"name": "Discounts"}
    specs = [{"capability": "orders", "added": [requirement]}]
    answer = await doors.call(
        "board_propose_change",
        session_id=session_id,
        **PROPOSAL | {"specs": specs},
    )
    assert answer == {
        "change_id": "round-totals",
        "status": "proposing",
        "overlaps": ["add-discounts"],
    }
    folder = Path(doors.project.path) / "openspec/changes/round-totals"
    assert "once, at the end" in (folder / "proposal.md").read_text()
    verdict = await doors.changes.validation(doors.project.id, "round-totals")
    assert verdict.valid, verdict.issues
    [step] = await doors.changes.history(doors.project.id, "round-totals")
    assert (step.triggered_by, step.trigger_session_id) == ("agent", session_id)
    assert (await doors.call("board_next_work", session_id=session_id))["work"] is None


@pytest.mark.requirement("BD-432")
async def test_listed_work_says_why_it_waits(doors: AgentDoors) -> None:
    """By project or status; what is archived is left out."""
    session_id, _ = await doors.begin()
    await doors.call(
        "board_propose_change",
        session_id=session_id,
        **PROPOSAL | {"why": f"{PROPOSAL['why']} See `add-discounts`."},
    )
    await doors.approve("round-totals")
    rows = (await doors.call("board_list_work"))["work"]
    work = {row.pop("change_id"): row for row in rows}
    assert work["add-discounts"]["session_id"] == session_id
    assert work["add-discounts"]["tasks"] == "0/3"
    assert work["round-totals"]["held_back"] == ("Overlaps with add-discounts, which is under way.")
    approved = await doors.call("board_list_work", status="approved")
    assert [row["change_id"] for row in approved["work"]] == ["round-totals"]


@pytest.mark.requirement("BD-458")
async def test_what_is_recorded_is_recalled(doors: AgentDoors) -> None:
    """Of the session's project, and of the change it holds; by words, or what fits."""
    session_id, work = await doors.begin()
    await doors.call(
        "board_record_memory",
        session_id=session_id,
        tier="project",
        category="naming",
        content="Money is always kept in whole cents.",
    )
    found = await doors.call("board_recall", session_id=session_id, query="money in cents")
    assert found["items"][0]["content"] == "Money is always kept in whole cents."
    noted = {"tier": "task", "category": "challenge", "content": "Prices are strings."}
    await doors.call("board_record_memory", session_id=session_id, **noted)
    fitting = await doors.call("board_recall", session_id=session_id)
    assert "Prices are strings." in fitting["memory"]
    for category, words in (("gossip", "test_result"), ("gossip" * 10, "the limit is 40")):
        kind, message = await doors.refused(
            "board_record_memory", session_id=session_id, **noted | {"category": category}
        )
        assert kind == "validation_error"
        assert words in message
    await doors.call("board_release_work", **lease(session_id, work), why="Lunch.")
    kind, message = await doors.refused("board_recall", session_id=session_id)
    assert kind == "validation_error"
    assert "`query`" in message


@pytest.mark.requirement("BD-459")
async def test_a_blocking_question_waits_for_its_answer(doors: AgentDoors) -> None:
    """In the call, or in the next one with the question's id; only for who asked."""
    session_id, _ = await doors.begin()
    mine = {"session_id": session_id}
    asked = await doors.call(
        "board_request_clarification", **mine, question="Migrate?", wait_seconds=0
    )
    assert asked["answer"] is None
    assert "clarification_id" in asked["next"]
    again = {"clarification_id": asked["clarification_id"]}
    other = await doors.register()
    kind, _ = await doors.refused(
        "board_request_clarification", session_id=other, **again, wait_seconds=0
    )
    assert kind == "not_found"
    waiting = asyncio.create_task(doors.call("board_request_clarification", **mine, **again))
    await doors.clarifications.answer(asked["clarification_id"], "Go ahead", LOCAL_USER)
    async with asyncio.timeout(10):
        assert await waiting == {**again, "answer": "Go ahead"}
    kind, message = await doors.refused("board_request_clarification", **mine)
    assert kind == "validation_error"
    assert "`question`" in message


@pytest.mark.requirement("BD-408")
async def test_every_call_of_a_session_is_a_sign_of_life(doors: AgentDoors) -> None:
    """Whoever reports, asks or remembers needs no heartbeat beside it."""
    session_id, work = await doors.begin()
    held = lease(session_id, work)
    mine = {"session_id": session_id}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("board_heartbeat", mine),
        ("board_next_work", mine),
        ("board_update_tasks", held | {"tasks": ["1.1"]}),
        ("board_recall", mine),
        ("board_record_memory", mine | {"tier": "task", "category": "decision", "content": "x"}),
        ("board_request_clarification", mine | {"question": "Tabs?", "wait_seconds": 0}),
        ("board_complete_work", held | {"result": "Done."}),
    ]
    for tool, arguments in calls:
        before = (await doors.sessions.get(session_id, LOCAL_USER)).seen_at
        await doors.call(tool, **arguments)
        assert (await doors.sessions.get(session_id, LOCAL_USER)).seen_at > before, tool
    change = await doors.changes.show(doors.project.id, "add-discounts")
    assert change.status is ChangeStatus.REVIEW


@pytest.mark.requirement("BD-456")
@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("board_heartbeat", {"session_id": "nobody"}, "no session 'nobody'"),
        ("board_register_session", {"project_id": "nowhere"}, "no project 'nowhere'"),
        ("board_register_session", {"metadata": {"x": "y" * 9_000}}, "8000 characters"),
        ("board_heartbeat", {"session_id": " "}, "it is empty"),
        ("board_next_work", {}, "`session_id` is missing"),
        ("board_show_change", {"change_id": "nothing"}, "nothing"),
        ("board_show_change", {"change_id": "a\0b"}, "NUL"),
    ],
)
async def test_bad_arguments_are_clear_errors(
    doors: AgentDoors, tool: str, arguments: dict[str, Any], words: str
) -> None:
    """What is wrong, and with what value."""
    _, message = await doors.refused(tool, **arguments)
    assert words in message
