"""`bottega board`, against the whole app in this process."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from bottega.board.commands import commands
from bottega.cli.connection import Client, connect
from bottega.errors import Conflict, InvalidInput, NotFound, Unavailable
from bottega.settings import Settings
from tests.board.builders import BAKERY, write_project
from tests.board.failures.reports import reporter_report
from tests.board.project_board import ID, failing, passing

BOARD = "/api/board"


class Terminal:
    def __init__(self, client: Client, root: Path) -> None:
        self.client = client
        self.root = root

    def __call__(self, *words: str, typed: str | None = None) -> Result:
        runner = CliRunner(env={"COLUMNS": "200"})
        return runner.invoke(commands, list(words), obj=self.client, input=typed)

    def said(self, *words: str, typed: str | None = None) -> str:
        result = self(*words, typed=typed)
        assert result.exit_code == 0, (result.output, result.exception)
        return re.sub(r"\s+", " ", result.stdout)

    def json(self, *words: str) -> Any:
        return json.loads(self(*words, "--json").stdout)

    def report(self, *tests: list[dict[str, Any]], name: str = "report.json") -> str:
        """Import a report; what was said."""
        file = self.root / name
        file.write_bytes(reporter_report(*(test for some in tests for test in some)))
        return self.said("import", str(file))

    def agent(self) -> str:
        [project] = self.client.get("/api/projects")["projects"]
        asked = {"project_id": project["id"]}
        return str(self.client.post(f"{BOARD}/sessions", json=asked)["id"])

    def to_review(self) -> None:
        """The discounts, by an agent's hands."""
        self.said("approve", ID)
        session = self.agent()
        work = self.client.post(f"{BOARD}/queue/next", json={"session_id": session})["work"]
        lease = {"session_id": session, "lease_token": work["lease_token"]}
        done = {**lease, "result": "Done."}
        self.client.post(f"{BOARD}/work/{ID}/complete", json=done)


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    write_project(tmp_path / "projects/bakery", BAKERY)
    (tmp_path / "own").mkdir()
    monkeypatch.setenv("PATH", "")  # no OpenSpec program
    settings = Settings(
        data_dir=tmp_path / "data",
        project_dir=tmp_path / "own",
        projects_dir=tmp_path / "projects",
        bottega_model="offline",
        _env_file=None,
    )
    with connect(settings) as client:
        client.get(f"{BOARD}/changes")
        yield Terminal(client, tmp_path)


@pytest.mark.requirement("BD-653")
def test_work_is_listed_and_shown(terminal: Terminal) -> None:
    """Changes and failures; a project by name; an empty list says what to do."""
    assert "bottega board import" in terminal.said("list", "--only", "errors")
    terminal.report(failing("adds up"))
    table = terminal.said("list", "--project", "bakery")
    assert all(word in table for word in (ID, "Add discounts", "proposing", "0/3", "adds up"))
    found = terminal.json("list", "--only", "specs", "--status", "proposing")
    assert [item["id"] for item in found["items"]] == [ID]
    assert "1 more" in terminal.said("list", "--limit", "1")
    assert isinstance(terminal("list", "--project", "nowhere").exception, NotFound)
    shown = terminal.said("show", ID, "--project", str(terminal.root / "projects/bakery"))
    assert "Regular customers ask" in shown
    assert "Read the discount from the price list" in shown
    assert "by system Found in openspec/changes/add-discounts." in shown
    [failure] = terminal.json("list", "--only", "errors")["items"]
    shown = terminal.said("show", failure["id"])
    assert "● seen 1 ×" in shown
    assert "needs_spec, say the rules" in shown
    assert isinstance(terminal("show", "no-such-change").exception, NotFound)


@pytest.mark.requirement("BD-654")
def test_a_change_passes_the_gates_in_their_order(terminal: Terminal) -> None:
    """A decision too early says where the change is; archiving says what it lacks."""
    assert isinstance(terminal("apply", ID).exception, Conflict)
    terminal.to_review()
    assert f"{ID} is applied" in terminal.said("apply", ID, "--note", "Seen in the shop.")
    history = terminal.json("show", ID)["history"]["transitions"]
    assert history[-1]["notes"] == "Seen in the shop."
    refused = terminal("archive", ID).exception
    assert isinstance(refused, Unavailable)
    assert "OpenSpec program" in refused.message


@pytest.mark.requirement("BD-655")
def test_approving_shows_what_is_not_valid_yet(terminal: Terminal) -> None:
    """Each problem on a line, and nothing approved."""
    proposal = terminal.root / f"projects/bakery/openspec/changes/{ID}/specs/orders/spec.md"
    proposal.write_text(proposal.read_text().replace("SHALL", "does"))
    result = terminal("approve", ID, "--priority", "5")
    assert result.exit_code == 1
    assert "is not valid yet" in result.stdout
    assert re.search(r"WARNING specs/orders/spec\.md:3: .*SHALL", result.stdout)
    assert terminal.json("show", ID)["change"]["status"] == "proposing"
    proposal.write_text(proposal.read_text().replace("shop does", "shop SHALL"))
    assert f"{ID} is approved" in terminal.said("approve", ID, "--priority", "5")
    assert terminal.json("show", ID)["change"]["priority"] == 5


@pytest.mark.requirement("BD-656")
def test_rejecting_asks_for_a_reason(terminal: Terminal) -> None:
    """By --reason, or at the prompt."""
    terminal.report(failing("adds up"))
    assert "Proposed fix-adds-up" in terminal.report(failing("adds up"))
    [change] = terminal.json("list", "--search", "fix adds up", "--only", "specs")["items"]
    assert "is archived" in terminal.said("reject", change["id"], "--reason", "It is meant so.")
    assert "is archived" in terminal.said("reject", ID, typed="Too early.\n")
    assert terminal.json("show", ID)["change"]["rejection_reason"] == "Too early."
    assert "Proposed" not in terminal.report(failing("adds up"))


@pytest.mark.requirement("BD-657")
def test_the_queue_is_shown_and_claimed_from(terminal: Terminal) -> None:
    """What is next, for whom it is, who is at work; nothing is said plainly."""
    assert "The queue is empty" in terminal.said("next")
    assert "No agent is at work" in terminal.said("sessions")
    terminal.said("approve", ID)
    assert f"{ID} Add discounts ready" in terminal.said("next", "--project", "bakery")
    session = terminal.agent()
    assert f"Claimed {ID} with lease token 1" in terminal.said("next", "--session", session)
    assert f"with {session}" in terminal.said("next")
    shown = terminal.said("sessions")
    assert f"{session} worker active {ID}" in shown
    other = terminal.agent()
    assert "No work now" in terminal.said("next", "--session", other)
    terminal.client.post(f"{BOARD}/sessions/{other}/end")
    assert other not in terminal.said("sessions")
    assert other in terminal.said("sessions", "--all")


@pytest.mark.requirement("BD-658")
def test_an_agents_question_is_answered(terminal: Terminal) -> None:
    """Listed with its options; answered by number or in own words, once."""
    assert "No agent has a question" in terminal.said("answer")
    session = terminal.agent()

    def ask(question: str) -> str:
        asked = {"session_id": session, "question": question, "options": ["Wait", "Go on"]}
        return str(terminal.client.post(f"{BOARD}/clarifications", json=asked)["id"])

    first = ask("May the prices move?")
    listed = terminal.said("answer")
    assert f"May the prices move? waits for you 1. Wait 2. Go on {first}" in listed
    assert terminal.json("answer", first, "2")["answer"] == "Go on"
    second = ask("All of them?")
    assert "Answered Only the rolls." in terminal.said("answer", second, typed="Only the rolls.\n")
    assert isinstance(terminal("answer", first, "1").exception, Conflict)


@pytest.mark.requirement("BD-659")
def test_reports_are_imported_and_told(terminal: Terminal) -> None:
    """Several files at once; one that is no report costs the others nothing."""
    said = terminal.report(failing("adds up"), passing("subtracts"))
    assert "2 tests: 1 passed, 1 failed, 0 flaky, 0 skipped; 1 new failures." in said
    assert "1 wait whether they happen again" in said
    assert "Green again adds up" in terminal.report(passing("adds up"))
    junit = terminal.root / "junit.xml"
    junit.write_text('<testsuite><testcase classname="a.b" name="c"/></testsuite>')
    broken = terminal.root / "notes.txt"
    broken.write_text("no report")
    result = terminal("import", str(broken), str(junit), "--project", "bakery")
    assert result.exit_code == 1
    assert "This is no test report" in result.stdout
    assert re.search(r"junit\.xml\s+1 tests: 1 passed", result.stdout)
    assert terminal("import", str(terminal.root / "missing.json")).exit_code == 2
    write_project(terminal.root / "projects/garage", BAKERY)
    terminal.client.post("/api/projects/scan")
    undecided = terminal("import", str(junit)).exception
    assert isinstance(undecided, InvalidInput)
    assert "bakery, garage" in undecided.message


@pytest.mark.requirement("BD-659")
def test_the_current_directory_says_which_project_is_meant(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An import from inside a project needs no option."""
    write_project(terminal.root / "projects/garage", BAKERY)
    terminal.client.post("/api/projects/scan")
    monkeypatch.chdir(terminal.root / "projects/garage/openspec")
    junit = terminal.root / "junit.xml"
    junit.write_text('<testsuite><testcase classname="a.b" name="c"/></testsuite>')
    assert terminal.json("import", str(junit))["project"] == "garage"
