"""`bottega journal`, against the real routes in this process."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner, Result

from bottega.cli.connection import Client
from bottega.errors import InvalidInput, NotFound
from bottega.journal.commands import commands
from bottega.server.http import create_server
from tests.journal.builders import CONFIRMED, FALSIFIED, START, JournalApp, lines, open_journal


class Terminal:
    def __init__(self, client: Client, runner: asyncio.Runner, app: JournalApp) -> None:
        self._client = client
        self._runner = runner
        self._app = app

    def __call__(self, *words: str) -> Result:
        return CliRunner(env={"COLUMNS": "200"}).invoke(commands, list(words), obj=self._client)

    def said(self, *words: str) -> str:
        result = self(*words)
        assert result.exit_code == 0, (result.output, result.exception)
        return result.stdout

    def json(self, *words: str) -> Any:
        return json.loads(self.said(*words, "--json"))

    def work(self, end: dict[str, Any], **start: Any) -> str:
        async def one() -> str:
            entry = await self._app.agent("start_ghap", **START | start)
            await self._app.agent("resolve_ghap", **end)
            return str(entry["id"])

        return self._runner.run(one())

    def start(self) -> str:
        return str(self._runner.run(self._app.agent("start_ghap", **START))["id"])

    def fill(self, made: list[dict[str, Any]]) -> None:
        self._runner.run(self._app.fill(made))


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    with asyncio.Runner() as runner:
        opening = open_journal(tmp_path)
        app: JournalApp = runner.run(opening.__aenter__())
        transport = httpx.ASGITransport(app=create_server(app))
        http = httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1")

        def request(method: str, path: str, **options: Any) -> httpx.Response:
            return runner.run(http.request(method, path, **options))

        yield Terminal(Client(request), runner, app)
        runner.run(http.aclose())
        runner.run(opening.__aexit__(None, None, None))


@pytest.mark.requirement("GH-52")
def test_entries_are_listed_and_shown(terminal: Terminal) -> None:
    """As a table, as JSON, whole; an empty journal says how it is filled."""
    assert "start_ghap" in terminal.said("list")
    confirmed = terminal.work(CONFIRMED)
    falsified = terminal.work(FALSIFIED, domain="security")
    still_open = terminal.start()
    table = terminal.said("list")
    assert all(each in table for each in (confirmed, falsified, still_open, "open", "gold"))
    found = terminal.json("list", "--domain", "security", "--outcome", "falsified")
    assert [entry["id"] for entry in found["results"]] == [falsified]
    shown = terminal.said("show", falsified)
    assert FALSIFIED["surprise"] in shown
    assert "wrong-assumption" in shown
    assert isinstance(terminal("show", "ghap_20260101_000000_abcdef").exception, NotFound)


@pytest.mark.requirement("GH-52")
def test_experiences_are_searched_and_context_is_assembled(terminal: Terminal) -> None:
    """With the lesson beside the goal."""
    terminal.work(CONFIRMED)
    found = terminal.said("search", "flaky login")
    assert "Clearing shared state in teardown" in found
    assert "Try other words" in terminal.said("search", "flaky", "--domain", "security")
    assert "50 of 50 runs" in terminal.said("context", "a flaky login test")
    assert "Nothing learned" in terminal.said("context", "flaky", "--domain", "security")


@pytest.mark.requirement("GH-52")
def test_clusters_are_drawn_and_values_stored(terminal: Terminal) -> None:
    """Bars for sizes, members of one, values with their clusters."""
    terminal.fill(lines({"isolation": 14, "queries": 12, "deploys": 10}))
    drawn = terminal.said("clusters")
    assert "█" * 40 in drawn
    assert "cluster_full_0" in drawn
    member = terminal.json("clusters", "cluster_full_0")["members"][0]
    assert member["goal"] in terminal.said("clusters", "cluster_full_0")
    assert "No values yet" in terminal.said("values")
    said = [member[name] for name in ("goal", "hypothesis", "action", "prediction")]
    text = " ".join([*said, member["outcome_result"], member["lesson"]["what_worked"]])
    terminal.said("values", "--store", text, "--cluster", "cluster_full_0")
    assert terminal.json("values")["results"][0]["text"] == text
    refused = terminal("values", "--store", "Be nice", "--cluster", "cluster_full_0")
    assert isinstance(refused.exception, InvalidInput)
    assert terminal("values", "--store", "Be nice").exit_code == 2


@pytest.mark.requirement("GH-52", "GH-49")
def test_calibration_is_plotted(terminal: Terminal) -> None:
    """Scores by domain and the curve in characters."""
    assert "confidence" in terminal.said("calibration")
    terminal.work(CONFIRMED, confidence=0.9)
    terminal.work(FALSIFIED, confidence=0.1, domain="security")
    plotted = terminal.said("calibration")
    assert "security" in plotted
    assert "0.010" in plotted
    assert plotted.count("●") == 2
    rows = [line for line in plotted.splitlines() if "│" in line]
    assert "●" in rows[0]
    assert "●" in rows[-1]


@pytest.mark.requirement("GH-52", "GH-50")
def test_evidence_orphans_and_sync_have_their_commands(terminal: Terminal) -> None:
    """What hooks and people need."""
    first = terminal.start()
    terminal.said("evidence", "test", "pytest -q", "--passed", "--summary", "3 passed")
    assert "pytest -q" in terminal.said("show", first)
    second = terminal.start()
    assert first in terminal.said("orphans")
    terminal.said("adopt", first)
    terminal.said("abandon", second, "--because", "Forgotten")
    assert terminal.json("list", "--outcome", "abandoned")["results"][0]["id"] == second
    assert terminal.json("sync") == {"stored": 0, "failed": {}, "reindexed": 0}
    assert "Stored" in terminal.said("sync")


@pytest.mark.requirement("GH-54")
def test_a_journal_goes_into_a_file_and_out_of_it(terminal: Terminal, tmp_path: Path) -> None:
    """One JSON object a line; a second import adds nothing; a bad line is named."""
    terminal.fill(lines({"isolation": 3, "queries": 3}))
    file = tmp_path / "journal.jsonl"
    terminal.said("export", str(file))
    assert len([json.loads(line) for line in file.read_text().splitlines()]) == 6
    assert "known already: 6" in terminal.said("import", str(file))
    more = [json.dumps(line) for line in lines({"deploys": 2}, start=500)]
    file.write_text("\n".join([*more, ""]))
    assert "Imported 2" in terminal.said("import", str(file))
    assert terminal.json("list")["count"] == 8
    file.write_text(f"{more[0]}\n{{broken\n")
    refused = terminal("import", str(file))
    assert isinstance(refused.exception, InvalidInput)
    assert "line 2" in refused.exception.message
    assert len(terminal.said("export", "-").splitlines()) == 8
