"""What a session shows, counted from real rows."""

from datetime import timedelta
from typing import Any

import pytest

from bottega.coach.enums import HintLevel, PhaseStatus, ProgressType
from bottega.coach.protocol.files import LevelChange
from bottega.coach.reflection.closing import closing_words
from bottega.coach.reflection.evidence import EditLoop, SessionEvidence, gather
from bottega.coach.reflection.track_record import Trend, earlier_sessions, skills_shown
from bottega.coach.repository import plans
from bottega.coach.repository.plans import NewPhase
from bottega.coach.sessions.hints import Hints
from bottega.coach.sessions.phases import Phases
from bottega.coach.tables import Phase
from bottega.core import clock
from bottega.core.actions import ActionType
from bottega.core.sessions import SessionStatus
from bottega.core.users import LOCAL_USER
from tests.coach.house import House

ORDERS = "src/bakery/orders.py"
MONEY = "Floats, money and rounding"


def new(number: int, level: HintLevel = HintLevel.FILE, learn: str = MONEY) -> NewPhase:
    return NewPhase(number, f"Phase {number}", "…", level, [ORDERS], [learn])


async def count(house: House, session_id: str) -> SessionEvidence:
    async with house.core.database.read() as session:
        row = await house.core.sessions.get(session_id, user_id=LOCAL_USER)
        return await gather(session, row)


async def log(house: House, session_id: str, action: ActionType, **data: Any) -> None:
    await house.core.actions.log_action(session_id, action, data)


async def progress(house: House, phase_id: str, *events: ProgressType) -> None:
    async with house.core.database.write() as session:
        for event in events:
            await plans.add_progress(session, phase_id, event, {"path": ORDERS})


async def test_each_count_belongs_to_the_phase_in_which_it_happened(house: House) -> None:
    """CO-32: and what happened in none to none."""
    session_id = (await house.start_session()).id
    plan = await house.add_plan(new(1), new(2), new(3))
    phases = Phases(house.core, house.voice, Hints(house.core, house.voice))
    await log(house, session_id, ActionType.EXPLAIN_REQUESTED, path="README.md")
    await phases.update(house.desk, 1, PhaseStatus.ACTIVE)
    await log(house, session_id, ActionType.EXPLAIN_REQUESTED, path=ORDERS)
    await log(house, session_id, ActionType.EXPLAIN_REQUESTED, path=ORDERS)
    await log(house, session_id, ActionType.IDLE_START)
    await progress(house, plan.phases[0].id, ProgressType.REVIEW_REQUESTED)
    await phases.update(house.desk, 1, PhaseStatus.COMPLETE)
    await phases.update(house.desk, 2, PhaseStatus.ACTIVE)
    await log(house, session_id, ActionType.NUDGE_SENT, signal="wrong_file", confidence=0.8)
    await log(house, session_id, ActionType.NUDGE_SENT, signal="phase_complete", confidence=0.8)

    evidence = await count(house, session_id)
    outside, first, second = evidence.phases
    assert outside.explained == {"README.md": 1}
    assert first.explained == {ORDERS: 2}
    assert (first.complete, first.idle_stretches, first.failed_reviews) == (True, 1, 1)
    assert not first.independent
    assert (second.complete, second.stuck_nudges, second.help_taken) == (False, 1, 0)
    assert (evidence.phases_total, len(evidence.completed)) == (3, 1)


async def test_edits_that_go_in_circles_are_told_from_work(house: House) -> None:
    """CO-32: many edits in several rounds for next to nothing."""
    session_id = (await house.start_session()).id
    for delta in (40, -38, 2, -1):
        edits = {"editCount": 12, "charDelta": delta, "charCount": 100}
        await log(house, session_id, ActionType.BUFFER_SUMMARY, path=ORDERS, **edits)
        grown = {"editCount": 12, "charDelta": 90, "charCount": 100}
        await log(house, session_id, ActionType.BUFFER_SUMMARY, path="README.md", **grown)
    [outside] = (await count(house, session_id)).phases
    assert outside.edit_loops == [EditLoop(ORDERS, rounds=4, edits=48, gain=3)]


@pytest.mark.parametrize(
    ("planned", "chosen", "close"),
    [
        (HintLevel.FILE, None, False),
        (HintLevel.LINE, None, True),
        (HintLevel.LINE, HintLevel.FILE, False),
        (HintLevel.FILE, HintLevel.REGION, True),
    ],
)
async def test_a_hint_is_help_when_it_points_closer_than_at_a_file(
    house: House, planned: HintLevel, chosen: HintLevel | None, close: bool
) -> None:
    """CO-32: by the level in force when it was used."""
    session_id = (await house.start_session()).id
    await house.add_plan(new(1, planned))
    hints = Hints(house.core, house.voice)
    phases = Phases(house.core, house.voice, hints)
    await phases.update(house.desk, 1, PhaseStatus.ACTIVE)
    if chosen is not None:
        await hints.set_level(house.desk, LevelChange(level=chosen))
    async with house.core.database.read() as session:
        active = await plans.active_phase(session, session_id)
    assert active is not None
    await progress(house, active.id, ProgressType.HINT_USED)
    await phases.update(house.desk, 1, PhaseStatus.COMPLETE)
    [phase] = (await count(house, session_id)).worked
    raised = chosen is HintLevel.REGION
    assert (phase.hints_used, phase.close_hints_used, phase.escalations) == (1, close, raised)
    assert phase.independent is not close


async def test_phases_done_in_the_session_before_are_not_counted_again(house: House) -> None:
    """CO-32: a plan that was taken over brings them along."""
    session_id = (await house.start_session()).id
    plan = await house.add_plan(new(1), new(2))
    async with house.core.database.write() as session:
        old = await plans.set_status(session, plan.phases[0], PhaseStatus.ACTIVE)
        old = await plans.set_status(session, old, PhaseStatus.COMPLETE)
        old.completed_at = clock.now() - timedelta(days=1)
    evidence = await count(house, session_id)
    assert evidence.worked == []
    assert not evidence.active


async def test_a_phase_that_began_by_itself_is_no_work_yet(house: House) -> None:
    """CO-32: a plan alone says nothing about who has it."""
    session_id = (await house.start_session()).id
    await house.add_plan(new(1), new(2))
    phases = Phases(house.core, house.voice, Hints(house.core, house.voice))
    await phases.update(house.desk, 1, PhaseStatus.ACTIVE)
    await log(house, session_id, ActionType.IDLE_START)
    evidence = await count(house, session_id)
    assert (evidence.worked, evidence.active) == ([], False)
    await log(house, session_id, ActionType.FILE_SAVE, path=ORDERS, charCount=9)
    evidence = await count(house, session_id)
    assert ([phase.number for phase in evidence.worked], evidence.active) == ([1], True)


async def worked_session(house: House, *learnt: tuple[str, int], complete: bool = True) -> str:
    """A session with a phase for each topic, done with so many explanations."""
    row = await house.start_session()
    plan = await house.add_plan(*(new(n, learn=topic) for n, (topic, _) in enumerate(learnt, 1)))
    for phase, (_, explanations) in zip(plan.phases, learnt, strict=True):
        await _work(house, row.id, phase, explanations, complete)
    return row.id


async def _work(
    house: House, session_id: str, phase: Phase, explanations: int, complete: bool
) -> None:
    phases = Phases(house.core, house.voice, Hints(house.core, house.voice))
    await phases.update(house.desk, phase.number, PhaseStatus.ACTIVE)
    for _ in range(explanations):
        await log(house, session_id, ActionType.EXPLAIN_REQUESTED, path=ORDERS)
    if complete:
        await phases.update(house.desk, phase.number, PhaseStatus.COMPLETE)


async def test_skills_are_counted_across_sessions(house: House) -> None:
    """FR-120: by language and by topic, with the trend of the help that was needed."""
    first = await worked_session(house, (MONEY, 3), (MONEY, 2))
    await house.core.sessions.end(first, SessionStatus.COMPLETED, user_id=LOCAL_USER)
    left = await worked_session(house, ("Testing", 0), complete=False)
    await house.core.sessions.end(left, SessionStatus.ABANDONED, user_id=LOCAL_USER)
    now = await worked_session(house, (MONEY, 0), (MONEY, 0))

    async with house.core.database.read() as session:
        row = await house.core.sessions.get(now, user_id=LOCAL_USER)
        earlier = await earlier_sessions(session, row)
    skills = {s.skill_area: s for s in skills_shown([await count(house, now), *earlier])}
    assert set(skills) == {MONEY, "Python"}
    money = skills[MONEY]
    assert (money.sessions, money.phases, money.completed) == (2, 4, 4)
    assert (money.independent, money.help_taken, money.hint_trend) == (2, 5, Trend.FALLING)
    assert money.recent
    assert (money.completion_rate, money.independence) == (1.0, 0.5)


async def test_the_last_words_are_facts(house: House) -> None:
    """FR-125: what a person reads at the end of a session."""
    session_id = await worked_session(house, (MONEY, 0), (MONEY, 1))
    words = closing_words(await count(house, session_id), gaps=1, katas=2)
    assert words == (
        "You finished 2 of 2 phases in 0 minutes, 1 of them on your own. "
        "Paige noted 1 thing worth another look, and 2 katas to practise with."
    )
    assert closing_words(None, 0, 0) == "A short one today. See you next time."
