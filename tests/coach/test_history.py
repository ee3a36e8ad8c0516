"""Past sessions: listed, replayed, reported; as service, over HTTP and on the terminal."""

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from typer.testing import CliRunner

from bottega.cli.connection import Client
from bottega.coach.commands import commands
from bottega.coach.enums import HintLevel, PhaseStatus, ProgressType, Severity
from bottega.coach.plans import repository as plans
from bottega.coach.plans.repository import NewPhase
from bottega.coach.practice import repository as kata_records
from bottega.coach.printing import print_replay, print_status
from bottega.coach.sessions import operations
from bottega.coach.sessions.history import WORDS, SessionHistory, report
from bottega.coach.skills import repository as skill_records
from bottega.core.llm.ledger import CallMetadata
from bottega.core.sessions.actions import ActionType
from bottega.core.sessions.session import SessionKind, SessionStatus
from bottega.core.users import LOCAL_USER
from bottega.errors import NotFound
from bottega.server.rest import operation_router
from tests.coach.builders import CoachApp
from tests.coach.doors import bind

PHASES = (
    NewPhase(1, "Find the sum", "Read before you change.", HintLevel.FILE),
    NewPhase(2, "Use [cents]", "Change the type.", HintLevel.FILE),
)


@pytest.fixture
async def day(app: CoachApp) -> tuple[CoachApp, str]:
    """A house in which one session was played, and its id."""
    core = app.core
    row = await app.start_session()
    plan = await app.add_plan(*PHASES)
    async with core.database.write() as session:
        await plans.set_status(session, plan.phases[0], PhaseStatus.COMPLETE)
        await plans.add_progress(
            session, plan.phases[0].id, ProgressType.HINT_USED, {"path": "src/bakery/orders.py"}
        )
        gap, _ = await skill_records.record_gap(
            session, LOCAL_USER, row.id, "Money", Severity.HIGH, "hints raised twice"
        )
        await kata_records.add_kata(
            session, gap.id, title="Till", description="…", scaffolding_code=""
        )
    for action, data in (
        (ActionType.SESSION_STARTED, {"issueNumber": 7}),
        (ActionType.FILE_OPEN, {"path": "src/bakery/orders.py"}),
        (ActionType.NUDGE_SENT, {"signal": "wrong_file", "confidence": 0.85}),
        (ActionType.PHASE_COMPLETED, {"phaseNumber": 1, "title": "Find the sum"}),
    ):
        await core.actions.log_action(row.id, action, data)
    core.ledger.log_api_call(
        row.id, "explain_this", CallMetadata("a-model", "hash", 120, cost_estimate=0.01)
    )
    await core.ledger.flush()
    return app, row.id


@pytest.mark.requirement("CO-08")
async def test_a_session_is_replayed_in_order_and_in_words(day: tuple[CoachApp, str]) -> None:
    """Actions, model calls and progress on one line of time."""
    app, session_id = day
    replay = await SessionHistory(app.core).replay(LOCAL_USER, session_id)
    told = [moment.text for moment in replay.moments]
    assert told[1:] == [
        "began work on issue 7",
        "opened src/bakery/orders.py",
        "Paige nudged: wrong file, 85% sure",
        "completed phase 1: Find the sum",
        "asked a-model: explain this",
    ]
    assert told[0] == "hint used: src/bakery/orders.py"
    offsets = [moment.offset_ms for moment in replay.moments]
    assert offsets == sorted(offsets)
    assert replay.session.phases_completed == 1
    assert replay.session.phases_total == 2


async def test_last_is_the_newest_session_of_this_person(day: tuple[CoachApp, str]) -> None:
    app, session_id = day
    history = SessionHistory(app.core)
    assert (await history.replay(LOCAL_USER, "last")).session.id == session_id
    newer = await app.start_session()
    assert (await history.replay(LOCAL_USER, "last")).session.id == newer.id
    with pytest.raises(NotFound, match="no coaching session yet"):
        await history.replay("somebody else", "last")


async def test_sessions_are_listed_newest_first_with_how_far_they_came(
    day: tuple[CoachApp, str],
) -> None:
    app, session_id = day
    await app.core.sessions.end(session_id, SessionStatus.COMPLETED, user_id=LOCAL_USER)
    newer = await app.start_session()
    await app.core.sessions.create(SessionKind.AGENT, app.editors.project)
    listed = await SessionHistory(app.core).sessions(LOCAL_USER)
    assert [line.id for line in listed] == [newer.id, session_id]
    assert (listed[1].phases_completed, listed[1].phases_total) == (1, 2)
    assert listed[1].status == "completed"
    assert await SessionHistory(app.core).sessions("somebody else") == []


async def test_a_second_plan_replaces_the_first_in_the_count(day: tuple[CoachApp, str]) -> None:
    app, _ = day
    await app.add_plan(PHASES[0])
    [line] = await SessionHistory(app.core).sessions(LOCAL_USER)
    assert (line.phases_completed, line.phases_total) == (0, 1)


async def test_anothers_session_and_another_kind_are_not_found(day: tuple[CoachApp, str]) -> None:
    app, session_id = day
    history = SessionHistory(app.core)
    with pytest.raises(NotFound):
        await history.replay("somebody else", session_id)
    agent = await app.core.sessions.create(SessionKind.AGENT, app.editors.project)
    with pytest.raises(NotFound, match="no coaching session, but agent"):
        await history.replay(LOCAL_USER, agent.id)


@pytest.mark.requirement("CO-09")
async def test_the_report_tells_the_session_on_a_page(day: tuple[CoachApp, str]) -> None:
    """Issue, phases, what happened, what to practise; without the noise."""
    app, session_id = day
    call = {"toolName": "paige_get_diff", "sessionId": session_id}
    await app.core.actions.log_action(session_id, ActionType.MCP_TOOL_CALL, call)
    written = report(await SessionHistory(app.core).record(LOCAL_USER, session_id))
    assert written.startswith("# #7 Totals are off by a cent\n")
    for line in (
        "- [x] **1. Find the sum**",
        "- [ ] **2. Use [cents]**",
        "opened src/bakery/orders.py",
        "- **Money** (high, met once): hints raised twice",
        "  - Kata: Till, tried never",
        "- Models: $0.0100",
    ):
        assert line in written
    assert "paige_get_diff" not in written


@pytest.mark.requirement("CO-08")
def test_every_action_has_words_and_bears_missing_data() -> None:
    """A log of an older version can be replayed too."""
    assert set(WORDS) == set(ActionType)
    for say in WORDS.values():
        assert say({})


class Terminal:
    """`bottega coach` against the real routes in this process."""

    def __init__(self, app: CoachApp, loop: asyncio.AbstractEventLoop) -> None:
        server = FastAPI()
        bounds = bind(app, operations, history=SessionHistory(app.core))
        server.include_router(operation_router(bounds, "coach"), prefix="/api")
        self._http = httpx.AsyncClient(
            transport=httpx.ASGITransport(server), base_url="http://127.0.0.1"
        )
        self._loop = loop

    async def __call__(self, *words: str) -> Any:
        client = Client(self._request)
        return await asyncio.to_thread(
            CliRunner(env={"COLUMNS": "200"}).invoke, commands, list(words), obj=client
        )

    def _request(self, method: str, path: str, **more: Any) -> httpx.Response:
        asked = self._http.request(method, path, **more)
        return asyncio.run_coroutine_threadsafe(asked, self._loop).result(30)


@pytest.mark.requirement("CO-08", "CO-09")
async def test_the_terminal_lists_replays_and_exports(
    day: tuple[CoachApp, str], tmp_path: Path
) -> None:
    """`bottega coach sessions`, `replay`, `export`."""
    app, session_id = day
    terminal = Terminal(app, asyncio.get_running_loop())

    listed = await terminal("sessions")
    assert session_id in listed.stdout
    assert "#7 Totals are off by a cent" in listed.stdout
    assert "1/2" in listed.stdout
    as_json = json.loads((await terminal("sessions", "--json")).stdout)
    assert as_json["sessions"][0]["id"] == session_id

    for words in (("replay",), ("replay", session_id)):
        replayed = await terminal(*words)
        assert "0:00:00  opened src/bakery/orders.py" in replayed.stdout
        assert "Paige nudged: wrong file" in replayed.stdout

    exported = await terminal("export", session_id)
    assert exported.stdout.startswith("# #7 Totals are off by a cent")

    target = tmp_path / "report.md"
    assert (await terminal("export", "-o", str(target))).exit_code == 0
    assert target.read_text() == exported.stdout
    refused = await terminal("export", "-o", str(target))
    assert "is there already" in str(refused.exception)
    assert (await terminal("export", "-o", str(target), "--force")).exit_code == 0


def test_an_empty_status_says_what_to_do_next(capsys: pytest.CaptureFixture[str]) -> None:
    print_status({"session": None, "observer": {}, "gaps": [], "katas": []})
    assert "bottega serve" in capsys.readouterr().out


def test_the_status_shows_phases_gaps_and_katas(capsys: pytest.CaptureFixture[str]) -> None:
    print_status(
        {
            "session": {
                "sessionId": "s",
                "issueContext": {"number": 7, "title": "Use [bold] cents"},
                "hintLevel": "file",
                "phases": [{"number": 1, "title": "Look", "status": "active"}],
            },
            "observer": {"active": True, "muted": True},
            "gaps": [
                {"topic": "Money", "severity": "high", "frequency": 2, "addressed": False},
                {"topic": "Loops", "severity": "low", "frequency": 1, "addressed": True},
            ],
            "katas": [{"attemptsCount": 0}, {"attemptsCount": 2}],
        }
    )
    said = capsys.readouterr().out
    for part in ("#7 Use [bold] cents", "▶ 1. Look", "observer: muted", "Money, met 2 ×"):
        assert part in said
    assert "Loops" not in said
    assert "2 katas, 1 of them tried" in said


def test_a_replay_of_nothing_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    line = {"issueNumber": None, "issueTitle": None, "status": "active", "minutes": 0.0}
    print_replay({"session": line, "moments": []})
    assert "Nothing was logged" in capsys.readouterr().out
