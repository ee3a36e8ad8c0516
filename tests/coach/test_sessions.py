import asyncio
from pathlib import Path

import pytest
from pydantic import ValidationError

from bottega.coach.desk.desk import Desk, Desks
from bottega.coach.enums import HintLevel, HintType, PhaseStatus
from bottega.coach.issues import Issues
from bottega.coach.protocol.files import LevelChange
from bottega.coach.protocol.sessions import Started, StartSession
from bottega.coach.repository import plans
from bottega.coach.repository.plans import NewHint, NewPhase
from bottega.coach.sessions.hints import Hints
from bottega.coach.sessions.sessions import CoachingSessions
from bottega.core.actions import ActionType
from bottega.core.sessions import Session, SessionKind, SessionStatus
from bottega.errors import Conflict, InvalidInput, NotFound
from tests.coach.house import House, open_house

NO_GH = "gh-that-is-not-installed"
ISSUE = (
    "---\ntitle: Rolls cost too much\nlabels: [bug]\nurl: https://example.org/3\n---\nBy a cent."
)
PHASES = (
    NewPhase(1, "Find", "Look.", HintLevel.FILE, ["a.py"], ["sums"], status=PhaseStatus.COMPLETE),
    NewPhase(
        2,
        "Fix",
        "Change.",
        HintLevel.FILE,
        hints=[NewHint(HintType.LINE, "src/bakery/orders.py", "focus", 4, 5, "Why?")],
        status=PhaseStatus.ACTIVE,
    ),
)


@pytest.fixture
def coaching(house: House) -> CoachingSessions:
    return coaching_of(house)


def coaching_of(house: House) -> CoachingSessions:
    hints = Hints(house.core, house.voice)
    return CoachingSessions(house.core, house.voice, hints, Issues(house.project, NO_GH))


async def rows(house: House, status: SessionStatus | None = None) -> list[Session]:
    found = await house.core.sessions.list(
        user_id=None, kind=SessionKind.COACHING, status=status, project_dir=house.desks.project
    )
    return list(found)


async def opened(house: House, *paths: str) -> None:
    for path in paths:
        session_id = house.desk.require_session()
        await house.core.actions.log_action(session_id, ActionType.FILE_OPEN, {"path": path})


async def test_a_start_finds_the_issue_in_the_project(
    house: House, coaching: CoachingSessions
) -> None:
    """CO-10: title, text, labels and address of the local issue with that number."""
    (house.project / "issues").mkdir()
    (house.project / "issues" / "3-rolls.md").write_text(ISSUE)
    started = await coaching.start(house.desk, StartSession(issue_number=3))
    assert started.issue_context.model_dump() == {
        "number": 3,
        "title": "Rolls cost too much",
        "summary": "By a cent.",
        "labels": ["bug"],
        "url": "https://example.org/3",
    }
    row = await house.core.sessions.get(started.session_id, user_id=house.desk.user_id)
    assert (row.issue_number, row.issue_title) == (3, "Rolls cost too much")


@pytest.mark.parametrize(
    ("asked", "title", "summary"),
    [
        ({"issueNumber": 7}, "Issue #7", ""),
        ({"issueNumber": 7, "issueTitle": "My words"}, "My words", ""),
        ({"issueTitle": " Faster ovens ", "issueSummary": "Much."}, "Faster ovens", "Much."),
        ({"issueSummary": "Ovens are slow.\nMore."}, "Ovens are slow.", "Ovens are slow.\nMore."),
    ],
)
async def test_a_start_works_without_a_lookup(
    house: House, coaching: CoachingSessions, asked: dict[str, object], title: str, summary: str
) -> None:
    """CO-11: a number that nobody knows, one's own words, or both."""
    started = await coaching.start(house.desk, StartSession.model_validate(asked))
    assert (started.issue_context.title, started.issue_context.summary) == (title, summary)
    assert house.desk.session_id == started.session_id


async def test_a_start_is_logged_and_sets_the_scene(
    house: House, coaching: CoachingSessions
) -> None:
    """CO-11: session_started, then session:started, coaching:issue_context and fs:tree."""
    house.desk.open_files["README.md"] = None
    started = await coaching.start(house.desk, StartSession(issue_number=7))
    (logged,) = await house.actions(started.session_id)
    assert (logged.action_type, logged.data) == ("session_started", {"issueNumber": 7})
    told = ["session:started", "coaching:issue_context", "fs:tree"]
    assert [heard.type for heard in house.heard] == told
    assert {(heard.user_id, heard.project) for heard in house.heard} == {
        (house.desk.user_id, house.desk.project)
    }
    first = house.heard[0].payload
    assert first["sessionId"] == started.session_id
    assert (first["phases"], first["hintLevel"]) == ([], "file")
    assert first["openFiles"] == ["README.md"]
    assert house.heard[1].payload == first["issueContext"]
    names = [node["name"] for node in house.heard[2].payload["root"]["children"]]
    assert names == ["src", "tests", "README.md"]


async def test_a_start_abandons_the_session_before(
    house: House, coaching: CoachingSessions
) -> None:
    """CO-12: abandoned, logged with its duration, told with a summary, before the new one."""
    first = await coaching.start(house.desk, StartSession(issue_title="First"))
    await house.add_plan(*PHASES)
    house.heard.clear()
    second = await coaching.start(house.desk, StartSession(issue_title="Second"))
    old = await house.core.sessions.get(first.session_id, user_id=house.desk.user_id)
    assert old.status == SessionStatus.ABANDONED
    assert old.ended_at is not None
    last = (await house.actions(first.session_id))[-1]
    assert last.action_type == "session_ended"
    assert last.data is not None
    assert last.data["status"] == "abandoned"
    assert 0 <= last.data["durationMs"] < 60_000
    types = [heard.type for heard in house.heard]
    assert types.index("session:ended") < types.index("session:started")
    summary = house.of_type("session:ended")[0]["summary"]
    assert (summary["sessionId"], summary["status"]) == (first.session_id, "abandoned")
    assert (summary["phasesCompleted"], summary["phasesTotal"]) == (1, 2)
    assert "“First”" in summary["text"]
    assert "1 of 2 phases done" in summary["text"]
    assert house.desk.session_id == second.session_id


async def test_a_rejected_start_leaves_the_session_alone(
    house: House, coaching: CoachingSessions
) -> None:
    """CO-12: what is wrong with a request is found before anything is abandoned."""
    first = await coaching.start(house.desk, StartSession(issue_title="First"))
    with pytest.raises(ValidationError, match="give issueNumber"):
        StartSession.model_validate({})
    with pytest.raises(InvalidInput, match="nothing to work on"):
        await coaching.start(house.desk, StartSession(issue_title="   "))
    assert house.desk.session_id == first.session_id
    assert [row.status for row in await rows(house)] == [SessionStatus.ACTIVE]


async def test_starts_at_once_leave_one_active(house: House, coaching: CoachingSessions) -> None:
    """CO-13: they take turns, so that the windows hear of one session at a time."""
    asked = [StartSession(issue_title=f"Try {number}") for number in range(5)]
    await asyncio.gather(*(coaching.start(house.desk, start) for start in asked))
    (active,) = await rows(house, SessionStatus.ACTIVE)
    assert active.id == house.desk.session_id
    assert house.of_type("session:started")[-1]["sessionId"] == active.id
    lives = [heard.type for heard in house.heard if heard.type.startswith("session:")]
    assert lives == ["session:started", *["session:ended", "session:started"] * 4]


async def test_starts_on_several_servers_leave_one_active(
    tmp_path: Path, database_url: str
) -> None:
    """CO-13: servers know nothing of each other's turns, and a start that lost says so."""
    async with open_house(tmp_path, database_url=database_url) as house:
        servers = [coaching_of(house) for _ in range(6)]
        begun = StartSession(issue_title="Together")
        outcomes = await asyncio.gather(
            *(server.start(house.desk, begun) for server in servers), return_exceptions=True
        )
        (active,) = await rows(house, SessionStatus.ACTIVE)
        started = [found for found in outcomes if isinstance(found, Started)]
        lost = [found for found in outcomes if isinstance(found, Conflict)]
        assert len(started) + len(lost) == 6
        assert active.id in {found.session_id for found in started}


async def test_people_have_sessions_of_their_own(house: House, coaching: CoachingSessions) -> None:
    """CO-13: a start abandons nobody else's session."""
    mine = await coaching.start(house.desk, StartSession(issue_title="Mine"))
    other = house.desks.of((await house.core.users.create("Bo")).id)
    theirs = await coaching.start(other, StartSession(issue_title="Theirs"))
    assert (house.desk.session_id, other.session_id) == (mine.session_id, theirs.session_id)
    assert len(await rows(house, SessionStatus.ACTIVE)) == 2


async def test_an_active_session_is_resumed_as_it_is(
    house: House, coaching: CoachingSessions
) -> None:
    """CO-14: the same session after a restart, with plan, level and files, and its hints."""
    started = await coaching.start(house.desk, StartSession(issue_number=7, issue_title="Cents"))
    plan = await house.add_plan(*PHASES)
    await Hints(house.core, house.voice).set_level(house.desk, LevelChange(level=HintLevel.LINE))
    await opened(house, "a.py", "b.py", "c.py")
    closed = {"path": "b.py"}
    await house.core.actions.log_action(started.session_id, ActionType.FILE_CLOSE, closed)
    house.heard.clear()

    desk = Desks(house.core).of(house.desk.user_id)  # as a new process has it: it knows nothing
    state = (await coaching.resume(desk, started.session_id)).restored_state

    assert (state.session_id, state.previous_session_id) == (started.session_id, None)
    assert desk.session_id == started.session_id
    assert (state.issue_context.number, state.issue_context.title) == (7, "Cents")
    assert state.plan_id == plan.plan.id
    assert [(phase.number, phase.status) for phase in state.phases] == [
        (1, "complete"),
        (2, "active"),
    ]
    assert state.hint_level is HintLevel.LINE
    assert state.open_files == ["a.py", "c.py"]
    last = (await house.actions(started.session_id))[-3]
    assert (last.action_type, last.data) == (
        "session_resumed",
        {"previousSessionId": started.session_id},
    )
    assert [heard.type for heard in house.heard] == [
        "session:resumed",
        "coaching:issue_context",
        "fs:tree",
        "explorer:hint_files",
        "editor:highlight_lines",
    ]
    assert house.heard[0].payload["restoredState"]["sessionId"] == started.session_id


async def test_an_abandoned_session_goes_on_in_a_new_one(
    house: House, coaching: CoachingSessions
) -> None:
    """CO-15: same issue, level and files, the plan copied with statuses, moments and hints."""
    first = await coaching.start(house.desk, StartSession(issue_number=7, issue_title="Cents"))
    old = await house.add_plan(*PHASES)
    await Hints(house.core, house.voice).set_level(house.desk, LevelChange(level=HintLevel.REGION))
    await opened(house, "a.py")
    await coaching.abandon(house.desk)
    assert house.desk.session_id is None
    house.heard.clear()

    state = (await coaching.resume(house.desk, first.session_id)).restored_state

    assert state.session_id == house.desk.session_id != first.session_id
    assert state.previous_session_id == first.session_id
    assert (state.issue_context.title, state.hint_level) == ("Cents", HintLevel.REGION)
    assert state.open_files == ["a.py"]
    assert state.plan_id != old.plan.id
    async with house.core.database.read() as session:
        new = await plans.latest(session, state.session_id)
        assert new is not None
        hints = await plans.hints_of(session, new.phases[1].id)
    assert new.plan.raw_plan_text == old.plan.raw_plan_text
    assert [(row.status, row.started_at) for row in new.phases] == [
        (row.status, row.started_at) for row in old.phases
    ]
    assert (new.phases[0].expected_files, new.phases[0].opportunities) == (["a.py"], ["sums"])
    assert [(hint.path, hint.start_line, hint.hover_text) for hint in hints] == [
        ("src/bakery/orders.py", 4, "Why?")
    ]
    assert house.of_type("editor:decorations")[0]["path"] == "src/bakery/orders.py"
    resumed = (await house.actions(state.session_id))[0]
    assert resumed.data == {"previousSessionId": first.session_id}


async def test_resuming_an_old_session_abandons_the_one_at_hand(
    house: House, coaching: CoachingSessions
) -> None:
    """CO-15: there is one active session after it too."""
    first = await coaching.start(house.desk, StartSession(issue_title="First"))
    second = await coaching.start(house.desk, StartSession(issue_title="Second"))
    await coaching.resume(house.desk, first.session_id)
    (active,) = await rows(house, SessionStatus.ACTIVE)
    assert active.data["previous_session_id"] == first.session_id
    old = await house.core.sessions.get(second.session_id, user_id=None)
    assert old.status == SessionStatus.ABANDONED


async def test_a_completed_session_is_not_resumed(house: House, coaching: CoachingSessions) -> None:
    """CO-16: the answer is to start anew; the session at hand stays."""
    done = await coaching.start(house.desk, StartSession(issue_title="Done"))
    await house.core.sessions.end(
        done.session_id, SessionStatus.COMPLETED, user_id=house.desk.user_id
    )
    running = await coaching.start(house.desk, StartSession(issue_title="Running"))
    with pytest.raises(Conflict, match="completed and cannot be resumed"):
        await coaching.resume(house.desk, done.session_id)
    assert house.desk.session_id == running.session_id


async def test_a_session_that_is_not_ones_own_is_not_found(
    house: House, coaching: CoachingSessions, tmp_path: Path
) -> None:
    """CO-16: unknown, another person's, or no coaching at all; another project's is named."""
    other: Desk = house.desks.of((await house.core.users.create("Bo")).id)
    theirs = await coaching.start(other, StartSession(issue_title="Theirs"))
    agent = await house.core.sessions.create(SessionKind.AGENT, house.desk.project)
    for session_id in ("no-such", theirs.session_id, agent.id):
        with pytest.raises(NotFound, match=session_id):
            await coaching.resume(house.desk, session_id)
    elsewhere = await house.core.sessions.create(SessionKind.COACHING, "/elsewhere")
    with pytest.raises(Conflict, match="another project, /elsewhere"):
        await coaching.resume(house.desk, elsewhere.id)
    assert other.session_id == theirs.session_id


async def test_the_current_session_can_be_asked_for(
    house: House, coaching: CoachingSessions
) -> None:
    """CO-14: nothing before a start; then the whole state."""
    assert await coaching.current(house.desk) is None
    assert await coaching.phases(house.desk) == []
    with pytest.raises(Conflict, match="No active session"):
        await coaching.abandon(house.desk)
    started = await coaching.start(house.desk, StartSession(issue_number=7))
    await house.add_plan(*PHASES)
    state = await coaching.current(house.desk)
    assert state is not None
    assert state.session_id == started.session_id
    assert await coaching.phases(house.desk) == state.phases
    assert [phase.title for phase in state.phases] == ["Find", "Fix"]


async def test_a_session_that_its_wrap_up_ended_first_is_not_abandoned(
    house: House, coaching: CoachingSessions
) -> None:
    """CO-12: completed stays completed, and no second end is told."""
    started = await coaching.start(house.desk, StartSession(issue_title="Done"))
    row = await house.core.sessions.get(started.session_id, user_id=None)
    await house.core.sessions.end(row.id, SessionStatus.COMPLETED, user_id=None)
    house.desk.session_id = row.id  # the news of its end is still on its way
    await coaching.abandon(house.desk)
    assert (await house.core.sessions.get(row.id, user_id=None)).status == "completed"
    assert house.of_type("session:ended") == []
