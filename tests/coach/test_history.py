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
from bottega.coach.history.history import History
from bottega.coach.history.report import report
from bottega.coach.history.timeline import WORDS
from bottega.coach.printing import print_replay, print_status
from bottega.coach.repository import learning, plans
from bottega.coach.repository.plans import NewPhase
from bottega.coach.routes.history import router
from bottega.core.actions import ActionType
from bottega.core.llm.ledger import CallMetadata
from bottega.core.sessions import SessionKind, SessionStatus
from bottega.core.users import LOCAL_USER
from bottega.errors import NotFound
from tests.coach.house import House

PHASES = (
    NewPhase(1, "Find the sum", "Read before you change.", HintLevel.FILE),
    NewPhase(2, "Use [cents]", "Change the type.", HintLevel.FILE),
)


@pytest.fixture
async def day(house: House) -> tuple[House, str]:
    """A house in which one session was played, and its id."""
    core = house.core
    row = await house.start_session()
    plan = await house.add_plan(*PHASES)
    async with core.database.write() as session:
        await plans.set_status(session, plan.phases[0], PhaseStatus.COMPLETE)
        await plans.add_progress(
            session, plan.phases[0].id, ProgressType.HINT_USED, {"path": "src/bakery/orders.py"}
        )
        gap, _ = await learning.meet_gap(
            session, LOCAL_USER, row.id, "Money", Severity.HIGH, "hints raised twice"
        )
        await learning.add_kata(session, gap.id, title="Till", description="…", scaffolding_code="")
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
    return house, row.id


async def test_a_session_is_replayed_in_order_and_in_words(day: tuple[House, str]) -> None:
    """CO-08: actions, model calls and progress on one line of time."""
    house, session_id = day
    replay = await History(house.core).replay(LOCAL_USER, session_id)
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


async def test_last_is_the_newest_session_of_this_person(day: tuple[House, str]) -> None:
    house, session_id = day
    history = History(house.core)
    assert (await history.replay(LOCAL_USER, "last")).session.id == session_id
    newer = await house.start_session()
    assert (await history.replay(LOCAL_USER, "last")).session.id == newer.id
    with pytest.raises(NotFound, match="no coaching session yet"):
        await history.replay("somebody else", "last")


async def test_sessions_are_listed_newest_first_with_how_far_they_came(
    day: tuple[House, str],
) -> None:
    house, session_id = day
    await house.core.sessions.end(session_id, SessionStatus.COMPLETED, user_id=LOCAL_USER)
    newer = await house.start_session()
    await house.core.sessions.create(SessionKind.AGENT, house.desks.project)
    listed = await History(house.core).sessions(LOCAL_USER)
    assert [line.id for line in listed] == [newer.id, session_id]
    assert (listed[1].phases_completed, listed[1].phases_total) == (1, 2)
    assert listed[1].status == "completed"
    assert await History(house.core).sessions("somebody else") == []


async def test_a_second_plan_replaces_the_first_in_the_count(day: tuple[House, str]) -> None:
    house, _ = day
    await house.add_plan(PHASES[0])
    [line] = await History(house.core).sessions(LOCAL_USER)
    assert (line.phases_completed, line.phases_total) == (0, 1)


async def test_anothers_session_and_another_kind_are_not_found(day: tuple[House, str]) -> None:
    house, session_id = day
    history = History(house.core)
    with pytest.raises(NotFound):
        await history.replay("somebody else", session_id)
    agent = await house.core.sessions.create(SessionKind.AGENT, house.desks.project)
    with pytest.raises(NotFound, match="no coaching session, but agent"):
        await history.replay(LOCAL_USER, agent.id)


async def test_the_report_tells_the_session_on_a_page(day: tuple[House, str]) -> None:
    """CO-09: issue, phases, what happened, what to practise; without the noise."""
    house, session_id = day
    call = {"toolName": "paige_get_diff", "sessionId": session_id}
    await house.core.actions.log_action(session_id, ActionType.MCP_TOOL_CALL, call)
    written = report(await History(house.core).record(LOCAL_USER, session_id))
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


def test_every_action_has_words_and_bears_missing_data() -> None:
    """CO-08: a log of an older version can be replayed too."""
    assert set(WORDS) == set(ActionType)
    for say in WORDS.values():
        assert say({})


class Terminal:
    """`bottega coach` against the real routes in this process."""

    def __init__(self, house: House, loop: asyncio.AbstractEventLoop) -> None:
        app = FastAPI()
        app.include_router(router(History(house.core)), prefix="/api")
        self._http = httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://127.0.0.1"
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


async def test_the_terminal_lists_replays_and_exports(
    day: tuple[House, str], tmp_path: Path
) -> None:
    """CO-08, CO-09: `bottega coach sessions`, `replay`, `export`."""
    house, session_id = day
    terminal = Terminal(house, asyncio.get_running_loop())

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
