"""`bottega research`, against the real routes in this process."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bottega.errors import InvalidInput
from bottega.research.commands import commands
from tests.reception import Terminal, terminal_at
from tests.research.reception import open_reception

QUESTION = "Which radio channel does the watch listen on?"


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    with terminal_at(tmp_path, open_reception, commands) as terminal:
        yield terminal


def test_a_question_is_enough(terminal: Terminal, tmp_path: Path) -> None:
    """RS-714: what is no command is a question; stages are shown, the answer, and the file."""
    out = tmp_path / "answer.md"
    said = terminal.said(QUESTION, "--depth", "quick", "--yes", "--out", str(out))
    assert "Finding paragraphs" in said
    assert "channel 12" in said
    assert "channel 12" in out.read_text()
    listed = terminal.said("runs")
    assert "verified" in listed
    run_id = next(word for word in listed.split() if word.startswith("run_"))
    assert "channel 12" in terminal.said("answer", run_id)


def test_pauses_are_answered_at_the_terminal(terminal: Terminal) -> None:
    """RS-715: Enter goes on; leaving asks first, and answers what was asked instead."""
    said = terminal.said(QUESTION, "--depth", "quick", input="\n")
    assert "channel 12" in said
    left = "Never mind. How fast may a vessel be inside the breakwater?\nyes\n"
    said = terminal.said(QUESTION, "--depth", "quick", input=left)
    assert "4 knots" in said


def test_the_end_of_input_leaves_the_run_for_later(terminal: Terminal) -> None:
    """RS-716: it stays paused, says how to go on, and does so."""
    said = terminal.said(QUESTION, "--depth", "quick", input="")
    run_id = said.rsplit("resume ", 1)[1].split()[0]
    assert "channel 12" in terminal.said("resume", run_id, input="1\n")


def test_scripts_get_json(terminal: Terminal) -> None:
    """RS-717: nothing else on standard output, and nothing to answer."""
    assert terminal.json(QUESTION, "--depth", "quick")["status"] == "verified"
    assert terminal.json("agents")["agents"]
    assert terminal.json("sources")["sources"]


def test_wrong_words_are_explained(terminal: Terminal) -> None:
    """RS-718: before anything is asked."""
    result = terminal(QUESTION, "--out", "/no/such/folder/answer.md")
    assert isinstance(result.exception, InvalidInput)
    assert "There is no folder" in str(result.exception)
    assert "Cited answers" in terminal.said("--help")


def test_sources_are_shown_and_tried(terminal: Terminal) -> None:
    """RS-719: what works is green, what does not comes with advice and exit code 1."""
    assert "web-search" in terminal.said("sources")
    assert "✓" in terminal.said("test-source", "example")
    assert "on" in terminal.said("enable-source", "example")
    failed = terminal("test-source", "web-search")
    assert failed.exit_code == 1
    assert "→" in failed.stdout
