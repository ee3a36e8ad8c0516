"""`bottega library`, against the real routes in this process."""

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
from bottega.library.commands import commands
from bottega.server.http import create_server
from tests.library.builders import open_library_app


class Terminal:
    def __init__(self, client: Client, standards: Path) -> None:
        self._client = client
        self.standards = standards

    def __call__(self, *words: str, input: str | None = None) -> Result:
        runner = CliRunner(env={"COLUMNS": "200"})
        return runner.invoke(commands, list(words), obj=self._client, input=input)

    def said(self, *words: str) -> str:
        result = self(*words)
        assert result.exit_code == 0, (result.output, result.exception)
        return result.stdout

    def json(self, *words: str) -> Any:
        return json.loads(self.said(*words, "--json"))

    def add(self) -> str:
        return self.said("add", "harbour", str(self.standards), "--title", "Rules of the harbour")


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    with asyncio.Runner() as runner:
        opening = open_library_app(tmp_path)
        app = runner.run(opening.__aenter__())
        transport = httpx.ASGITransport(app=create_server(app))
        http = httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1")

        def request(method: str, path: str, **options: Any) -> httpx.Response:
            return runner.run(http.request(method, path, **options))

        yield Terminal(Client(request), app.standards)
        runner.run(http.aclose())
        runner.run(opening.__aexit__(None, None, None))


@pytest.mark.requirement("LB-535")
def test_a_folder_becomes_a_library_and_is_brought_up_to_date(terminal: Terminal) -> None:
    """Added with a report; unchanged, changed, removed and unreadable files are told."""
    assert "5 added" in terminal.add()
    assert "5 unchanged" in terminal.add()
    (terminal.standards / "guide-for-skippers.md").unlink()
    (terminal.standards / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    said = terminal.add()
    assert "1 removed" in said
    assert "broken.pdf" in said
    assert "broken.pdf" in terminal.said("status", "harbour")
    (terminal.standards / "notes.txt").write_text("1. Bring a rope.\n")
    report = terminal.json("add", "notes", str(terminal.standards / "notes.txt"), "--kind", "guide")
    assert report["report"]["added"] == 1
    assert terminal.json("status", "notes")["guides"] == 1


@pytest.mark.requirement("LB-536")
def test_what_is_not_there_is_said_with_what_to_do(terminal: Terminal, tmp_path: Path) -> None:
    """No libraries, an empty folder, no folder, no hits, no such library or paragraph."""
    assert "bottega library add" in terminal.said("list")
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "No documents" in terminal.said("add", "bare", str(empty))
    assert "Nothing comes close" in terminal.said("search", "bare", "boats")
    missing = terminal("add", "bare", str(tmp_path / "nowhere"))
    assert isinstance(missing.exception, InvalidInput)
    unknown = terminal("search", "town", "boats")
    assert isinstance(unknown.exception, NotFound)
    assert "bare" in str(unknown.exception)
    assert isinstance(terminal("show", "bare", "1.1").exception, NotFound)


@pytest.mark.requirement("LB-537")
def test_a_search_shows_reference_score_path_and_excerpt(terminal: Terminal) -> None:
    """As a table and as JSON, held to documents if asked."""
    terminal.add()
    table = terminal.said("search", "harbour", "nobody shall stand under a load", "--limit", "3")
    line = next(line for line in table.splitlines() if line.strip().startswith("315.7 "))
    assert "keyword" in line
    assert "vector" in line
    assert "Nobody shall stand under a load." in line
    found = terminal.json("search", "harbour", "load", "--document", "315", "--by", "keyword")
    assert found["hits"]
    assert {hit["paragraph"]["ref"].split(".")[0] for hit in found["hits"]} == {"315"}
    assert found["search_type"] == "keyword"


@pytest.mark.requirement("LB-538")
def test_a_paragraph_is_shown_with_what_it_leads_to(terminal: Terminal) -> None:
    """Its text, its place, and its neighbours with how they are reached."""
    terminal.add()
    shown = terminal.said("show", "harbour", "para. 315.12 (a)")
    assert "72 hours" in shown
    assert "315-cargo-and-dangerous-goods.md" in shown
    assert "belongs_to" in shown
    whole = terminal.json("show", "harbour", "315.12(a)")
    assert whole["paragraph"]["ref"] == "315.12(a)"
    assert whole["neighbours"]


@pytest.mark.requirement("LB-539")
def test_a_citation_is_checked_on_the_command_line(terminal: Terminal) -> None:
    """Supported is exit code 0; not supported and not there are 1, with the reason."""
    terminal.add()
    assert "says so" in terminal.said("verify", "harbour", "315.7", "Nobody stands under a load.")
    wrong = terminal("verify", "harbour", "315.5", "The crane may lift up to 12 tonnes.")
    assert (wrong.exit_code, "does not say so" in wrong.stdout) == (1, True)
    assert "8 tonnes" in wrong.stdout
    absent = terminal("verify", "harbour", "999.1", "Anything.", "--json")
    assert (absent.exit_code, json.loads(absent.stdout)["error_category"]) == (1, "NOT_FOUND")


@pytest.mark.requirement("LB-250")
def test_other_words_are_recognised_on_the_command_line(terminal: Terminal) -> None:
    terminal.add()
    same = terminal.json("verify", "harbour", "315.7", "It is forbidden to stand below a load.")
    assert (same["supports_claim"], same["judged_by"]) == (True, "reader")
    wrong = terminal("verify", "harbour", "315.7", "Everybody may stand under a load.")
    assert (wrong.exit_code, "does not say so" in wrong.stdout) == (1, True)


@pytest.mark.requirement("LB-540")
def test_libraries_are_listed_counted_and_removed(terminal: Terminal) -> None:
    """Removing asks first, and leaves the files where they are."""
    terminal.add()
    assert "Rules of the harbour" in terminal.said("list")
    status = terminal.said("status", "harbour")
    assert "4 standards, 1 guides" in status
    assert terminal("remove", "harbour", input="n\n").exit_code == 1
    assert [each["name"] for each in terminal.json("list")["libraries"]] == ["harbour"]
    assert "Removed harbour" in terminal.said("remove", "harbour", "--yes")
    assert terminal.json("list")["libraries"] == []
    assert (terminal.standards / "guide-for-skippers.md").exists()
