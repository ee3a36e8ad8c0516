"""The end of a session, with the real SDK against a loopback API, and offline."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, text

from bottega.coach.enums import HintLevel, PhaseStatus, Severity
from bottega.coach.messages.background import Background
from bottega.coach.planning.pipeline import Pipeline
from bottega.coach.protocol.files import LevelChange
from bottega.coach.reflection.keeping import spread_constraints
from bottega.coach.reflection.sitting import LONGEST_TRANSCRIPT, without_middle
from bottega.coach.reflection.wrapup import WrapUp, WrapUpResult
from bottega.coach.repository import learning
from bottega.coach.repository.plans import NewPhase
from bottega.coach.sessions.hints import Hints
from bottega.coach.sessions.phases import Phases
from bottega.coach.stages import Stage
from bottega.coach.tables import KataSpec, KnowledgeGap
from bottega.core.actions import ActionType
from bottega.core.llm.ledger import FAILED, ApiCall
from bottega.core.llm.testing import LoopbackApi
from bottega.core.llm.testing.replies import Received
from bottega.core.rooms import Incoming
from bottega.core.sessions import Session, SessionStatus
from bottega.core.users import LOCAL_USER
from bottega.errors import Conflict
from tests.coach.doors import Doors
from tests.coach.house import House, open_house
from tests.coach.window import Window

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


def wrapup(house: House) -> WrapUp:
    return WrapUp(house.core, house.memory.memories, house.skills, house.voice)


def question(request: Received) -> dict[str, Any]:
    asked: dict[str, Any] = json.loads(request.body["messages"][0]["content"][0]["text"])
    return asked


async def a_session(house: House) -> Session:
    """With a plan of two phases, of which the first is done."""
    row = await house.start_session()
    await house.add_plan(
        NewPhase(1, "Round late", "…", HintLevel.FILE, [ORDERS], [MONEY]),
        NewPhase(2, "Write it down", "…", HintLevel.FILE, ["README.md"]),
    )
    await move(house, 1, PhaseStatus.ACTIVE, PhaseStatus.COMPLETE)
    return row


async def move(house: House, number: int, *statuses: PhaseStatus) -> None:
    phases = Phases(house.core, house.voice, Hints(house.core, house.voice))
    for status in statuses:
        await phases.update(house.desk, number, status)


async def call_types(house: House) -> list[tuple[str, bool]]:
    """Each call of the ledger, and whether it succeeded."""
    await house.core.ledger.flush()
    async with house.core.database.read() as session:
        rows = (await session.scalars(select(ApiCall).order_by(ApiCall.created_at))).all()
    return [(row.call_type, row.latency_ms != FAILED) for row in rows]


async def gaps_of(house: House) -> list[KnowledgeGap]:
    async with house.core.database.read() as session:
        return list(await learning.gaps(session, LOCAL_USER))


async def katas_of(house: House) -> list[tuple[KataSpec, KnowledgeGap]]:
    async with house.core.database.read() as session:
        return list(await learning.katas(session, LOCAL_USER))


async def status_of(house: House, session_id: str) -> str:
    return (await house.core.sessions.get(session_id, user_id=LOCAL_USER)).status


@pytest.fixture
async def api() -> AsyncIterator[LoopbackApi]:
    async with LoopbackApi() as api:
        yield api


@pytest.fixture
async def modelled(api: LoopbackApi, tmp_path: Path) -> AsyncIterator[House]:
    async with open_house(tmp_path, api=api) as house:
        yield house


async def test_a_session_is_wrapped_up_in_three_calls(modelled: House, api: LoopbackApi) -> None:
    """SC-057, FR-118, FR-120, FR-122, FR-127: gaps, skills, memories; then it is completed."""
    house = modelled
    started = await a_session(house)
    api.reply(json=extraction([gap(), gap("Testing", "low")], [kata()]))
    api.reply(json=assessment())
    api.reply(json=NOTES)

    result = await wrapup(house).run(house.desk, "We rounded.")

    assert result.model_dump(by_alias=True) == {
        "knowledgeGaps": 2,
        "kataSpecs": 1,
        "dreyfusUpdates": 1,
        "memoriesStored": 2,
        "sessionStatus": "completed",
    }
    assert await call_types(house) == [
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
    assert str(house.project) not in json.dumps([first, second, third])
    assert await status_of(house, started.id) == SessionStatus.COMPLETED
    assert house.desk.session_id is None


async def test_what_was_learned_is_stored(modelled: House, api: LoopbackApi) -> None:
    """FR-119, FR-123, CO-38: gap, kata under its gap, skill, memories that a query finds."""
    house = modelled
    started = await a_session(house)
    extra = kata(gap_topic="how to test", title="Probe", constraints=[], follow_up_constraint=None)
    api.reply(json=extraction([gap(), gap("Testing", "low")], [kata(), extra]))
    api.reply(json=assessment())
    api.reply(json=NOTES)
    await wrapup(house).run(house.desk, "We rounded.")

    rounding, testing = await gaps_of(house)
    assert (rounding.topic, rounding.evidence) == ("Rounding", "raised hints twice")
    assert rounding.session_id == started.id
    assert rounding.related_concepts == ["decimal"]
    stored = {row.title: (row, owner) for row, owner in await katas_of(house)}
    till, owner = stored["Till"]
    assert owner.id == rounding.id
    assert stored["Probe"][1].id == testing.id
    assert till.instructor_notes == "Look for integers."
    assert till.test_cases == ["assert till([]) == 0"]
    levels = [(one["title"], one["minLevel"]) for one in till.constraints]
    assert levels == [("Use no floats", 1), ("Use no loop", 4), ("Take any currency", 8)]
    [skill] = await house.skills.all(LOCAL_USER)
    assert (skill.stage, skill.confidence, skill.recommendation) == (
        Stage.COMPETENT,
        0.6,
        "point at files",
    )
    [found, *_] = await house.memory.memories.query_memories("rounding", user_id=LOCAL_USER)
    assert found.content == "Rounding was hard."
    assert (found.metadata.session_id, found.metadata.project) == (started.id, house.desks.project)


async def test_the_windows_hear_of_it(modelled: House, api: LoopbackApi) -> None:
    """FR-125, SC-060: session:completed, session:ended in words, and the new radar."""
    house = modelled
    started = await a_session(house)
    api.reply(json=extraction([gap()], [kata()]))
    api.reply(json=assessment())
    api.reply(json=NOTES)
    await wrapup(house).run(house.desk, "")
    assert house.of_type("session:completed") == [
        {
            "sessionId": started.id,
            "knowledgeGaps": 1,
            "kataSpecs": 1,
            "dreyfusUpdates": 1,
            "memoriesStored": 2,
        }
    ]
    summary = house.of_type("session:ended")[0]["summary"]
    assert (summary["status"], summary["phasesCompleted"], summary["phasesTotal"]) == (
        "completed",
        1,
        2,
    )
    assert summary["text"].startswith("You finished 1 of 2 phases")
    assert house.of_type("dashboard:dreyfus")[0]["skillAreas"][0]["name"] == "Python"
    ended = (await house.actions(started.id))[-1]
    assert ended.action_type == ActionType.SESSION_ENDED
    assert ended.data == {"status": "completed", "durationMs": summary["durationMs"]}


@pytest.mark.parametrize("failing", [0, 1, 2])
async def test_one_call_that_fails_stops_only_its_own_step(
    modelled: House, api: LoopbackApi, failing: int
) -> None:
    """SC-058, FR-118, FR-120, FR-122: whichever it is."""
    house = modelled
    started = await a_session(house)
    answers: list[dict[str, Any]] = [extraction([gap()], [kata()]), assessment(), NOTES]
    for place, answer in enumerate(answers):
        if place == failing:
            api.reply(status=500)
        else:
            api.reply(json=answer)
    result = await wrapup(house).run(house.desk, "We rounded.")
    counts = [
        (result.knowledge_gaps, result.kata_specs),
        (result.dreyfus_updates,),
        (result.memories_stored,),
    ]
    assert [any(count) for count in counts] == [place != failing for place in range(3)]
    assert [succeeded for _, succeeded in await call_types(house)] == [
        place != failing for place in range(3)
    ]
    assert await status_of(house, started.id) == SessionStatus.COMPLETED


async def test_when_all_calls_fail_the_session_is_completed_with_zeros(
    modelled: House, api: LoopbackApi
) -> None:
    """SC-061, FR-124: three failures in the ledger, nothing stored."""
    house = modelled
    started = await a_session(house)
    api.reply(status=500, times=3)
    assert await wrapup(house).run(house.desk, "We rounded.") == ZEROS
    assert [succeeded for _, succeeded in await call_types(house)] == [False] * 3
    assert await status_of(house, started.id) == SessionStatus.COMPLETED
    assert house.of_type("session:completed")[0]["knowledgeGaps"] == 0
    assert house.of_type("dashboard:dreyfus") == []
    assert (await gaps_of(house), await house.skills.all(LOCAL_USER)) == ([], [])


async def test_a_database_that_refuses_a_step_does_not_keep_the_session_open(
    modelled: House, api: LoopbackApi
) -> None:
    """FR-124: the gap goes with the kata that could not be stored; the rest is kept."""
    house = modelled
    started = await a_session(house)
    async with house.core.database.write() as session:
        await session.execute(
            text(
                "CREATE TRIGGER full BEFORE INSERT ON kata_specs "
                "BEGIN SELECT RAISE(ABORT, 'disk full'); END"
            )
        )
    api.reply(json=extraction([gap()], [kata()]))
    api.reply(json=assessment())
    api.reply(json=NOTES)
    result = await wrapup(house).run(house.desk, "We rounded.")
    assert (result.knowledge_gaps, result.kata_specs, result.dreyfus_updates) == (0, 0, 1)
    assert await gaps_of(house) == []
    assert await status_of(house, started.id) == SessionStatus.COMPLETED


async def test_nothing_found_stores_nothing(modelled: House, api: LoopbackApi) -> None:
    """EC-58, EC-59, EC-60: no gaps, nothing new about skills, nothing to remember."""
    house = modelled
    await a_session(house)
    async with house.core.database.write() as session:
        await learning.assess(session, LOCAL_USER, "python", Stage.COMPETENT, 0.6, "before")
    api.reply(json=extraction([], [kata()]))
    api.reply(json=assessment())
    api.reply(json={"memories": []})
    assert await wrapup(house).run(house.desk, "We rounded.") == ZEROS
    assert (await gaps_of(house), await katas_of(house)) == ([], [])
    [skill] = await house.skills.all(LOCAL_USER)
    assert skill.evidence == "before"
    assert house.of_type("dashboard:dreyfus") == []


async def test_a_skill_assessed_again_is_the_same_row(modelled: House, api: LoopbackApi) -> None:
    """FR-121: with the new stage, confidence, evidence and moment."""
    house = modelled
    await a_session(house)
    async with house.core.database.write() as session:
        before = await learning.assess(session, LOCAL_USER, "python", Stage.NOVICE, 0.3, "before")
    api.reply(json=extraction([], []))
    api.reply(json=assessment())
    api.reply(json=NOTES)
    assert (await wrapup(house).run(house.desk, "")).dreyfus_updates == 1
    [after] = await house.skills.all(LOCAL_USER)
    assert (after.id, after.stage, after.evidence) == (before.id, Stage.COMPETENT, "four phases")
    assert after.assessed_at > before.assessed_at


async def test_a_kata_may_be_one_that_we_ship(modelled: House, api: LoopbackApi) -> None:
    """CO-38: then all of it is ours, checks and all; an unknown one is taken as written."""
    house = modelled
    await a_session(house)
    known = kata(catalogue_slug="till-roll", description="")
    unknown = kata(catalogue_slug="no-such-kata", title="Mine")
    empty = kata(catalogue_slug="no-such-kata", description=" ")
    api.reply(json=extraction([gap()], [known, unknown, empty]))
    api.reply(json=assessment())
    api.reply(json=NOTES)
    result = await wrapup(house).run(house.desk, "")
    assert result.kata_specs == 2
    assert "till-roll" in {one["slug"] for one in question(api.requests[0])["ready_katas"]}
    stored = {row.slug: row for row, _ in await katas_of(house)}
    assert set(stored) == {"till-roll", None}
    assert stored["till-roll"].description
    assert any("check" in constraint for constraint in stored["till-roll"].constraints)


def test_constraints_open_up_one_after_the_other() -> None:
    """CO-38: the follow-up last, titles told apart, none twice."""
    spread = spread_constraints(["Do it", " Do  it ", "Do it. Twice", "Late"], "Late")
    assert [(one["title"], one["minLevel"]) for one in spread] == [
        ("Do it", 1),
        ("Do it (2)", 4),
        ("Late", 8),
    ]
    assert spread_constraints([], None) == []
    assert spread_constraints(["Only"], None)[0]["minLevel"] == 1


async def test_a_long_transcript_loses_its_middle(modelled: House, api: LoopbackApi) -> None:
    """EC-63: it still tells how it began and how it ended."""
    await a_session(modelled)
    await wrapup(modelled).run(modelled.desk, "begin " + "x" * 80_000 + " end")
    sent = question(api.requests[2])["transcript"]
    assert len(sent) <= LONGEST_TRANSCRIPT
    assert sent.startswith("begin")
    assert sent.endswith(" end")
    assert "left out" in sent
    whole = "y" * LONGEST_TRANSCRIPT
    assert without_middle(whole) == whole


async def test_without_a_transcript_the_log_tells_the_story(
    modelled: House, api: LoopbackApi
) -> None:
    """FR-117: the transcript is the caller's, or the log's."""
    house = modelled
    started = await a_session(house)
    await house.core.actions.log_action(started.id, ActionType.FILE_OPEN, {"path": ORDERS})
    await wrapup(house).run(house.desk, "  ")
    told = question(api.requests[2])["transcript"]
    assert f"opened {ORDERS}" in told
    assert "Round late" in told


async def test_an_agents_tool_ends_the_session(modelled: House, api: LoopbackApi) -> None:
    """FR-117: paige_end_session with its transcript."""
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


async def test_ending_again_does_nothing(modelled: House, api: LoopbackApi) -> None:
    """EC-62: zeros, no call, no broadcast; without any session it is refused."""
    house = modelled
    with pytest.raises(Conflict, match="No active session"):
        await wrapup(house).run(house.desk, "")
    await a_session(house)
    await wrapup(house).run(house.desk, "")
    asked, heard = len(api.requests), len(house.heard)
    assert await wrapup(house).run(house.desk, "") == ZEROS
    assert (len(api.requests), len(house.heard)) == (asked, heard)
    abandoned = await house.start_session()
    await house.core.sessions.end(abandoned.id, SessionStatus.ABANDONED, user_id=LOCAL_USER)
    with pytest.raises(Conflict, match="No active session"):
        await wrapup(house).run(house.desk, "")


async def test_of_two_ends_at_once_one_wraps_up(modelled: House, api: LoopbackApi) -> None:
    """CO-39, EC-62: the other waits for it and gets zeros."""
    await a_session(modelled)
    api.reply(json=extraction([gap()], []))
    api.reply(json=assessment())
    api.reply(json=NOTES)
    ending = wrapup(modelled)
    first, second = await asyncio.gather(
        ending.run(modelled.desk, ""), ending.run(modelled.desk, "")
    )
    assert (first.knowledge_gaps, second) == (1, ZEROS)
    assert len(api.requests) == 3
    assert len(modelled.of_type("session:completed")) == 1


async def test_a_server_that_stops_in_the_middle_completes_the_session(
    modelled: House, api: LoopbackApi
) -> None:
    """CO-39: what was asked for stays undone, but the session is over and told so."""
    started = await a_session(modelled)
    api.reply(json=extraction([], []), hold=asyncio.Event())
    ending, background = wrapup(modelled), Background()

    async def work() -> None:
        await ending.run(modelled.desk, "")

    background.run(Incoming("session:end", None, Window()), work())
    await api.received(1)
    await background.stop()
    await ending.stop()
    assert await status_of(modelled, started.id) == SessionStatus.COMPLETED
    assert modelled.of_type("session:completed")[0]["sessionId"] == started.id


async def test_a_session_abandoned_meanwhile_stays_so(modelled: House, api: LoopbackApi) -> None:
    """CO-39: the start that took its place has told it already."""
    started = await a_session(modelled)
    hold = asyncio.Event()
    api.reply(json=extraction([], []), hold=hold)
    running = asyncio.create_task(wrapup(modelled).run(modelled.desk, ""))
    await api.received(1)
    await modelled.core.sessions.end(started.id, SessionStatus.ABANDONED, user_id=LOCAL_USER)
    hold.set()
    await running
    assert await status_of(modelled, started.id) == SessionStatus.ABANDONED
    assert modelled.of_type("session:completed") == []


async def struggle(house: House) -> Session:
    """A session in which money was hard: hints raised twice, three explanations."""
    row = await house.start_session()
    await house.add_plan(NewPhase(1, "Round late", "…", HintLevel.FILE, [ORDERS], [MONEY]))
    await move(house, 1, PhaseStatus.ACTIVE)
    hints = Hints(house.core, house.voice)
    for level in (HintLevel.REGION, HintLevel.LINE):
        await hints.set_level(house.desk, LevelChange(level=level))
    for _ in range(3):
        data = {"path": ORDERS}
        await house.core.actions.log_action(row.id, ActionType.EXPLAIN_REQUESTED, data)
    await move(house, 1, PhaseStatus.COMPLETE)
    return row


async def test_offline_a_hard_session_leaves_a_gap_and_a_kata(house: House) -> None:
    """CO-32, CO-38: from the log alone, with numbers, and a kata that can be run."""
    await struggle(house)
    result = await wrapup(house).run(house.desk, "")
    assert (result.knowledge_gaps, result.kata_specs) == (1, 1)
    [found] = await gaps_of(house)
    assert (found.topic, found.severity) == (MONEY, Severity.MEDIUM)
    assert "raised the hints twice" in found.evidence
    assert f"explanations of 3 pieces of {ORDERS}" in found.evidence
    [(row, owner)] = await katas_of(house)
    assert owner.id == found.id
    assert row.slug is not None
    assert row.test_cases
    assert row.instructor_notes
    assert all("minLevel" in constraint for constraint in row.constraints)
    assert result.memories_stored >= 2
    [hard, *_] = await house.memory.memories.query_memories("what was hard: money, rounding")
    assert "raised the hints twice" in hard.content


async def test_offline_a_session_that_went_well_leaves_no_gap(house: House) -> None:
    """CO-32: but a first assessment, and something to remember."""
    await a_session(house)
    result = await wrapup(house).run(house.desk, "")
    assert (result.knowledge_gaps, result.kata_specs) == (0, 0)
    stages = {row.skill_area: row.stage for row in await house.skills.all(LOCAL_USER)}
    assert stages == {MONEY: Stage.NOVICE, "Python": Stage.NOVICE}
    assert result.dreyfus_updates == 2


async def test_a_gap_met_again_counts_and_one_mastered_is_addressed(house: House) -> None:
    """CO-33: three sessions: hard, hard again, then done without help."""
    await struggle(house)
    assert (await wrapup(house).run(house.desk, "")).knowledge_gaps == 1
    await struggle(house)
    assert (await wrapup(house).run(house.desk, "")).knowledge_gaps == 0
    [found] = await gaps_of(house)
    assert (found.frequency, found.addressed) == (2, False)

    await a_session(house)
    await wrapup(house).run(house.desk, "")
    [found] = await gaps_of(house)
    assert (found.frequency, found.addressed) == (2, True)


async def test_a_session_in_which_nothing_happened_leaves_nothing(house: House) -> None:
    """EC-60: nothing is invented."""
    await house.start_session()
    assert await wrapup(house).run(house.desk, "") == ZEROS
    assert house.of_type("session:ended")[0]["summary"]["text"].startswith("A short one")


async def test_the_edits_of_the_last_moment_count_too(house: House) -> None:
    """CO-32: what was not summed up yet is, before anything is counted."""
    row = await house.start_session()
    await house.core.buffer_log.buffer_updated(row.id, ORDERS, 101, saved_char_count=100)
    await wrapup(house).run(house.desk, "")
    assert ActionType.BUFFER_SUMMARY in await house.action_types(row.id)


async def test_both_databases_keep_all_of_it(tmp_path: Path, database_url: str) -> None:
    """FR-119, FR-124: a plan, a hard session and what it left, on SQLite and PostgreSQL."""
    async with open_house(tmp_path, database_url=database_url) as house:
        hints = Hints(house.core, house.voice)
        memories = house.memory.memories
        started = await house.start_session()
        pipeline = Pipeline(house.core, memories, house.skills, house.voice, hints)
        await pipeline.run(house.desk, "1. Round money late in orders.py\n2. Say so in README.md")
        await hints.set_level(house.desk, LevelChange(level=HintLevel.NONE))
        await hints.set_level(house.desk, LevelChange(level=HintLevel.LINE))
        await move(house, 1, PhaseStatus.COMPLETE)
        result = await wrapup(house).run(house.desk, "")
        assert (result.knowledge_gaps, result.kata_specs, result.dreyfus_updates) == (1, 1, 2)
        assert await status_of(house, started.id) == SessionStatus.COMPLETED
