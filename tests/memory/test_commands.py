"""`bottega memory`, against the real routes in this process."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner, Result

from bottega.cli.connection import Client
from bottega.core.readers.embedder import Embedder
from bottega.errors import NotFound
from bottega.memory.commands import commands
from tests.memory.builders import MemoryApp, api_of, open_memory


class Terminal:
    def __init__(self, client: Client) -> None:
        self._client = client

    def __call__(self, *words: str, input: str | None = None) -> Result:
        return CliRunner(env={"COLUMNS": "200", "TERM": "xterm"}).invoke(
            commands, list(words), obj=self._client, input=input
        )

    def json(self, *words: str) -> Any:
        result = self(*words, "--json")
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)


@pytest.fixture
def terminal(database_url: str, embedder: Embedder) -> Iterator[Terminal]:
    with asyncio.Runner() as runner:
        opening = open_memory(database_url, embedder)
        app: MemoryApp = runner.run(opening.__aenter__())
        transport = httpx.ASGITransport(app=api_of(app))
        http = httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1")

        def request(method: str, path: str, **options: Any) -> httpx.Response:
            return runner.run(http.request(method, path, **options))

        yield Terminal(Client(request))
        runner.run(http.aclose())
        runner.run(opening.__aexit__(None, None, None))


def test_a_memory_is_added_listed_and_shown(terminal: Terminal) -> None:
    added = terminal.json("add", "Deploys happen on [Thursdays]", "--tag", "ops", "--project", "p")
    assert (added["tags"], added["project"]) == (["ops"], "p")
    listed = terminal("list").stdout
    assert added["id"] in listed
    assert "Deploys happen on [Thursdays]" in listed
    shown = terminal("show", added["id"]).stdout
    assert "Deploys happen on [Thursdays]" in shown
    assert "ops" in shown


def test_adding_says_how_to_undo(terminal: Terminal) -> None:
    output = terminal("add", "Deploys happen on Thursdays").stdout
    [memory] = terminal.json("list")["items"]
    assert f"bottega memory forget {memory['id']}" in output


def test_an_empty_list_says_how_memories_come_about(terminal: Terminal) -> None:
    assert "bottega memory add" in terminal("list").stdout


def test_search_finds_by_meaning_and_says_when_nothing_is_close(terminal: Terminal) -> None:
    terminal("add", "Deploys happen on Thursdays", "--importance", "high")
    found = terminal("search", "when do deploys happen").stdout
    assert "Deploys happen on Thursdays" in found
    assert "high" in found
    assert "Try other words" in terminal("search", "banana bread recipe").stdout


def test_search_says_what_the_budget_left_out(terminal: Terminal) -> None:
    for n in range(3):
        terminal("add", f"Deploys happen on day {n}")
    found = terminal.json("search", "deploys happen", "--budget", "20")
    assert (len(found["items"]), found["left_out"]) == (1, 2)
    assert "raise --budget" in terminal("search", "deploys happen", "--budget", "20").stdout


def test_a_memory_is_edited_by_options_or_by_asking(terminal: Terminal) -> None:
    memory = terminal.json("add", "Deploys happen on Thursdays")
    edited = terminal.json("edit", memory["id"], "--importance", "low", "--tag", "ops")
    assert (edited["importance"], edited["tags"]) == ("low", ["ops"])
    terminal("edit", memory["id"], input="Deploys happen on Mondays\n")
    edited = terminal.json("show", memory["id"])
    assert edited["content"] == "Deploys happen on Mondays"
    assert edited["importance"] == "low"


def test_forgetting_says_how_to_undo_and_the_undo_works(terminal: Terminal) -> None:
    memory = terminal.json("add", "Deploys happen on Thursdays")
    output = terminal("forget", memory["id"]).stdout
    assert f"bottega memory restore {memory['id']}" in output
    assert terminal.json("list")["items"] == []
    assert memory["id"] in terminal("list", "--forgotten").stdout
    assert "Restored" in terminal("restore", memory["id"]).stdout
    assert [item["id"] for item in terminal.json("list")["items"]] == [memory["id"]]


def test_forgetting_for_ever_says_that_there_is_no_way_back(terminal: Terminal) -> None:
    memory = terminal.json("add", "Deploys happen on Thursdays")
    assert "no way back" in terminal("forget", memory["id"], "--forever").stdout
    assert isinstance(terminal("show", memory["id"]).exception, NotFound)


def test_a_long_list_says_how_to_go_on(terminal: Terminal) -> None:
    for n in range(3):
        terminal("add", f"number {n}")
    first = terminal.json("list", "--limit", "2")
    assert f"--after {first['next']}" in terminal("list", "--limit", "2").stdout
    rest = terminal.json("list", "--after", first["next"])
    assert [item["content"] for item in rest["items"]] == ["number 0"]


def test_an_id_with_a_slash_asks_for_a_memory_of_that_name(terminal: Terminal) -> None:
    assert isinstance(terminal("show", "../sessions").exception, NotFound)
