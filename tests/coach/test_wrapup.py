"""The end of a session, with the real SDK against a loopback API, and offline."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, text

from bottega.coach.background import Background
from bottega.coach.editor.schemas import LevelChange
from bottega.coach.enums import HintLevel, PhaseStatus, Severity, Stage
from bottega.coach.plans.hints import PhaseHints
from bottega.coach.plans.phases import Phases
from bottega.coach.plans.pipeline import Pipeline
from bottega.coach.plans.repository import NewPhase
from bottega.coach.practice import repository as kata_records
from bottega.coach.practice.tables import KataSpec
from bottega.coach.sessions.schemas import WrapUpResult
from bottega.coach.skills import repository as skill_records
from bottega.coach.skills.tables import KnowledgeGap
from bottega.coach.wrapup.evidence import LONGEST_TRANSCRIPT, without_middle
from bottega.coach.wrapup.records import spread_constraints
from bottega.coach.wrapup.service import WrapUp
from bottega.core.llm.ledger import FAILED, ApiCall
from bottega.core.llm.testing import LoopbackApi
from bottega.core.llm.testing.replies import Received
from bottega.core.rooms import Incoming
from bottega.core.sessions.actions import ActionType
from bottega.core.sessions.session import Session, SessionStatus
from bottega.core.users import LOCAL_USER
from bottega.errors import Conflict
from tests.coach.builders import CoachApp, open_coach
from tests.coach.doors import Doors, Recipient

ORDERS = "src/bakery/orders.py"
MONEY = "Floats, money and rounding"
ZEROS = WrapUpResult()


def kata(**changes: Any) -> dict[str, Any]:
    return {
        "gap_topic": "Rounding",
        "catalogue_slug": None,
        "title": "Till",
        "description": "Add up a till roll.",
        "scaffolding_code": "def till(coins): ...",
        "instructor_notes": "Look for integers.",
        "test_cases": ["assert till([]) == 0", "assert till("],
        "constraints": ["Use no floats.", "Use no loop."],
        "follow_up_constraint": "Take any currency.",
    } | changes


def gap(topic: str = "Rounding", severity: str = "high") -> dict[str, Any]:
    return {
        "topic": topic,
        "evidence": "raised hints twice",
        "severity": severity,
        "related_concepts": ["decimal"],
    }


def extraction(gaps: list[dict[str, Any]], katas: list[dict[str, Any]]) -> dict[str, Any]:
    summary = {
        "phases_completed": 1,
        "total_time_minutes": 3.5,
        "hints_used": 2,
        "independent_completions": 0,
    }
    return {"knowledge_gaps": gaps, "kata_specs": katas, "session_summary": summary}


def assessment(stage: str = "competent", confidence: float = 0.6) -> dict[str, Any]:
    return {
        "assessments": [
            {
                "skill_area": "Python",
                "stage": stage,
                "previous_stage": "novice",
                "confidence": confidence,
                "evidence": "four phases",
                "recommendation": "point at files",
            }
        ]
    }


NOTES = {
    "memories": [
        {"content": "Rounding was hard.", "tags": ["python", "a, b"], "importance": "high"},
        {"content": "Tests came easily.", "tags": [], "importance": "low"},
    ]
}


def wrapup(app: CoachApp) -> WrapUp:
    return WrapUp(app.core, app.memory.memories, app.skills, app.windows)


def question(request: Received) -> dict[str, Any]:
    asked: dict[str, Any] = json.loads(request.body["messages"][0]["content"][0]["text"])
    return asked


async def a_session(app: CoachApp) -> Session:
    """With a plan of two phases, of which the first is done."""
    row = await app.start_session()
    await app.add_plan(
        NewPhase(1, "Round late", "…", HintLevel.FILE, [ORDERS], [MONEY]),
        NewPhase(2, "Write it down", "…", HintLevel.FILE, ["README.md"]),
    )
    await move(app, 1, PhaseStatus.ACTIVE, PhaseStatus.COMPLETE)
    return row


async def move(app: CoachApp, number: int, *statuses: PhaseStatus) -> None:
    phases = Phases(app.core, app.windows, PhaseHints(app.core, app.windows))
    for status in statuses:
        await phases.update(app.editor, number, status)


async def call_types(app: CoachApp) -> list[tuple[str, bool]]:
    """Each call of the ledger, and whether it succeeded."""
    await app.core.ledger.flush()
    async with app.core.database.read() as session:
        rows = (await session.scalars(select(ApiCall).order_by(ApiCall.created_at))).all()
    return [(row.call_type, row.latency_ms != FAILED) for row in rows]


async def gaps_of(app: CoachApp) -> list[KnowledgeGap]:
    async with app.core.database.read() as session:
        return list(await skill_records.gaps(session, LOCAL_USER))


async def katas_of(app: CoachApp) -> list[tuple[KataSpec, KnowledgeGap]]:
    async with app.core.database.read() as session:
        return list(await kata_records.katas(session, LOCAL_USER))


async def status_of(app: CoachApp, session_id: str) -> str:
    return (await app.core.sessions.get(session_id, user_id=LOCAL_USER)).status


@pytest.fixture
async def api() -> AsyncIterator[LoopbackApi]:
    async with LoopbackApi() as api:
        yield api


@pytest.fixture
async def modelled(api: LoopbackApi, tmp_path: Path) -> AsyncIterator[CoachApp]:
    async with open_coach(tmp_path, api=api) as app:
        yield app


@pytest.mark.requirement("SC-057", "FR-118", "FR-120", "FR-122", "FR-127")
async def test_a_session_is_wrapped_up_in_three_calls(modelled: CoachApp, api: LoopbackApi) -> None:
    """Gaps, skills, memories; then it is completed."""
    app = modelled
    started = await a_session(app)
    api.reply(json=extraction([gap(), gap("Testing", "low")], [kata()]))
    api.reply(json=assessment())
    api.reply(json=NOTES)

    result = await wrapup(app).run(app.editor, "We rounded.")

    assert result.model_dump(by_alias=True) == {
        "knowledgeGaps": 2,
        "kataSpecs": 1,
        "dreyfusUpdates": 1,
        "memoriesStored": 2,
        "sessionStatus": "completed",
    }
    assert await call_types(app) == [
        ("knowledge_gap_extraction", True),
        ("dreyfus_assessment", True),
        ("memory_summarisation", True),
    ]
    first, second, third = map(question, api.requests)
    types = [action["action_type"] for action in first["action_log"]]
    assert types == ["phase_started", "phase_completed"]
    assert first["phases"][0] == {"title": "Round late", "status": "complete", "hint_level": "file"}
    assert second["recent_session"]["phases_completed"] == 1
    assert {skill["skill_area"] for skill in second["accumulated_evidence"]} == {MONEY, "Python"}
    assert third["transcript"] == "We rounded."
    assert third["issue"] == "#7 Totals are off by a cent"
    assert third["gaps"][0] == {"topic": "Rounding", "severity": "high"}
    assert str(app.project) not in json.dumps([first, second, third])
    assert await status_of(app, started.id) == SessionStatus.COMPLETED
    assert app.editor.session_id is None


@pytest.mark.requirement("FR-119", "FR-123", "CO-38")
async def test_what_was_learned_is_stored(modelled: CoachApp, api: LoopbackApi) -> None:
    """Gap, kata under its gap, skill, memories that a query finds."""
    app = modelled
    started = await a_session(app)
    extra = kata(gap_topic="how to test", title="Probe", constraints=[], follow_up_constraint=None)
    api.reply(json=extraction([gap(), gap("Testing", "low")], [kata(), extra]))
    api.reply(json=assessment())
    api.reply(json=NOTES)
    await wrapup(app).run(app.editor, "We rounded.")

    rounding, testing = await gaps_of(app)
    assert (rounding.topic, rounding.evidence) == ("Rounding", "raised hints twice")
    assert rounding.session_id == started.id
    assert rounding.related_concepts == ["decimal"]
    stored = {row.title: (row, owner) for row, owner in await katas_of(app)}
    till, owner = stored["Till"]
    assert owner.id == rounding.id
    assert stored["Probe"][1].id == testing.id
    assert till.instructor_notes == "Look for integers."
    assert till.test_cases == ["assert till([]) == 0"]
    levels = [(one["title"], one["minLevel"]) for one in till.constraints]
    assert levels == [("Use no floats", 1), ("Use no loop", 4), ("Take any currency", 8)]
    [skill] = await app.skills.all(LOCAL_USER)
    assert (skill.stage, skill.confidence, skill.recommendation) == (
        Stage.COMPETENT,
        0.6,
        "point at files",
    )
    [found, *_] = await app.memory.memories.query_memories("rounding", user_id=LOCAL_USER)
    assert found.content == "Rounding was hard."
    assert (found.metadata.session_id, found.metadata.project) == (
        started.id,
        app.editors.project,
    )


@pytest.mark.requirement("FR-125", "SC-060")
async def test_the_windows_hear_of_it(modelled: CoachApp, api: LoopbackApi) -> None:
    """Session:completed, session:ended in words, and the new radar."""
    app = modelled
    started = await a_session(app)
    api.reply(json=extraction([gap()], [kata()]))
    api.reply(json=assessment())
    api.reply(json=NOTES)
    await wrapup(app).run(app.editor, "")
    assert app.of_type("session:completed") == [
        {
            "sessionId": started.id,
            "knowledgeGaps": 1,
            "kataSpecs": 1,
            "dreyfusUpdates": 1,
            "memoriesStored": 2,
        }
    ]
    summary = app.of_type("session:ended")[0]["summary"]
    assert (summary["status"], summary["phasesCompleted"], summary["phasesTotal"]) == (
        "completed",
        1,
        2,
    )
    assert summary["text"].startswith("You finished 1 of 2 phases")
    assert app.of_type("dashboard:dreyfus")[0]["skillAreas"][0]["name"] == "Python"
    ended = (await app.actions(started.id))[-1]
    assert ended.action_type == ActionType.SESSION_ENDED
    assert ended.data == {"status": "completed", "durationMs": summary["durationMs"]}


@pytest.mark.requirement("SC-058", "FR-118", "FR-120", "FR-122")
@pytest.mark.parametrize("failing", [0, 1, 2])
async def test_one_call_that_fails_stops_only_its_own_step(
    modelled: CoachApp, api: LoopbackApi, failing: int
) -> None:
    """Whichever it is."""
    app = modelled
    started = await a_session(app)
    answers: list[dict[str, Any]] = [extraction([gap()], [kata()]), assessment(), NOTES]
    for place, answer in enumerate(answers):
        if place == failing:
            api.reply(status=500)
        else:
            api.reply(json=answer)
    result = await wrapup(app).run(app.editor, "We rounded.")
    counts = [
        (result.knowledge_gaps, result.kata_specs),
        (result.dreyfus_updates,),
        (result.memories_stored,),
    ]
    assert [any(count) for count in counts] == [place != failing for place in range(3)]
    assert [succeeded for _, succeeded in await call_types(app)] == [
        place != failing for place in range(3)
    ]
    assert await status_of(app, started.id) == SessionStatus.COMPLETED


@pytest.mark.requirement("SC-061", "FR-124")
async def test_when_all_calls_fail_the_session_is_completed_with_zeros(
    modelled: CoachApp, api: LoopbackApi
) -> None:
    """Three failures in the ledger, nothing stored."""
    app = modelled
    started = await a_session(app)
    api.reply(status=500, times=3)
    assert await wrapup(app).run(app.editor, "We rounded.") == ZEROS
    assert [succeeded for _, succeeded in await call_types(app)] == [False] * 3
    assert await status_of(app, started.id) == SessionStatus.COMPLETED
    assert app.of_type("session:completed")[0]["knowledgeGaps"] == 0
    assert app.of_type("dashboard:dreyfus") == []
    assert (await gaps_of(app), await app.skills.all(LOCAL_USER)) == ([], [])


@pytest.mark.requirement("FR-124")
async def test_a_database_that_refuses_a_step_does_not_keep_the_session_open(
    modelled: CoachApp, api: LoopbackApi
) -> None:
    """The gap goes with the kata that could not be stored; the rest is kept."""
    app = modelled
    started = await a_session(app)
    async with app.core.database.write() as session:
        await session.execute(
            text(
                "CREATE TRIGGER full BEFORE INSERT ON kata_specs "
                "BEGIN SELECT RAISE(ABORT, 'disk full'); END"
            )
        )
    api.reply(json=extraction([gap()], [kata()]))
    api.reply(json=assessment())
    api.reply(json=NOTES)
    result = await wrapup(app).run(app.editor, "We rounded.")
    assert (result.knowledge_gaps, result.kata_specs, result.dreyfus_updates) == (0, 0, 1)
    assert await gaps_of(app) == []
    assert await status_of(app, started.id) == SessionStatus.COMPLETED


@pytest.mark.requirement("EC-58", "EC-59", "EC-60")
async def test_nothing_found_stores_nothing(modelled: CoachApp, api: LoopbackApi) -> None:
    """No gaps, nothing new about skills, nothing to remember."""
    app = modelled
    await a_session(app)
    async with app.core.database.write() as session:
        await skill_records.assess(session, LOCAL_USER, "python", Stage.COMPETENT, 0.6, "before")
    api.reply(json=extraction([], [kata()]))
    api.reply(json=assessment())
    api.reply(json={"memories": []})
    assert await wrapup(app).run(app.editor, "We rounded.") == ZEROS
    assert (await gaps_of(app), await katas_of(app)) == ([], [])
    [skill] = await app.skills.all(LOCAL_USER)
    assert skill.evidence == "before"
    assert app.of_type("dashboard:dreyfus") == []


@pytest.mark.requirement("FR-121")
async def test_a_skill_assessed_again_is_the_same_row(modelled: CoachApp, api: LoopbackApi) -> None:
    """With the new stage, confidence, evidence and moment."""
    app = modelled
    await a_session(app)
    async with app.core.database.write() as session:
        before = await skill_records.assess(
            session, LOCAL_USER, "python", Stage.NOVICE, 0.3, "before"
        )
    api.reply(json=extraction([], []))
    api.reply(json=assessment())
    api.reply(json=NOTES)
    assert (await wrapup(app).run(app.editor, "")).dreyfus_updates == 1
    [after] = await app.skills.all(LOCAL_USER)
    assert (after.id, after.stage, after.evidence) == (before.id, Stage.COMPETENT, "four phases")
    assert after.assessed_at > before.assessed_at


@pytest.mark.requirement("CO-38")
async def test_a_kata_may_be_one_that_we_ship(modelled: CoachApp, api: LoopbackApi) -> None:
    """Then all of it is ours, checks and all; an unknown one is taken as written."""
    app = modelled
    await a_session(app)
    known = kata(catalogue_slug="till-roll", description="")
    unknown = kata(catalogue_slug="no-such-kata", title="Mine")
    empty = kata(catalogue_slug="no-such-kata", description=" ")
    api.reply(json=extraction([gap()], [known, unknown, empty]))
    api.reply(json=assessment())
    api.reply(json=NOTES)
    result = await wrapup(app).run(app.editor, "")
    assert result.kata_specs == 2
    assert "till-roll" in {one["slug"] for one in question(api.requests[0])["ready_katas"]}
    stored = {row.slug: row for row, _ in await katas_of(app)}
    assert set(stored) == {"till-roll", None}
    assert stored["till-roll"].description
    assert any("check" in constraint for constraint in stored["till-roll"].constraints)


@pytest.mark.requirement("CO-38")
def test_constraints_open_up_one_after_the_other() -> None:
    """The follow-up last, titles told apart, none twice."""
    spread = spread_constraints(["Do it", " Do  it ", "Do it. Twice", "Late"], "Late")
    assert [(one["title"], one["minLevel"]) for one in spread] == [
        ("Do it", 1),
        ("Do it (2)", 4),
        ("Late", 8),
    ]
    assert spread_constraints([], None) == []
    assert spread_constraints(["Only"], None)[0]["minLevel"] == 1


@pytest.mark.requirement("EC-63")
async def test_a_long_transcript_loses_its_middle(modelled: CoachApp, api: LoopbackApi) -> None:
    """It still tells how it began and how it ended."""
    await a_session(modelled)
    await wrapup(modelled).run(modelled.editor, "begin " + "x" * 80_000 + " end")
    sent = question(api.requests[2])["transcript"]
    assert len(sent) <= LONGEST_TRANSCRIPT
    assert sent.startswith("begin")
    assert sent.endswith(" end")
    assert "left out" in sent
    whole = "y" * LONGEST_TRANSCRIPT
    assert without_middle(whole) == whole


@pytest.mark.requirement("FR-117")
async def test_without_a_transcript_the_log_tells_the_story(
    modelled: CoachApp, api: LoopbackApi
) -> None:
    """The transcript is the caller's, or the log's."""
    app = modelled
    started = await a_session(app)
    await app.core.actions.log_action(started.id, ActionType.FILE_OPEN, {"path": ORDERS})
    await wrapup(app).run(app.editor, "  ")
    told = question(api.requests[2])["transcript"]
    assert f"opened {ORDERS}" in told
    assert "Round late" in told


@pytest.mark.requirement("FR-117")
async def test_an_agents_tool_ends_the_session(modelled: CoachApp, api: LoopbackApi) -> None:
    """Paige_end_session with its transcript."""
    await a_session(modelled)
    api.reply(json=extraction([gap()], []))
    api.reply(json=assessment())
    api.reply(json=NOTES)
    answer = await Doors(modelled).call("paige_end_session", sessionTranscript="All of it.")
    assert answer == {
        "knowledgeGaps": 1,
        "kataSpecs": 0,
        "dreyfusUpdates": 1,
        "memoriesStored": 2,
        "sessionStatus": "completed",
    }
    assert question(api.requests[2])["transcript"] == "All of it."


@pytest.mark.requirement("EC-62")
async def test_ending_again_does_nothing(modelled: CoachApp, api: LoopbackApi) -> None:
    """Zeros, no call, no broadcast; without any session it is refused."""
    app = modelled
    with pytest.raises(Conflict, match="No active session"):
        await wrapup(app).run(app.editor, "")
    await a_session(app)
    await wrapup(app).run(app.editor, "")
    asked, heard = len(api.requests), len(app.broadcasts)
    assert await wrapup(app).run(app.editor, "") == ZEROS
    assert (len(api.requests), len(app.broadcasts)) == (asked, heard)
    abandoned = await app.start_session()
    await app.core.sessions.end(abandoned.id, SessionStatus.ABANDONED, user_id=LOCAL_USER)
    with pytest.raises(Conflict, match="No active session"):
        await wrapup(app).run(app.editor, "")


@pytest.mark.requirement("CO-39", "EC-62")
async def test_of_two_ends_at_once_one_wraps_up(modelled: CoachApp, api: LoopbackApi) -> None:
    """The other waits for it and gets zeros."""
    await a_session(modelled)
    api.reply(json=extraction([gap()], []))
    api.reply(json=assessment())
    api.reply(json=NOTES)
    ending = wrapup(modelled)
    first, second = await asyncio.gather(
        ending.run(modelled.editor, ""), ending.run(modelled.editor, "")
    )
    assert (first.knowledge_gaps, second) == (1, ZEROS)
    assert len(api.requests) == 3
    assert len(modelled.of_type("session:completed")) == 1


@pytest.mark.requirement("CO-39")
async def test_a_server_that_stops_in_the_middle_completes_the_session(
    modelled: CoachApp, api: LoopbackApi
) -> None:
    """What was asked for stays undone, but the session is over and told so."""
    started = await a_session(modelled)
    api.reply(json=extraction([], []), hold=asyncio.Event())
    ending, background = wrapup(modelled), Background()

    async def work() -> None:
        await ending.run(modelled.editor, "")

    background.run(Incoming("session:end", None, Recipient()), work())
    await api.received(1)
    await background.stop()
    await ending.stop()
    assert await status_of(modelled, started.id) == SessionStatus.COMPLETED
    assert modelled.of_type("session:completed")[0]["sessionId"] == started.id


@pytest.mark.requirement("CO-39")
async def test_a_session_abandoned_meanwhile_stays_so(modelled: CoachApp, api: LoopbackApi) -> None:
    """The start that took its place has told it already."""
    started = await a_session(modelled)
    hold = asyncio.Event()
    api.reply(json=extraction([], []), hold=hold)
    running = asyncio.create_task(wrapup(modelled).run(modelled.editor, ""))
    await api.received(1)
    await modelled.core.sessions.end(started.id, SessionStatus.ABANDONED, user_id=LOCAL_USER)
    hold.set()
    await running
    assert await status_of(modelled, started.id) == SessionStatus.ABANDONED
    assert modelled.of_type("session:completed") == []


async def struggle(app: CoachApp) -> Session:
    """A session in which money was hard: hints raised twice, three explanations."""
    row = await app.start_session()
    await app.add_plan(NewPhase(1, "Round late", "…", HintLevel.FILE, [ORDERS], [MONEY]))
    await move(app, 1, PhaseStatus.ACTIVE)
    hints = PhaseHints(app.core, app.windows)
    for level in (HintLevel.REGION, HintLevel.LINE):
        await hints.set_level(app.editor, LevelChange(level=level))
    for _ in range(3):
        data = {"path": ORDERS}
        await app.core.actions.log_action(row.id, ActionType.EXPLAIN_REQUESTED, data)
    await move(app, 1, PhaseStatus.COMPLETE)
    return row


@pytest.mark.requirement("CO-32", "CO-38")
async def test_offline_a_hard_session_leaves_a_gap_and_a_kata(app: CoachApp) -> None:
    """From the log alone, with numbers, and a kata that can be run."""
    await struggle(app)
    result = await wrapup(app).run(app.editor, "")
    assert (result.knowledge_gaps, result.kata_specs) == (1, 1)
    [found] = await gaps_of(app)
    assert (found.topic, found.severity) == (MONEY, Severity.MEDIUM)
    assert "raised the hints twice" in found.evidence
    assert f"explanations of 3 pieces of {ORDERS}" in found.evidence
    [(row, owner)] = await katas_of(app)
    assert owner.id == found.id
    assert row.slug is not None
    assert row.test_cases
    assert row.instructor_notes
    assert all("minLevel" in constraint for constraint in row.constraints)
    assert result.memories_stored >= 2
    [hard, *_] = await app.memory.memories.query_memories("what was hard: money, rounding")
    assert "raised the hints twice" in hard.content


@pytest.mark.requirement("CO-32")
async def test_offline_a_session_that_went_well_leaves_no_gap(app: CoachApp) -> None:
    """But a first assessment, and something to remember."""
    await a_session(app)
    result = await wrapup(app).run(app.editor, "")
    assert (result.knowledge_gaps, result.kata_specs) == (0, 0)
    stages = {row.skill_area: row.stage for row in await app.skills.all(LOCAL_USER)}
    assert stages == {MONEY: Stage.NOVICE, "Python": Stage.NOVICE}
    assert result.dreyfus_updates == 2


@pytest.mark.requirement("CO-33")
async def test_a_gap_met_again_counts_and_one_mastered_is_addressed(app: CoachApp) -> None:
    """Three sessions: hard, hard again, then done without help."""
    await struggle(app)
    assert (await wrapup(app).run(app.editor, "")).knowledge_gaps == 1
    await struggle(app)
    assert (await wrapup(app).run(app.editor, "")).knowledge_gaps == 0
    [found] = await gaps_of(app)
    assert (found.frequency, found.addressed) == (2, False)

    await a_session(app)
    await wrapup(app).run(app.editor, "")
    [found] = await gaps_of(app)
    assert (found.frequency, found.addressed) == (2, True)


@pytest.mark.requirement("EC-60")
async def test_a_session_in_which_nothing_happened_leaves_nothing(app: CoachApp) -> None:
    """Nothing is invented."""
    await app.start_session()
    assert await wrapup(app).run(app.editor, "") == ZEROS
    assert app.of_type("session:ended")[0]["summary"]["text"].startswith("A short one")


@pytest.mark.requirement("CO-32")
async def test_the_edits_of_the_last_moment_count_too(app: CoachApp) -> None:
    """What was not summed up yet is, before anything is counted."""
    row = await app.start_session()
    await app.core.buffer_log.buffer_updated(row.id, ORDERS, 101, saved_char_count=100)
    await wrapup(app).run(app.editor, "")
    assert ActionType.BUFFER_SUMMARY in await app.action_types(row.id)


@pytest.mark.requirement("FR-119", "FR-124")
async def test_both_databases_keep_all_of_it(tmp_path: Path, database_url: str) -> None:
    """A plan, a hard session and what it left, on SQLite and PostgreSQL."""
    async with open_coach(tmp_path, database_url=database_url) as app:
        hints = PhaseHints(app.core, app.windows)
        memories = app.memory.memories
        started = await app.start_session()
        pipeline = Pipeline(app.core, memories, app.skills, app.windows, hints)
        await pipeline.run(app.editor, "1. Round money late in orders.py\n2. Say so in README.md")
        await hints.set_level(app.editor, LevelChange(level=HintLevel.NONE))
        await hints.set_level(app.editor, LevelChange(level=HintLevel.LINE))
        await move(app, 1, PhaseStatus.COMPLETE)
        result = await wrapup(app).run(app.editor, "")
        assert (result.knowledge_gaps, result.kata_specs, result.dreyfus_updates) == (1, 1, 2)
        assert await status_of(app, started.id) == SessionStatus.COMPLETED
