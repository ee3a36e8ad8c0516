import asyncio
from pathlib import Path
from typing import Any

import pytest

from bottega.coach.enums import HintLevel, HintType, PhaseStatus
from bottega.coach.repository import plans
from bottega.coach.repository.plans import NewHint, NewPhase
from bottega.coach.sessions.hints import Hints
from bottega.coach.sessions.phases import Phases
from bottega.coach.tables import Phase
from bottega.errors import Conflict, NotFound
from tests.coach.house import House, open_house

ACTIVE, COMPLETE, PENDING = PhaseStatus.ACTIVE, PhaseStatus.COMPLETE, PhaseStatus.PENDING
CLEARS = ["explorer:clear_hints", "editor:clear_decorations", "editor:clear_highlights"]


@pytest.fixture
async def phases(house: House) -> Phases:
    return await three_phases(house)


async def three_phases(house: House) -> Phases:
    """In a session with a plan of three phases, none of them active."""
    await house.start_session()
    await house.add_plan(
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
    return Phases(house.core, house.voice, Hints(house.core, house.voice))


async def stored(house: House) -> list[Phase]:
    async with house.core.database.read() as session:
        plan = await plans.latest(session, house.desk.require_session())
    assert plan is not None
    return list(plan.phases)


async def logged(house: House) -> list[tuple[str, dict[str, Any] | None]]:
    rows = await house.actions(house.desk.require_session())
    return [(row.action_type, row.data) for row in rows if row.action_type.startswith("phase_")]


def told(house: House) -> list[tuple[int, str]]:
    updates = house.of_type("coaching:phase_update")
    return [(update["phase"]["number"], update["status"]) for update in updates]


async def test_activating_a_phase_is_stored_logged_told_and_shown(
    house: House, phases: Phases
) -> None:
    """FR-076, SC-035: the row with its moment, phase_started, coaching:phase_update, hints."""
    result = await phases.update(house.desk, 1, ACTIVE)
    first = (await stored(house))[0]
    assert (first.status, first.completed_at) == (ACTIVE, None)
    assert first.started_at is not None
    named = {"phaseId": first.id, "phaseNumber": 1, "title": "Step 1"}
    assert await logged(house) == [("phase_started", named)]
    (update,) = house.of_type("coaching:phase_update")
    assert update["phase"] == result.model_dump(mode="json", by_alias=True)
    assert (update["phase"]["id"], update["status"]) == (first.id, "active")
    assert update["description"] == "Do 1."
    assert house.of_type("explorer:hint_files")[0]["hints"][0]["path"] == "step1.py"


async def test_completing_a_phase_notes_the_moment_and_clears_its_hints(
    house: House, phases: Phases
) -> None:
    """FR-076, SC-035: completed_at and phase_completed; no hint stays for work that is done."""
    await phases.update(house.desk, 1, ACTIVE)
    house.heard.clear()
    await phases.update(house.desk, 1, COMPLETE)
    first = (await stored(house))[0]
    assert first.started_at is not None
    assert first.completed_at is not None
    assert first.completed_at >= first.started_at
    assert [kind for kind, _ in await logged(house)] == ["phase_started", "phase_completed"]
    assert [heard.type for heard in house.heard] == ["coaching:phase_update", *CLEARS]


async def test_a_phase_that_is_there_already_moves_nothing(house: House, phases: Phases) -> None:
    """EC-32: success with the current state; nothing is logged or told a second time."""
    await phases.update(house.desk, 1, ACTIVE)
    started, count = (await stored(house))[0].started_at, len(house.heard)
    again = await phases.update(house.desk, 1, ACTIVE)
    assert (again.number, again.status) == (1, ACTIVE)
    assert (await stored(house))[0].started_at == started
    assert len(house.heard) == count
    assert len(await logged(house)) == 1


async def test_a_number_that_the_plan_lacks_is_refused(house: House, phases: Phases) -> None:
    """EC-31: the error names the number and those there are."""
    with pytest.raises(NotFound, match="no phase 9; its phases are: 1, 2, 3"):
        await phases.update(house.desk, 9, ACTIVE)
    assert house.heard == []


async def test_another_active_phase_makes_way(house: House, phases: Phases) -> None:
    """CO-23: one phase is active at a time, and the one that steps back is told too."""
    await phases.update(house.desk, 1, ACTIVE)
    await phases.update(house.desk, 2, ACTIVE)
    assert [row.status for row in await stored(house)] == [PENDING, ACTIVE, PENDING]
    assert told(house) == [(1, "active"), (1, "pending"), (2, "active")]
    assert house.of_type("explorer:hint_files")[-1]["hints"][0]["path"] == "step2.py"


async def test_moves_at_once_leave_one_active(tmp_path: Path, database_url: str) -> None:
    """CO-23: whatever the order in which they arrive."""
    async with open_house(tmp_path, database_url=database_url) as house:
        phases = await three_phases(house)
        await asyncio.gather(*(phases.update(house.desk, number, ACTIVE) for number in (1, 2, 3)))
        statuses = [row.status for row in await stored(house)]
        assert sorted(statuses) == [ACTIVE, PENDING, PENDING]


async def test_completing_another_phase_leaves_the_active_ones_hints(
    house: House, phases: Phases
) -> None:
    """CO-23: hints follow the active phase only."""
    await phases.update(house.desk, 1, ACTIVE)
    house.heard.clear()
    await phases.update(house.desk, 3, COMPLETE)
    assert [heard.type for heard in house.heard] == ["coaching:phase_update"]


async def test_without_a_plan_or_a_session_the_next_step_is_named(house: House) -> None:
    """CO-23: no session, then no plan: each says what to do."""
    phases = Phases(house.core, house.voice, Hints(house.core, house.voice))
    with pytest.raises(Conflict, match="No active session"):
        await phases.update(house.desk, 1, ACTIVE)
    await house.start_session()
    with pytest.raises(Conflict, match="no plan yet"):
        await phases.update(house.desk, 1, ACTIVE)
