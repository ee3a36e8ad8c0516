"""What a session shows, counted from real rows."""

from datetime import timedelta
from typing import Any

import pytest

from bottega.coach.editor.schemas import LevelChange
from bottega.coach.enums import HintLevel, PhaseStatus, ProgressType
from bottega.coach.observer.context import EditLoop
from bottega.coach.plans import repository as plans
from bottega.coach.plans.hints import PhaseHints
from bottega.coach.plans.phases import Phases
from bottega.coach.plans.repository import NewPhase
from bottega.coach.plans.tables import Phase
from bottega.coach.wrapup.assessment import Trend, earlier_sessions, skills_shown
from bottega.coach.wrapup.evidence import SessionEvidence, gather
from bottega.coach.wrapup.service import closing_words
from bottega.core import clock
from bottega.core.sessions.actions import ActionType
from bottega.core.sessions.session import SessionStatus
from bottega.core.users import LOCAL_USER
from tests.coach.builders import CoachApp

ORDERS = "src/bakery/orders.py"
MONEY = "Floats, money and rounding"


def new(number: int, level: HintLevel = HintLevel.FILE, learn: str = MONEY) -> NewPhase:
    return NewPhase(number, f"Phase {number}", "…", level, [ORDERS], [learn])


async def count(app: CoachApp, session_id: str) -> SessionEvidence:
    async with app.core.database.read() as session:
        row = await app.core.sessions.get(session_id, user_id=LOCAL_USER)
        return await gather(session, row)


async def log(app: CoachApp, session_id: str, action: ActionType, **data: Any) -> None:
    await app.core.actions.log_action(session_id, action, data)


async def progress(app: CoachApp, phase_id: str, *events: ProgressType) -> None:
    async with app.core.database.write() as session:
        for event in events:
            await plans.add_progress(session, phase_id, event, {"path": ORDERS})


@pytest.mark.requirement("CO-32")
async def test_each_count_belongs_to_the_phase_in_which_it_happened(app: CoachApp) -> None:
    """And what happened in none to none."""
    session_id = (await app.start_session()).id
    plan = await app.add_plan(new(1), new(2), new(3))
    phases = Phases(app.core, app.windows, PhaseHints(app.core, app.windows))
    await log(app, session_id, ActionType.EXPLAIN_REQUESTED, path="README.md")
    await phases.update(app.editor, 1, PhaseStatus.ACTIVE)
    await log(app, session_id, ActionType.EXPLAIN_REQUESTED, path=ORDERS)
    await log(app, session_id, ActionType.EXPLAIN_REQUESTED, path=ORDERS)
    await log(app, session_id, ActionType.IDLE_START)
    await progress(app, plan.phases[0].id, ProgressType.REVIEW_REQUESTED)
    await phases.update(app.editor, 1, PhaseStatus.COMPLETE)
    await phases.update(app.editor, 2, PhaseStatus.ACTIVE)
    await log(app, session_id, ActionType.NUDGE_SENT, signal="wrong_file", confidence=0.8)
    await log(app, session_id, ActionType.NUDGE_SENT, signal="phase_complete", confidence=0.8)

    evidence = await count(app, session_id)
    outside, first, second = evidence.phases
    assert outside.explained == {"README.md": 1}
    assert first.explained == {ORDERS: 2}
    assert (first.complete, first.idle_stretches, first.failed_reviews) == (True, 1, 1)
    assert not first.independent
    assert (second.complete, second.stuck_nudges, second.help_taken) == (False, 1, 0)
    assert (evidence.phases_total, len(evidence.completed)) == (3, 1)


@pytest.mark.requirement("CO-32")
async def test_edits_that_go_in_circles_are_told_from_work(app: CoachApp) -> None:
    """Many edits in several rounds for next to nothing."""
    session_id = (await app.start_session()).id
    for delta in (40, -38, 2, -1):
        edits = {"editCount": 12, "charDelta": delta, "charCount": 100}
        await log(app, session_id, ActionType.BUFFER_SUMMARY, path=ORDERS, **edits)
        grown = {"editCount": 12, "charDelta": 90, "charCount": 100}
        await log(app, session_id, ActionType.BUFFER_SUMMARY, path="README.md", **grown)
    [outside] = (await count(app, session_id)).phases
    assert outside.edit_loops == [EditLoop(ORDERS, rounds=4, edits=48, gain=3)]


@pytest.mark.requirement("CO-32")
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
    app: CoachApp, planned: HintLevel, chosen: HintLevel | None, close: bool
) -> None:
    """By the level in force when it was used."""
    session_id = (await app.start_session()).id
    await app.add_plan(new(1, planned))
    hints = PhaseHints(app.core, app.windows)
    phases = Phases(app.core, app.windows, hints)
    await phases.update(app.editor, 1, PhaseStatus.ACTIVE)
    if chosen is not None:
        await hints.set_level(app.editor, LevelChange(level=chosen))
    async with app.core.database.read() as session:
        active = await plans.active_phase(session, session_id)
    assert active is not None
    await progress(app, active.id, ProgressType.HINT_USED)
    await phases.update(app.editor, 1, PhaseStatus.COMPLETE)
    [phase] = (await count(app, session_id)).worked
    raised = chosen is HintLevel.REGION
    assert (phase.hints_used, phase.close_hints_used, phase.escalations) == (1, close, raised)
    assert phase.independent is not close


@pytest.mark.requirement("CO-32")
async def test_phases_done_in_the_session_before_are_not_counted_again(app: CoachApp) -> None:
    """A plan that was taken over brings them along."""
    session_id = (await app.start_session()).id
    plan = await app.add_plan(new(1), new(2))
    async with app.core.database.write() as session:
        old = await plans.set_status(session, plan.phases[0], PhaseStatus.ACTIVE)
        old = await plans.set_status(session, old, PhaseStatus.COMPLETE)
        old.completed_at = clock.now() - timedelta(days=1)
    evidence = await count(app, session_id)
    assert evidence.worked == []
    assert not evidence.active


@pytest.mark.requirement("CO-32")
async def test_a_phase_that_began_by_itself_is_no_work_yet(app: CoachApp) -> None:
    """A plan alone says nothing about who has it."""
    session_id = (await app.start_session()).id
    await app.add_plan(new(1), new(2))
    phases = Phases(app.core, app.windows, PhaseHints(app.core, app.windows))
    await phases.update(app.editor, 1, PhaseStatus.ACTIVE)
    await log(app, session_id, ActionType.IDLE_START)
    evidence = await count(app, session_id)
    assert (evidence.worked, evidence.active) == ([], False)
    await log(app, session_id, ActionType.FILE_SAVE, path=ORDERS, charCount=9)
    evidence = await count(app, session_id)
    assert ([phase.number for phase in evidence.worked], evidence.active) == ([1], True)


async def worked_session(app: CoachApp, *learnt: tuple[str, int], complete: bool = True) -> str:
    """A session with a phase for each topic, done with so many explanations."""
    row = await app.start_session()
    plan = await app.add_plan(*(new(n, learn=topic) for n, (topic, _) in enumerate(learnt, 1)))
    for phase, (_, explanations) in zip(plan.phases, learnt, strict=True):
        await _work(app, row.id, phase, explanations, complete)
    return row.id


async def _work(
    app: CoachApp, session_id: str, phase: Phase, explanations: int, complete: bool
) -> None:
    phases = Phases(app.core, app.windows, PhaseHints(app.core, app.windows))
    await phases.update(app.editor, phase.number, PhaseStatus.ACTIVE)
    for _ in range(explanations):
        await log(app, session_id, ActionType.EXPLAIN_REQUESTED, path=ORDERS)
    if complete:
        await phases.update(app.editor, phase.number, PhaseStatus.COMPLETE)


@pytest.mark.requirement("FR-120")
async def test_skills_are_counted_across_sessions(app: CoachApp) -> None:
    """By language and by topic, with the trend of the help that was needed."""
    first = await worked_session(app, (MONEY, 3), (MONEY, 2))
    await app.core.sessions.end(first, SessionStatus.COMPLETED, user_id=LOCAL_USER)
    left = await worked_session(app, ("Testing", 0), complete=False)
    await app.core.sessions.end(left, SessionStatus.ABANDONED, user_id=LOCAL_USER)
    now = await worked_session(app, (MONEY, 0), (MONEY, 0))

    async with app.core.database.read() as session:
        row = await app.core.sessions.get(now, user_id=LOCAL_USER)
        earlier = await earlier_sessions(session, row)
    skills = {s.skill_area: s for s in skills_shown([await count(app, now), *earlier])}
    assert set(skills) == {MONEY, "Python"}
    money = skills[MONEY]
    assert (money.sessions, money.phases, money.completed) == (2, 4, 4)
    assert (money.independent, money.help_taken, money.hint_trend) == (2, 5, Trend.FALLING)
    assert money.recent
    assert (money.completion_rate, money.independence) == (1.0, 0.5)


@pytest.mark.requirement("FR-125")
async def test_the_last_words_are_facts(app: CoachApp) -> None:
    """What a person reads at the end of a session."""
    session_id = await worked_session(app, (MONEY, 0), (MONEY, 1))
    words = closing_words(await count(app, session_id), gaps=1, katas=2)
    assert words == (
        "You finished 2 of 2 phases in 0 minutes, 1 of them on your own. "
        "Paige noted 1 thing worth another look, and 2 katas to practise with."
    )
    assert closing_words(None, 0, 0) == "A short one today. See you next time."
