"""From a plan to phases, with the real SDK against a loopback API, and offline."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from sqlalchemy import func, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.coach.background import Background
from bottega.coach.enums import HintLevel, HintType, PhaseStatus, Stage
from bottega.coach.plans import operations as plan_operations
from bottega.coach.plans import repository as plans
from bottega.coach.plans.hints import PhaseHints
from bottega.coach.plans.pipeline import Pipeline
from bottega.coach.plans.tables import Phase, PhaseHint, Plan
from bottega.coach.skills import repository as skill_records
from bottega.coach.wrapup import operations as wrapup_operations
from bottega.coach.wrapup.service import WrapUp
from bottega.core.llm.ledger import FAILED, ApiCall
from bottega.core.llm.testing import LoopbackApi, Received
from bottega.core.llm.testing.scripted import ScriptedModel
from bottega.core.operations import Bound
from bottega.core.search.vector_store import VectorStore
from bottega.core.sessions.actions import ActionType
from bottega.core.sessions.session import SessionStatus
from bottega.core.users import LOCAL_USER
from bottega.errors import Conflict, InvalidInput, ModelError, Unavailable
from bottega.memory.schemas import MemoryInput
from bottega.server.rest import operation_router
from tests.coach.builders import CoachApp, open_coach
from tests.coach.doors import Doors, Window, bind, messages

PLAN = """\
1. Write a failing test in tests/test_orders.py.
2. Change `price_of` in prices.py to give cents.
3. Update README.md so that people know totals are in cents.
"""
SUMMARY = "Totals are off by a cent: rounding money as floats"


def phase(number: int, title: str = "Look", **changes: Any) -> dict[str, Any]:
    hints = {
        "file_hints": [{"path": "src/bakery/orders.py", "style": "important"}],
        "line_hints": [
            {
                "path": "src/bakery/orders.py",
                "start": 4,
                "end": 5,
                "style": "focus",
                "hover_text": "What type is this sum?",
            }
        ],
    }
    return {
        "number": number,
        "title": title,
        "description": f"Do {title.lower()} first.",
        "expected_files": ["src/bakery/orders.py"],
        "hint_level": "line",
        "hints": hints,
        "knowledge_gap_opportunities": ["floats"],
    } | changes


def guidance(*phases: dict[str, Any], connection: str | None = None) -> dict[str, Any]:
    return {
        "phases": list(phases),
        "memory_connection": connection,
        "estimated_difficulty": "beginner",
    }


def sifted(*contents: str) -> dict[str, Any]:
    kept = [
        {
            "content": content,
            "relevance": "direct",
            "connection": "the same sum",
            "use_in_coaching": "remind of it",
        }
        for content in contents
    ]
    return {"relevant_memories": kept, "discarded": []}


def pipeline(app: CoachApp) -> Pipeline:
    memories = app.memory.memories
    return Pipeline(app.core, memories, app.skills, app.windows, PhaseHints(app.core, app.windows))


async def remember(app: CoachApp, *contents: str) -> None:
    notes = [MemoryInput(content=content) for content in contents]
    await app.memory.memories.add_memories(notes, "earlier", "another project")


def question(request: Received) -> dict[str, Any]:
    """The JSON that a model was asked with."""
    asked: dict[str, Any] = json.loads(request.body["messages"][0]["content"][0]["text"])
    return asked


async def calls(app: CoachApp) -> list[ApiCall]:
    await app.core.ledger.flush()
    async with app.core.database.read() as session:
        return list((await session.scalars(select(ApiCall).order_by(ApiCall.created_at))).all())


async def count(app: CoachApp, table: type[Plan] | type[Phase] | type[PhaseHint]) -> int:
    async with app.core.database.read() as session:
        return await session.scalar(select(func.count()).select_from(table)) or 0


@pytest.fixture
async def api() -> AsyncIterator[LoopbackApi]:
    async with LoopbackApi() as api:
        yield api


@pytest.fixture
async def modelled(api: LoopbackApi, tmp_path: Path) -> AsyncIterator[CoachApp]:
    async with open_coach(tmp_path, api=api) as app:
        yield app


@pytest.mark.requirement("SC-054", "FR-109", "FR-110", "FR-112", "FR-127")
async def test_a_plan_becomes_phases_step_by_step(modelled: CoachApp, api: LoopbackApi) -> None:
    """Recall, sift, coach, in this order and logged."""
    app = modelled
    started = await app.start_session()
    await remember(app, "Rounding money as floats lost a cent last week.")
    async with app.core.database.write() as session:
        await skill_records.assess(session, LOCAL_USER, "Money", Stage.COMPETENT, 0.6, "seen")
    api.reply(json=sifted("Rounding money as floats lost a cent last week."))
    api.reply(json=guidance(phase(1), phase(2, "Change"), connection="As last week."))

    ready = await pipeline(app).run(app.editor, PLAN, SUMMARY, 12)

    sift, coach = api.requests
    [candidate] = question(sift)["candidate_memories"]
    assert candidate["content"].startswith("Rounding money")
    assert candidate["metadata"]["project"] == "another project"
    asked = question(coach)
    assert asked["plan"] == PLAN
    assert asked["dreyfus_stage"] == "competent"
    [memory] = asked["relevant_memories"]
    assert memory["connection"] == "the same sum"
    assert "src/bakery/prices.py" in asked["project_files"]
    places = {(place["name"], place["start"]) for place in asked["definitions"]}
    assert ("price_of", 4) in places
    assert '"competent"' in coach.body["system"][0]["text"]

    logged = await calls(app)
    assert [call.call_type for call in logged] == ["memory_retrieval_filter", "coach_agent"]
    assert {call.session_id for call in logged} == {started.id}
    assert logged[0].model != logged[1].model
    assert ready.memory_connection == "As last week."
    row = await app.core.sessions.get(started.id, user_id=LOCAL_USER)
    assert row.issue_number == 12


async def stored_plan(session: AsyncSession, plan_id: str) -> plans.PlanWithPhases:
    plan = await session.get_one(Plan, plan_id)
    return plans.PlanWithPhases(plan, await plans.phases_of(session, plan_id))


async def hints_of_type(session: AsyncSession, phase_id: str, type: HintType) -> list[PhaseHint]:
    return [hint for hint in await plans.hints_of(session, phase_id) if hint.type == type]


@pytest.mark.requirement("FR-113", "FR-114", "FR-115", "FR-116", "SC-060")
async def test_the_answer_is_stored_logged_told_and_pointed_at(
    modelled: CoachApp, api: LoopbackApi
) -> None:
    """Rows, log, windows and caller agree."""
    app = modelled
    started = await app.start_session()
    api.reply(json=guidance(phase(1, "Look"), phase(2, "Change"), phase(3, "Prove")))

    ready = await pipeline(app).run(app.editor, PLAN, SUMMARY)

    async with app.core.database.read() as session:
        stored = await stored_plan(session, ready.plan_id)
        hints = await plans.hints_of(session, stored.phases[0].id)
    assert stored.plan.raw_plan_text == PLAN
    assert stored.plan.estimated_difficulty == "beginner"
    statuses = [(row.number, row.title, row.status) for row in stored.phases]
    assert statuses == [
        (1, "Look", "active"),
        (2, "Change", "pending"),
        (3, "Prove", "pending"),
    ]
    assert stored.phases[0].started_at is not None
    assert stored.phases[0].opportunities == ["floats"]
    assert sorted(hint.type for hint in hints) == [HintType.FILE, HintType.LINE]
    assert await count(app, PhaseHint) == 6

    actions = await app.actions(started.id)
    assert [action.action_type for action in actions][:2] == ["coaching_message", "phase_started"]
    assert actions[0].data == {"messageType": "plan_ready"}
    assert actions[1].data == {
        "phaseId": stored.phases[0].id,
        "phaseNumber": 1,
        "title": "Look",
    }

    told = app.of_type("coaching:plan_ready")[0]
    assert told == ready.model_dump(mode="json", by_alias=True)
    assert told["planId"] == stored.plan.id
    assert [one["status"] for one in told["phases"]] == ["active", "pending", "pending"]
    types = [heard.type for heard in app.broadcasts]
    assert types.index("coaching:plan_ready") < types.index("explorer:hint_files")
    assert app.of_type("explorer:hint_files")[0]["hints"][0]["path"] == "src/bakery/orders.py"
    [line] = app.of_type("editor:highlight_lines")
    assert (line["start"], line["end"], line["hoverText"]) == (4, 5, "What type is this sum?")
    assert {heard.user_id for heard in app.broadcasts} == {LOCAL_USER}


@pytest.mark.requirement("FR-109")
async def test_ten_memories_are_asked_for(modelled: CoachApp, api: LoopbackApi) -> None:
    await modelled.start_session()
    await remember(modelled, *(f"Rounding money in totals, try {n}." for n in range(12)))
    api.reply(json=sifted())
    api.reply(json=guidance(phase(1)))
    await pipeline(modelled).run(modelled.editor, PLAN, SUMMARY)
    assert len(question(api.requests[0])["candidate_memories"]) == 10


@pytest.mark.requirement("EC-55", "SC-055")
async def test_without_memories_nothing_is_sifted(modelled: CoachApp, api: LoopbackApi) -> None:
    """The coach is the only call, and cannot invent a connection."""
    await modelled.start_session()
    api.reply(json=guidance(phase(1), connection="I remember it well."))
    ready = await pipeline(modelled).run(modelled.editor, PLAN, SUMMARY)
    [coach] = api.requests
    assert question(coach)["relevant_memories"] == []
    assert ready.memory_connection is None
    assert len(ready.phases) == 1


@pytest.mark.requirement("EC-56")
async def test_memories_that_do_not_help_are_none(modelled: CoachApp, api: LoopbackApi) -> None:
    await modelled.start_session()
    await remember(modelled, "Rounding money as floats lost a cent last week.")
    api.reply(json=sifted())
    api.reply(json=guidance(phase(1), connection="Invented."))
    ready = await pipeline(modelled).run(modelled.editor, PLAN, SUMMARY)
    assert question(api.requests[1])["relevant_memories"] == []
    assert ready.memory_connection is None


@pytest.mark.requirement("FR-111")
async def test_sifting_that_fails_costs_only_the_memories(
    modelled: CoachApp, api: LoopbackApi
) -> None:
    """The failed call is logged, the coach goes on without."""
    await modelled.start_session()
    await remember(modelled, "Rounding money as floats lost a cent last week.")
    api.reply(status=500)
    api.reply(json=guidance(phase(1)))
    ready = await pipeline(modelled).run(modelled.editor, PLAN, SUMMARY)
    assert question(api.requests[1])["relevant_memories"] == []
    assert len(ready.phases) == 1
    assert [call.latency_ms == FAILED for call in await calls(modelled)] == [True, False]


@pytest.mark.requirement("FR-111")
async def test_memory_that_is_away_is_done_without(
    modelled: CoachApp, api: LoopbackApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if there were no memories."""
    await modelled.start_session()
    await remember(modelled, "Rounding money as floats lost a cent last week.")

    async def away(*_: Any, **__: Any) -> Any:
        raise Unavailable("The vector store does not answer.")

    vectors: VectorStore = modelled.core.vectors
    monkeypatch.setattr(type(vectors), "query", away)
    api.reply(json=guidance(phase(1)))
    ready = await pipeline(modelled).run(modelled.editor, PLAN, SUMMARY)
    assert len(api.requests) == 1
    assert len(ready.phases) == 1


@pytest.mark.requirement("SC-056")
async def test_a_coach_that_fails_leaves_nothing_behind(
    modelled: CoachApp, api: LoopbackApi
) -> None:
    """The error goes to the caller; no plan, no broadcast; the failure is in the ledger."""
    started = await modelled.start_session()
    api.reply(status=400, text="no credit")
    with pytest.raises(ModelError):
        await pipeline(modelled).run(modelled.editor, PLAN, SUMMARY, 12)
    assert [await count(modelled, table) for table in (Plan, Phase, PhaseHint)] == [0, 0, 0]
    assert modelled.broadcasts == []
    assert await modelled.actions(started.id) == []
    [call] = await calls(modelled)
    assert (call.call_type, call.latency_ms) == ("coach_agent", FAILED)
    row = await modelled.core.sessions.get(started.id, user_id=LOCAL_USER)
    assert row.issue_number == 7


@pytest.mark.requirement("SC-056")
async def test_an_agent_gets_the_coachs_failure_as_its_tools_error(
    modelled: CoachApp, api: LoopbackApi
) -> None:
    """Over MCP."""
    await modelled.start_session()
    api.reply(status=400, text="no credit")
    kind, _ = await Doors(modelled).refused(
        "paige_run_coaching_pipeline", planText=PLAN, issueSummary=SUMMARY
    )
    assert kind == "model_error"


@pytest.mark.requirement("CO-35")
async def test_a_plan_that_breaks_off_in_the_database_leaves_no_trace(
    modelled: CoachApp, api: LoopbackApi
) -> None:
    """Phases are in, their hints fail: all of it is undone."""
    await modelled.start_session()
    api.reply(json=guidance(phase(1), phase(2)))

    async with modelled.core.database.write() as session:
        await session.execute(
            text(
                "CREATE TRIGGER full BEFORE INSERT ON phase_hints "
                "BEGIN SELECT RAISE(ABORT, 'disk full'); END"
            )
        )
    with pytest.raises(DBAPIError, match="disk full"):
        await pipeline(modelled).run(modelled.editor, PLAN, SUMMARY)
    assert [await count(modelled, table) for table in (Plan, Phase, PhaseHint)] == [0, 0, 0]
    assert modelled.broadcasts == []


@pytest.mark.requirement("CO-35")
async def test_a_session_that_ends_meanwhile_gets_no_plan(
    modelled: CoachApp, api: LoopbackApi
) -> None:
    """Its end is not undone by a late answer."""
    started = await modelled.start_session()
    hold = asyncio.Event()
    api.reply(json=guidance(phase(1)), hold=hold)
    running = asyncio.create_task(pipeline(modelled).run(modelled.editor, PLAN, SUMMARY))
    await api.received(1)
    await modelled.core.sessions.end(started.id, SessionStatus.ABANDONED, user_id=LOCAL_USER)
    hold.set()
    with pytest.raises(Conflict, match="ended while its plan"):
        await running
    assert await count(modelled, Plan) == 0


@pytest.mark.requirement("CO-37")
async def test_what_a_model_says_of_phases_is_checked(modelled: CoachApp, api: LoopbackApi) -> None:
    """Numbers, paths, lines and repetitions; a file that is not there may stay."""
    await modelled.start_session()
    outside = {"path": "../../etc/passwd", "style": "critical"}
    twice = {"path": "./src/new.py", "style": "suggested"}
    line = {"path": "src/new.py", "style": "hint"}
    hints = {
        "file_hints": [outside, twice, twice],
        "line_hints": [
            {**line, "start": 9, "end": 4, "hover_text": "One."},
            {**line, "start": 4, "end": 9, "hover_text": "Two."},
            {**line, "path": "/etc/passwd", "start": 1, "end": 1, "hover_text": "No."},
        ],
    }
    odd = phase(7, "  ", hints=hints, expected_files=["src/new.py", "src/new.py", "..", ""])
    api.reply(json=guidance(odd, phase(3, "Before")))
    ready = await pipeline(modelled).run(modelled.editor, PLAN, SUMMARY)
    assert [(one.number, one.title) for one in ready.phases] == [(1, "Before"), (2, "Phase 2")]
    async with modelled.core.database.read() as session:
        stored = await stored_plan(session, ready.plan_id)
        second = stored.phases[1]
        [file] = await hints_of_type(session, second.id, HintType.FILE)
        [lines] = await hints_of_type(session, second.id, HintType.LINE)
    assert second.expected_files == ["src/new.py"]
    assert file.path == "src/new.py"
    assert (lines.start_line, lines.end_line, lines.hover_text) == (4, 9, "One.\nTwo.")


@pytest.mark.requirement("EC-57")
async def test_no_phases_are_an_empty_plan(modelled: CoachApp, api: LoopbackApi) -> None:
    started = await modelled.start_session()
    api.reply(json=guidance())
    ready = await pipeline(modelled).run(modelled.editor, PLAN, SUMMARY)
    assert ready.phases == []
    assert await count(modelled, Plan) == 1
    assert modelled.of_type("coaching:plan_ready")[0]["phases"] == []
    assert await modelled.action_types(started.id) == ["coaching_message"]


@pytest.mark.requirement("EC-54")
async def test_a_very_long_plan_reaches_the_coach_uncut(
    modelled: CoachApp, api: LoopbackApi
) -> None:
    await modelled.start_session()
    plan = "1. Read.\n" + "\n".join(f"- note {n} about the bakery" for n in range(6_000))
    api.reply(json=guidance(phase(1)))
    await pipeline(modelled).run(modelled.editor, plan, SUMMARY)
    assert question(api.requests[0])["plan"] == plan
    assert len(plan) > 100_000


@pytest.mark.requirement("EC-61")
async def test_two_plans_at_once_are_two_plans(modelled: CoachApp, api: LoopbackApi) -> None:
    """Each whole; the later one is current and the only one with an active phase."""
    started = await modelled.start_session()
    first_waits = asyncio.Event()
    api.reply(
        json=guidance(phase(1, "Late")), hold=first_waits, when=lambda r: "slow" in str(r.body)
    )
    api.reply(json=guidance(phase(1, "Early")))
    line = pipeline(modelled)
    slow = asyncio.create_task(line.run(modelled.editor, "1. slow plan", SUMMARY))
    await api.received(1)
    early = await line.run(modelled.editor, PLAN, SUMMARY)
    first_waits.set()
    late = await slow
    assert early.plan_id != late.plan_id
    assert await count(modelled, Plan) == 2
    async with modelled.core.database.read() as session:
        current = await plans.latest(session, started.id)
        rows = await plans.phases_of_session(session, started.id)
    assert current is not None
    assert current.plan.id == late.plan_id
    assert [(row.title, row.status) for row in rows] == [
        ("Early", PhaseStatus.PENDING),
        ("Late", PhaseStatus.ACTIVE),
    ]


@pytest.mark.requirement("FR-108", "FR-116")
async def test_an_agents_tool_takes_plan_issue_and_number(
    modelled: CoachApp, api: LoopbackApi
) -> None:
    """Over MCP, with and without a number."""
    started = await modelled.start_session(issue_number=None)
    api.reply(json=guidance(phase(1, "Look")), times=2)
    doors = Doors(modelled)
    asked = {"planText": PLAN, "issueSummary": SUMMARY}
    answer = await doors.call("paige_run_coaching_pipeline", **asked)
    assert answer["phases"] == [
        {"number": 1, "title": "Look", "description": "Do look first.", "hintLevel": "line"}
    ]
    assert (answer["memoryConnection"], answer["estimatedDifficulty"]) == (None, "beginner")
    again = await doors.call("paige_run_coaching_pipeline", **asked, issueNumber=31)
    assert again["planId"] != answer["planId"]
    row = await modelled.core.sessions.get(started.id, user_id=LOCAL_USER)
    assert row.issue_number == 31


@pytest.mark.requirement("FR-128")
async def test_without_a_session_both_tools_are_refused(app: CoachApp) -> None:
    doors = Doors(app)
    for tool, arguments in (
        ("paige_run_coaching_pipeline", {"planText": PLAN, "issueSummary": SUMMARY}),
        ("paige_end_session", {"sessionTranscript": ""}),
    ):
        kind, message = await doors.refused(tool, **arguments)
        assert kind == "conflict"
        assert message.startswith("No active session")


@pytest.mark.requirement("FR-108")
async def test_a_plan_without_words_is_refused(app: CoachApp) -> None:
    """With what to do."""
    await app.start_session()
    with pytest.raises(InvalidInput, match="planText"):
        await pipeline(app).run(app.editor, " \n", SUMMARY)


@pytest.mark.requirement("CO-30", "CO-31", "CO-34")
async def test_offline_the_whole_way_works(app: CoachApp) -> None:
    """Phases from the plan, hints at real lines, remembering real sittings."""
    await app.start_session()
    await remember(app, "Rounding money as floats in totals lost a cent.")
    ready = await pipeline(app).run(app.editor, PLAN, SUMMARY)
    assert [one.hint_level for one in ready.phases] == [HintLevel.LINE] * 3
    assert ready.memory_connection is not None
    assert "lost a cent" in ready.memory_connection
    assert app.of_type("explorer:hint_files")[0]["hints"][0]["path"] == "tests/test_orders.py"
    async with app.core.database.read() as session:
        stored = await stored_plan(session, ready.plan_id)
        [line] = await hints_of_type(session, stored.phases[1].id, HintType.LINE)
    assert (line.path, line.start_line) == ("src/bakery/prices.py", 4)


@pytest.mark.requirement("CO-31")
async def test_what_is_in_the_editor_counts_more_than_what_is_on_disk(app: CoachApp) -> None:
    """Lines are those that the person sees."""
    await app.start_session()
    app.editor.files.update_buffer(
        "src/bakery/prices.py", "\n\n\n\n\n\ndef price_of(item):\n    return 1\n"
    )
    ready = await pipeline(app).run(app.editor, PLAN, SUMMARY)
    async with app.core.database.read() as session:
        stored = await stored_plan(session, ready.plan_id)
        [line] = await hints_of_type(session, stored.phases[1].id, HintType.LINE)
    assert (line.start_line, line.end_line) == (7, 8)


@pytest.mark.requirement("CO-36")
async def test_a_window_submits_a_plan_and_ends_the_session(app: CoachApp) -> None:
    """By messages alone; the queue of the connection is not held meanwhile."""
    started = await app.start_session()
    window, background = browser(app)
    await window.says("coaching:submit_plan", id="1", planText=PLAN)
    assert app.of_type("coaching:plan_ready") == []
    ready = await app.hear("coaching:plan_ready")
    assert len(ready["phases"]) == 3
    await app.hear("explorer:hint_files")
    await window.says("session:end", id="2")
    completed = await app.hear("session:completed")
    assert completed["sessionId"] == started.id
    await background.settle()
    await window.says("coaching:submit_plan", id="3", planText=PLAN)
    await background.settle()
    [problem] = window.errors
    assert (problem["code"], problem["id"]) == ("CONFLICT", "3")
    assert window.received == [sent for sent in window.received if sent["id"] == "3"]


def browser(app: CoachApp) -> tuple[Window, Background]:
    from bottega.server.messages import MessageRouter

    background = Background()
    router = MessageRouter(1_000_000)
    router.add(messages(operations(app, background)))
    return Window(router), background


def operations(app: CoachApp, background: Background | None = None) -> list[Bound]:
    wrapup = WrapUp(app.core, app.memory.memories, app.skills, app.windows)
    return bind(
        app,
        plan_operations,
        wrapup_operations,
        background=background,
        pipeline=pipeline(app),
        wrapup=wrapup,
    )


@pytest.mark.requirement("CO-36")
async def test_a_page_submits_a_plan_and_ends_the_session(app: CoachApp) -> None:
    """Over HTTP, in camelCase, with the issue's own words for a summary."""
    started = await app.start_session()
    server = FastAPI()
    server.include_router(operation_router(operations(app), "coach"), prefix="/api")
    transport = httpx.ASGITransport(server)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
        made = await http.post("/api/coach/plan", json={"planText": PLAN})
        assert made.status_code == 200
        assert made.json()["phases"][0]["hintLevel"] == "line"
        saved = {"path": "README.md", "charCount": 9}
        await app.core.actions.log_action(started.id, ActionType.FILE_SAVE, saved)
        ended = await http.post("/api/coach/session/end", json={})
    assert ended.json()["sessionStatus"] == "completed"
    assert ended.json()["memoriesStored"] >= 1


@pytest.mark.requirement("FR-109")
async def test_the_issue_itself_is_asked_about_when_no_summary_is_given(tmp_path: Path) -> None:
    """The session knows what it is about."""
    model = ScriptedModel(json.dumps(sifted()), json.dumps(guidance(phase(1))))
    async with open_coach(tmp_path, model=model) as app:
        await app.start_session(issue_title="Totals are off by a cent")
        await remember(app, "Totals are off by a cent when rolls are counted.")
        await pipeline(app).run(app.editor, PLAN)
    assert "Totals are off by a cent" in str(model.conversations[0][0])
