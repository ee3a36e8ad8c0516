import asyncio
from pathlib import Path
from typing import Any

import pytest

from bottega.coach.enums import HintLevel, HintType, PhaseStatus
from bottega.coach.plans import repository as plans
from bottega.coach.plans.hints import PhaseHints
from bottega.coach.plans.phases import Phases
from bottega.coach.plans.repository import NewHint, NewPhase
from bottega.coach.plans.tables import Phase
from bottega.errors import Conflict, NotFound
from tests.coach.builders import CoachApp, open_coach

ACTIVE, COMPLETE, PENDING = PhaseStatus.ACTIVE, PhaseStatus.COMPLETE, PhaseStatus.PENDING
CLEARS = ["explorer:clear_hints", "editor:clear_decorations", "editor:clear_highlights"]


@pytest.fixture
async def phases(app: CoachApp) -> Phases:
    return await three_phases(app)


async def three_phases(app: CoachApp) -> Phases:
    """In a session with a plan of three phases, none of them active."""
    await app.start_session()
    await app.add_plan(
        *(
            NewPhase(
                number,
                f"Step {number}",
                f"Do {number}.",
                HintLevel.FILE,
                hints=[NewHint(HintType.FILE, f"step{number}.py", "suggested")],
            )
            for number in (1, 2, 3)
        )
    )
    return Phases(app.core, app.windows, PhaseHints(app.core, app.windows))


async def stored(app: CoachApp) -> list[Phase]:
    async with app.core.database.read() as session:
        plan = await plans.latest(session, app.editor.require_session())
    assert plan is not None
    return list(plan.phases)


async def logged(app: CoachApp) -> list[tuple[str, dict[str, Any] | None]]:
    rows = await app.actions(app.editor.require_session())
    return [(row.action_type, row.data) for row in rows if row.action_type.startswith("phase_")]


def told(app: CoachApp) -> list[tuple[int, str]]:
    updates = app.of_type("coaching:phase_update")
    return [(update["phase"]["number"], update["status"]) for update in updates]


@pytest.mark.requirement("FR-076", "SC-035")
async def test_activating_a_phase_is_stored_logged_told_and_shown(
    app: CoachApp, phases: Phases
) -> None:
    """The row with its moment, phase_started, coaching:phase_update, hints."""
    result = await phases.update(app.editor, 1, ACTIVE)
    first = (await stored(app))[0]
    assert (first.status, first.completed_at) == (ACTIVE, None)
    assert first.started_at is not None
    named = {"phaseId": first.id, "phaseNumber": 1, "title": "Step 1"}
    assert await logged(app) == [("phase_started", named)]
    (update,) = app.of_type("coaching:phase_update")
    assert update["phase"] == result.model_dump(mode="json", by_alias=True)
    assert (update["phase"]["id"], update["status"]) == (first.id, "active")
    assert update["description"] == "Do 1."
    assert app.of_type("explorer:hint_files")[0]["hints"][0]["path"] == "step1.py"


@pytest.mark.requirement("FR-076", "SC-035")
async def test_completing_a_phase_notes_the_moment_and_clears_its_hints(
    app: CoachApp, phases: Phases
) -> None:
    """Completed_at and phase_completed; no hint stays for work that is done."""
    await phases.update(app.editor, 1, ACTIVE)
    app.broadcasts.clear()
    await phases.update(app.editor, 1, COMPLETE)
    first = (await stored(app))[0]
    assert first.started_at is not None
    assert first.completed_at is not None
    assert first.completed_at >= first.started_at
    assert [kind for kind, _ in await logged(app)] == ["phase_started", "phase_completed"]
    assert [heard.type for heard in app.broadcasts] == ["coaching:phase_update", *CLEARS]


@pytest.mark.requirement("EC-32")
async def test_a_phase_that_is_there_already_moves_nothing(app: CoachApp, phases: Phases) -> None:
    """Success with the current state; nothing is logged or told a second time."""
    await phases.update(app.editor, 1, ACTIVE)
    started, count = (await stored(app))[0].started_at, len(app.broadcasts)
    again = await phases.update(app.editor, 1, ACTIVE)
    assert (again.number, again.status) == (1, ACTIVE)
    assert (await stored(app))[0].started_at == started
    assert len(app.broadcasts) == count
    assert len(await logged(app)) == 1


@pytest.mark.requirement("EC-31")
async def test_a_number_that_the_plan_lacks_is_refused(app: CoachApp, phases: Phases) -> None:
    """The error names the number and those there are."""
    with pytest.raises(NotFound, match="no phase 9; its phases are: 1, 2, 3"):
        await phases.update(app.editor, 9, ACTIVE)
    assert app.broadcasts == []


@pytest.mark.requirement("CO-23")
async def test_another_active_phase_makes_way(app: CoachApp, phases: Phases) -> None:
    """One phase is active at a time, and the one that steps back is told too."""
    await phases.update(app.editor, 1, ACTIVE)
    await phases.update(app.editor, 2, ACTIVE)
    assert [row.status for row in await stored(app)] == [PENDING, ACTIVE, PENDING]
    assert told(app) == [(1, "active"), (1, "pending"), (2, "active")]
    assert app.of_type("explorer:hint_files")[-1]["hints"][0]["path"] == "step2.py"


@pytest.mark.requirement("CO-23")
async def test_moves_at_once_leave_one_active(tmp_path: Path, database_url: str) -> None:
    """Whatever the order in which they arrive."""
    async with open_coach(tmp_path, database_url=database_url) as app:
        phases = await three_phases(app)
        await asyncio.gather(*(phases.update(app.editor, number, ACTIVE) for number in (1, 2, 3)))
        statuses = [row.status for row in await stored(app)]
        assert sorted(statuses) == [ACTIVE, PENDING, PENDING]


@pytest.mark.requirement("CO-23")
async def test_completing_another_phase_leaves_the_active_ones_hints(
    app: CoachApp, phases: Phases
) -> None:
    """Hints follow the active phase only."""
    await phases.update(app.editor, 1, ACTIVE)
    app.broadcasts.clear()
    await phases.update(app.editor, 3, COMPLETE)
    assert [heard.type for heard in app.broadcasts] == ["coaching:phase_update"]


@pytest.mark.requirement("CO-23")
async def test_without_a_plan_or_a_session_the_next_step_is_named(app: CoachApp) -> None:
    """No session, then no plan: each says what to do."""
    phases = Phases(app.core, app.windows, PhaseHints(app.core, app.windows))
    with pytest.raises(Conflict, match="No active session"):
        await phases.update(app.editor, 1, ACTIVE)
    await app.start_session()
    with pytest.raises(Conflict, match="no plan yet"):
        await phases.update(app.editor, 1, ACTIVE)
