"""What the coach keeps, on both databases."""

import asyncio

import pytest
from sqlalchemy import Connection, delete, inspect
from sqlalchemy.exc import IntegrityError

from bottega.coach.enums import (
    FileStyle,
    HintLevel,
    HintType,
    LineStyle,
    PhaseStatus,
    Severity,
    Stage,
)
from bottega.coach.enums import ProgressType as Progress
from bottega.coach.plans import repository as plans
from bottega.coach.plans.repository import NewHint, NewPhase
from bottega.coach.plans.tables import PhaseHint, Plan, ProgressEvent
from bottega.coach.practice import repository as kata_records
from bottega.coach.skills import repository as skill_records
from bottega.core.db.database import Database
from bottega.core.events import EventBus
from bottega.core.sessions.session import SessionKind, Sessions
from bottega.core.users import LOCAL_USER

FIRST = NewPhase(
    number=1,
    title="Find where cents get lost",
    description="Read how a total is made before you change it.",
    hint_level=HintLevel.LINE,
    expected_files=["src/orders.py"],
    opportunities=["floating point"],
    hints=[
        NewHint(HintType.FILE, "src/orders.py", FileStyle.IMPORTANT),
        NewHint(HintType.LINE, "src/orders.py", LineStyle.FOCUS, 4, 9, "What type is this sum?"),
    ],
)
SECOND = NewPhase(2, "Keep money in cents", "Change the type.", HintLevel.FILE)


async def new_session(database: Database) -> str:
    sessions = Sessions(database, EventBus(database))
    row = await sessions.create(SessionKind.COACHING, "/project", issue_number=7)
    return row.id


def columns_of(connection: Connection, table: str) -> set[str]:
    return {column["name"] for column in inspect(connection).get_columns(table)}


@pytest.mark.requirement(
    "SC-006", "FR-015", "FR-016", "FR-017", "FR-018", "FR-019", "FR-020", "FR-021"
)
async def test_a_fresh_database_has_the_coachs_tables(database: Database) -> None:
    """With all their columns."""
    wanted = {
        "plans": "id session_id raw_plan_text created_at",
        "phases": "id plan_id number title description status hint_level expected_files "
        "started_at completed_at",
        "phase_hints": "id phase_id type path start_line end_line style hover_text",
        "dreyfus_assessments": "id skill_area stage confidence evidence assessed_at",
        "knowledge_gaps": "id session_id topic severity evidence related_concepts frequency "
        "last_encountered_at addressed",
        "kata_specs": "id knowledge_gap_id title description scaffolding_code instructor_notes "
        "test_cases constraints user_attempts",
        "progress_events": "id phase_id event_type data created_at",
        "sessions": "id project_dir issue_number issue_title status started_at ended_at",
        "action_log": "id session_id action_type data created_at",
        "api_call_log": "id session_id call_type model latency_ms cost_estimate created_at",
    }
    async with database.read() as session:
        connection = await session.connection()
        for table, columns in wanted.items():
            there = await connection.run_sync(columns_of, table)
            assert set(columns.split()) <= there, table


@pytest.mark.requirement("SC-007", "SC-059", "FR-022")
async def test_a_whole_session_can_be_written_and_read_back(database: Database) -> None:
    """Plan, phases, hints, progress, gap, kata, each under its parent."""
    session_id = await new_session(database)
    async with database.write() as session:
        made = await plans.create(session, session_id, "1. Look\n2. Change", [SECOND, FIRST])
        await plans.set_status(session, made.phases[0], PhaseStatus.ACTIVE)
        await plans.add_progress(session, made.phases[0].id, Progress.HINT_USED, {"path": "a"})
        await plans.add_progress(session, made.phases[0].id, Progress.HINT_ESCALATED)
        gap, new = await skill_records.record_gap(
            session, LOCAL_USER, session_id, "Money", Severity.HIGH, "three tries", ["floats"]
        )
        kata = await kata_records.add_kata(
            session, gap.id, title="Till", description="…", scaffolding_code="def till(): ..."
        )
    assert new

    async with database.read() as session:
        plan = await plans.latest(session, session_id)
        assert plan is not None
        first, second = plan.phases
        assert (first.title, second.title) == (FIRST.title, SECOND.title)
        assert first.status == PhaseStatus.ACTIVE
        assert first.started_at is not None
        assert plan.active is not None
        assert plan.active.id == first.id
        file, line = sorted(await plans.hints_of(session, first.id), key=lambda hint: hint.type)
        assert (file.type, line.type) == (HintType.FILE, HintType.LINE)
        assert (line.start_line, line.end_line, line.hover_text) == (4, 9, "What type is this sum?")
        assert [row.event_type for row in await plans.progress_of(session, first.id)] == [
            Progress.HINT_USED,
            Progress.HINT_ESCALATED,
        ]
        found = await kata_records.kata(session, kata.id, LOCAL_USER)
        assert found is not None
        assert (found[0].user_attempts, found[1].topic) == ([], "Money")
        assert await kata_records.kata(session, kata.id, "somebody else") is None


@pytest.mark.requirement("FR-016", "FR-017")
async def test_a_removed_plan_takes_its_phases_along(database: Database) -> None:
    """Nothing is left without its parent."""
    session_id = await new_session(database)
    async with database.write() as session:
        made = await plans.create(session, session_id, "plan", [FIRST])
        await plans.add_progress(session, made.phases[0].id, Progress.HINT_USED)
        await session.execute(delete(Plan).where(Plan.id == made.plan.id))
    async with database.read() as session:
        assert await plans.phases_of(session, made.plan.id) == []
        for table in (PhaseHint, ProgressEvent):
            assert await session.get(table, made.phases[0].id) is None
        assert await plans.hints_of(session, made.phases[0].id) == []


@pytest.mark.requirement("EC-08")
async def test_a_phase_of_no_plan_is_refused(database: Database) -> None:
    """A parent must be there."""
    with pytest.raises(IntegrityError):
        async with database.write() as session:
            await plans.create(session, "no such session", "plan", [FIRST])


@pytest.mark.requirement("FR-121", "EC-09")
async def test_a_skill_is_assessed_once_and_then_again(database: Database) -> None:
    """The second assessment of a skill replaces the first, for its user only."""
    async with database.write() as session:
        for stage in (Stage.NOVICE, Stage.COMPETENT):
            await skill_records.assess(session, LOCAL_USER, "React state", stage, 0.7, "seen")
    async with database.read() as session:
        [only] = await skill_records.assessments(session, LOCAL_USER)
    assert only.stage == Stage.COMPETENT


@pytest.mark.requirement("CO-06")
async def test_a_gap_that_is_met_again_gains_frequency_and_is_open_again(
    database: Database,
) -> None:
    """The same topic, however it is written, is the same gap."""
    first, second = await new_session(database), await new_session(database)
    async with database.write() as session:
        gap, _ = await skill_records.record_gap(
            session, LOCAL_USER, first, "Async errors", Severity.LOW, "one", ["await"]
        )
        await skill_records.address_gap(session, gap.id)
    async with database.write() as session:
        again, new = await skill_records.record_gap(
            session, LOCAL_USER, second, "async errors", Severity.HIGH, "two", ["gather"]
        )
    assert not new
    assert (again.id, again.frequency, again.addressed) == (gap.id, 2, False)
    assert again.related_concepts == ["await", "gather"]


@pytest.mark.requirement("FR-175")
async def test_gaps_come_severe_first_then_frequent(database: Database) -> None:
    session_id = await new_session(database)
    async with database.write() as session:
        for topic, severity, times in (
            ("low", Severity.LOW, 5),
            ("rare", Severity.HIGH, 1),
            ("often", Severity.HIGH, 3),
            ("medium", Severity.MEDIUM, 1),
        ):
            for _ in range(times):
                await skill_records.record_gap(
                    session, LOCAL_USER, session_id, topic, severity, "seen"
                )
    async with database.read() as session:
        found = await skill_records.gaps(session, LOCAL_USER, addressed=False, limit=3)
    assert [gap.topic for gap in found] == ["often", "rare", "medium"]


@pytest.mark.requirement("SC-077", "EC-79")
async def test_attempts_are_appended_and_none_is_lost(database: Database) -> None:
    """Three at once are three entries."""
    session_id = await new_session(database)
    async with database.write() as session:
        gap, _ = await skill_records.record_gap(
            session, LOCAL_USER, session_id, "Money", Severity.LOW, "seen"
        )
        kata = await kata_records.add_kata(
            session, gap.id, title="Till", description="…", scaffolding_code=""
        )

    async def attempt(level: int) -> None:
        async with database.write() as session:
            await kata_records.append_attempt(session, kata.id, {"code": "x", "level": level})

    await asyncio.gather(*(attempt(level) for level in (3, 1, 2)))
    async with database.read() as session:
        found = await kata_records.kata(session, kata.id, LOCAL_USER)
    assert found is not None
    assert sorted(a["level"] for a in found[0].user_attempts) == [1, 2, 3]
    assert kata_records.best_level(found[0]) == 3
