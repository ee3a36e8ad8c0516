import asyncio
from pathlib import Path

import pytest
from pydantic import ValidationError

from bottega.coach.editor.schemas import LevelChange
from bottega.coach.editor.state import Editors, EditorState
from bottega.coach.enums import HintLevel, HintType, PhaseStatus
from bottega.coach.plans import repository as plans
from bottega.coach.plans.hints import PhaseHints
from bottega.coach.plans.issues import Issues
from bottega.coach.plans.repository import NewHint, NewPhase
from bottega.coach.sessions.schemas import Started, StartSession
from bottega.coach.sessions.service import CoachingSessions
from bottega.core.sessions.actions import ActionType
from bottega.core.sessions.session import Session, SessionKind, SessionStatus
from bottega.errors import Conflict, InvalidInput, NotFound
from tests.coach.builders import CoachApp, open_coach

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
def coaching(app: CoachApp) -> CoachingSessions:
    return coaching_of(app)


def coaching_of(app: CoachApp) -> CoachingSessions:
    hints = PhaseHints(app.core, app.windows)
    return CoachingSessions(app.core, app.windows, hints, Issues(app.project, NO_GH))


async def rows(app: CoachApp, status: SessionStatus | None = None) -> list[Session]:
    found = await app.core.sessions.list(
        user_id=None, kind=SessionKind.COACHING, status=status, project_dir=app.editors.project
    )
    return list(found)


async def opened(app: CoachApp, *paths: str) -> None:
    for path in paths:
        session_id = app.editor.require_session()
        await app.core.actions.log_action(session_id, ActionType.FILE_OPEN, {"path": path})


@pytest.mark.requirement("CO-10")
async def test_a_start_finds_the_issue_in_the_project(
    app: CoachApp, coaching: CoachingSessions
) -> None:
    """Title, text, labels and address of the local issue with that number."""
    (app.project / "issues").mkdir()
    (app.project / "issues" / "3-rolls.md").write_text(ISSUE)
    started = await coaching.start(app.editor, StartSession(issue_number=3))
    assert started.issue_context.model_dump() == {
        "number": 3,
        "title": "Rolls cost too much",
        "summary": "By a cent.",
        "labels": ["bug"],
        "url": "https://example.org/3",
    }
    row = await app.core.sessions.get(started.session_id, user_id=app.editor.user_id)
    assert (row.issue_number, row.issue_title) == (3, "Rolls cost too much")


@pytest.mark.requirement("CO-11")
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
    app: CoachApp, coaching: CoachingSessions, asked: dict[str, object], title: str, summary: str
) -> None:
    """A number that nobody knows, one's own words, or both."""
    started = await coaching.start(app.editor, StartSession.model_validate(asked))
    assert (started.issue_context.title, started.issue_context.summary) == (title, summary)
    assert app.editor.session_id == started.session_id


@pytest.mark.requirement("CO-11")
async def test_a_start_is_logged_and_sets_the_scene(
    app: CoachApp, coaching: CoachingSessions
) -> None:
    """Session_started, then session:started, coaching:issue_context and fs:tree."""
    app.editor.open_files["README.md"] = None
    started = await coaching.start(app.editor, StartSession(issue_number=7))
    (logged,) = await app.actions(started.session_id)
    assert (logged.action_type, logged.data) == ("session_started", {"issueNumber": 7})
    told = ["session:started", "coaching:issue_context", "fs:tree"]
    assert [heard.type for heard in app.broadcasts] == told
    assert {(heard.user_id, heard.project) for heard in app.broadcasts} == {
        (app.editor.user_id, app.editor.project)
    }
    first = app.broadcasts[0].payload
    assert first["sessionId"] == started.session_id
    assert (first["phases"], first["hintLevel"]) == ([], "file")
    assert first["openFiles"] == ["README.md"]
    assert app.broadcasts[1].payload == first["issueContext"]
    names = [node["name"] for node in app.broadcasts[2].payload["root"]["children"]]
    assert names == ["src", "tests", "README.md"]


@pytest.mark.requirement("CO-12")
async def test_a_start_abandons_the_session_before(
    app: CoachApp, coaching: CoachingSessions
) -> None:
    """Abandoned, logged with its duration, told with a summary, before the new one."""
    first = await coaching.start(app.editor, StartSession(issue_title="First"))
    await app.add_plan(*PHASES)
    app.broadcasts.clear()
    second = await coaching.start(app.editor, StartSession(issue_title="Second"))
    old = await app.core.sessions.get(first.session_id, user_id=app.editor.user_id)
    assert old.status == SessionStatus.ABANDONED
    assert old.ended_at is not None
    last = (await app.actions(first.session_id))[-1]
    assert last.action_type == "session_ended"
    assert last.data is not None
    assert last.data["status"] == "abandoned"
    assert 0 <= last.data["durationMs"] < 60_000
    types = [heard.type for heard in app.broadcasts]
    assert types.index("session:ended") < types.index("session:started")
    summary = app.of_type("session:ended")[0]["summary"]
    assert (summary["sessionId"], summary["status"]) == (first.session_id, "abandoned")
    assert (summary["phasesCompleted"], summary["phasesTotal"]) == (1, 2)
    assert "“First”" in summary["text"]
    assert "1 of 2 phases done" in summary["text"]
    assert app.editor.session_id == second.session_id


@pytest.mark.requirement("CO-12")
async def test_a_rejected_start_leaves_the_session_alone(
    app: CoachApp, coaching: CoachingSessions
) -> None:
    """What is wrong with a request is found before anything is abandoned."""
    first = await coaching.start(app.editor, StartSession(issue_title="First"))
    with pytest.raises(ValidationError, match="give issueNumber"):
        StartSession.model_validate({})
    with pytest.raises(InvalidInput, match="nothing to work on"):
        await coaching.start(app.editor, StartSession(issue_title="   "))
    assert app.editor.session_id == first.session_id
    assert [row.status for row in await rows(app)] == [SessionStatus.ACTIVE]


@pytest.mark.requirement("CO-13")
async def test_starts_at_once_leave_one_active(app: CoachApp, coaching: CoachingSessions) -> None:
    """They take turns, so that the windows hear of one session at a time."""
    asked = [StartSession(issue_title=f"Try {number}") for number in range(5)]
    await asyncio.gather(*(coaching.start(app.editor, start) for start in asked))
    (active,) = await rows(app, SessionStatus.ACTIVE)
    assert active.id == app.editor.session_id
    assert app.of_type("session:started")[-1]["sessionId"] == active.id
    lives = [heard.type for heard in app.broadcasts if heard.type.startswith("session:")]
    assert lives == ["session:started", *["session:ended", "session:started"] * 4]


@pytest.mark.requirement("CO-13")
async def test_starts_on_several_servers_leave_one_active(
    tmp_path: Path, database_url: str
) -> None:
    """Servers know nothing of each other's turns, and a start that lost says so."""
    async with open_coach(tmp_path, database_url=database_url) as app:
        servers = [coaching_of(app) for _ in range(6)]
        begun = StartSession(issue_title="Together")
        outcomes = await asyncio.gather(
            *(server.start(app.editor, begun) for server in servers), return_exceptions=True
        )
        (active,) = await rows(app, SessionStatus.ACTIVE)
        started = [found for found in outcomes if isinstance(found, Started)]
        lost = [found for found in outcomes if isinstance(found, Conflict)]
        assert len(started) + len(lost) == 6
        assert active.id in {found.session_id for found in started}


@pytest.mark.requirement("CO-13")
async def test_people_have_sessions_of_their_own(app: CoachApp, coaching: CoachingSessions) -> None:
    """A start abandons nobody else's session."""
    mine = await coaching.start(app.editor, StartSession(issue_title="Mine"))
    other = app.editors.of((await app.core.users.create("Bo")).id)
    theirs = await coaching.start(other, StartSession(issue_title="Theirs"))
    assert (app.editor.session_id, other.session_id) == (mine.session_id, theirs.session_id)
    assert len(await rows(app, SessionStatus.ACTIVE)) == 2


@pytest.mark.requirement("CO-14")
async def test_an_active_session_is_resumed_as_it_is(
    app: CoachApp, coaching: CoachingSessions
) -> None:
    """The same session after a restart, with plan, level and files, and its hints."""
    started = await coaching.start(app.editor, StartSession(issue_number=7, issue_title="Cents"))
    plan = await app.add_plan(*PHASES)
    await PhaseHints(app.core, app.windows).set_level(app.editor, LevelChange(level=HintLevel.LINE))
    await opened(app, "a.py", "b.py", "c.py")
    closed = {"path": "b.py"}
    await app.core.actions.log_action(started.session_id, ActionType.FILE_CLOSE, closed)
    app.broadcasts.clear()

    editor = Editors(app.core).of(app.editor.user_id)  # as a new process has it: it knows nothing
    state = (await coaching.resume(editor, started.session_id)).restored_state

    assert (state.session_id, state.previous_session_id) == (started.session_id, None)
    assert editor.session_id == started.session_id
    assert (state.issue_context.number, state.issue_context.title) == (7, "Cents")
    assert state.plan_id == plan.plan.id
    assert [(phase.number, phase.status) for phase in state.phases] == [
        (1, "complete"),
        (2, "active"),
    ]
    assert state.hint_level is HintLevel.LINE
    assert state.open_files == ["a.py", "c.py"]
    last = (await app.actions(started.session_id))[-3]
    assert (last.action_type, last.data) == (
        "session_resumed",
        {"previousSessionId": started.session_id},
    )
    assert [heard.type for heard in app.broadcasts] == [
        "session:resumed",
        "coaching:issue_context",
        "fs:tree",
        "explorer:hint_files",
        "editor:highlight_lines",
    ]
    assert app.broadcasts[0].payload["restoredState"]["sessionId"] == started.session_id


@pytest.mark.requirement("CO-15")
async def test_an_abandoned_session_goes_on_in_a_new_one(
    app: CoachApp, coaching: CoachingSessions
) -> None:
    """Same issue, level and files, the plan copied with statuses, moments and hints."""
    first = await coaching.start(app.editor, StartSession(issue_number=7, issue_title="Cents"))
    old = await app.add_plan(*PHASES)
    await PhaseHints(app.core, app.windows).set_level(
        app.editor, LevelChange(level=HintLevel.REGION)
    )
    await opened(app, "a.py")
    await coaching.abandon(app.editor)
    assert app.editor.session_id is None
    app.broadcasts.clear()

    state = (await coaching.resume(app.editor, first.session_id)).restored_state

    assert state.session_id == app.editor.session_id != first.session_id
    assert state.previous_session_id == first.session_id
    assert (state.issue_context.title, state.hint_level) == ("Cents", HintLevel.REGION)
    assert state.open_files == ["a.py"]
    assert state.plan_id != old.plan.id
    async with app.core.database.read() as session:
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
    assert app.of_type("editor:decorations")[0]["path"] == "src/bakery/orders.py"
    resumed = (await app.actions(state.session_id))[0]
    assert resumed.data == {"previousSessionId": first.session_id}


@pytest.mark.requirement("CO-15")
async def test_resuming_an_old_session_abandons_the_one_at_hand(
    app: CoachApp, coaching: CoachingSessions
) -> None:
    """There is one active session after it too."""
    first = await coaching.start(app.editor, StartSession(issue_title="First"))
    second = await coaching.start(app.editor, StartSession(issue_title="Second"))
    await coaching.resume(app.editor, first.session_id)
    (active,) = await rows(app, SessionStatus.ACTIVE)
    assert active.data["previous_session_id"] == first.session_id
    old = await app.core.sessions.get(second.session_id, user_id=None)
    assert old.status == SessionStatus.ABANDONED


@pytest.mark.requirement("CO-16")
async def test_a_completed_session_is_not_resumed(
    app: CoachApp, coaching: CoachingSessions
) -> None:
    """The answer is to start anew; the session at hand stays."""
    done = await coaching.start(app.editor, StartSession(issue_title="Done"))
    await app.core.sessions.end(
        done.session_id, SessionStatus.COMPLETED, user_id=app.editor.user_id
    )
    running = await coaching.start(app.editor, StartSession(issue_title="Running"))
    with pytest.raises(Conflict, match="completed and cannot be resumed"):
        await coaching.resume(app.editor, done.session_id)
    assert app.editor.session_id == running.session_id


@pytest.mark.requirement("CO-16")
async def test_a_session_that_is_not_ones_own_is_not_found(
    app: CoachApp, coaching: CoachingSessions, tmp_path: Path
) -> None:
    """Unknown, another person's, or no coaching at all; another project's is named."""
    other: EditorState = app.editors.of((await app.core.users.create("Bo")).id)
    theirs = await coaching.start(other, StartSession(issue_title="Theirs"))
    agent = await app.core.sessions.create(SessionKind.AGENT, app.editor.project)
    for session_id in ("no-such", theirs.session_id, agent.id):
        with pytest.raises(NotFound, match=session_id):
            await coaching.resume(app.editor, session_id)
    elsewhere = await app.core.sessions.create(SessionKind.COACHING, "/elsewhere")
    with pytest.raises(Conflict, match="another project, /elsewhere"):
        await coaching.resume(app.editor, elsewhere.id)
    assert other.session_id == theirs.session_id


@pytest.mark.requirement("CO-14")
async def test_the_current_session_can_be_asked_for(
    app: CoachApp, coaching: CoachingSessions
) -> None:
    """Nothing before a start; then the whole state."""
    assert await coaching.current(app.editor) is None
    with pytest.raises(Conflict, match="No active session"):
        await coaching.abandon(app.editor)
    started = await coaching.start(app.editor, StartSession(issue_number=7))
    await app.add_plan(*PHASES)
    state = await coaching.current(app.editor)
    assert state is not None
    assert state.session_id == started.session_id
    assert [phase.title for phase in state.phases] == ["Find", "Fix"]


@pytest.mark.requirement("CO-12")
async def test_a_session_that_its_wrap_up_ended_first_is_not_abandoned(
    app: CoachApp, coaching: CoachingSessions
) -> None:
    """Completed stays completed, and no second end is told."""
    started = await coaching.start(app.editor, StartSession(issue_title="Done"))
    row = await app.core.sessions.get(started.session_id, user_id=None)
    await app.core.sessions.end(row.id, SessionStatus.COMPLETED, user_id=None)
    app.editor.session_id = row.id  # the news of its end is still on its way
    await coaching.abandon(app.editor)
    assert (await app.core.sessions.get(row.id, user_id=None)).status == "completed"
    assert app.of_type("session:ended") == []
