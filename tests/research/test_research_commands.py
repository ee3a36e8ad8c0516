"""`bottega research`, against the real routes in this process."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bottega.errors import InvalidInput
from bottega.research.commands import commands
from tests.app import Terminal, open_terminal
from tests.research.builders import open_research_rooms

QUESTION = "Which radio channel does the watch listen on?"


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    with open_terminal(open_research_rooms(tmp_path), commands) as terminal:
        yield terminal


@pytest.mark.requirement("RS-714")
def test_a_question_is_enough(terminal: Terminal, tmp_path: Path) -> None:
    """What is no command is a question; stages are shown, the answer, and the file."""
    out = tmp_path / "answer.md"
    said = terminal.said(QUESTION, "--depth", "quick", "--yes", "--out", str(out))
    assert "Finding paragraphs" in said
    assert "channel 12" in said
    assert "channel 12" in out.read_text()
    listed = terminal.said("runs")
    assert "verified" in listed
    run_id = next(word for word in listed.split() if word.startswith("run_"))
    assert "channel 12" in terminal.said("answer", run_id)


@pytest.mark.requirement("RS-715")
def test_pauses_are_answered_at_the_terminal(terminal: Terminal) -> None:
    """Enter goes on; leaving asks first, and answers what was asked instead."""
    said = terminal.said(QUESTION, "--depth", "quick", input="\n")
    assert "channel 12" in said
    left = "Never mind. How fast may a vessel be inside the breakwater?\nyes\n"
    said = terminal.said(QUESTION, "--depth", "quick", input=left)
    assert "4 knots" in said


@pytest.mark.requirement("RS-716")
def test_the_end_of_input_leaves_the_run_for_later(terminal: Terminal) -> None:
    """It stays paused, says how to go on, and does so."""
    said = terminal.said(QUESTION, "--depth", "quick", input="")
    run_id = said.rsplit("resume ", 1)[1].split()[0]
    assert "channel 12" in terminal.said("resume", run_id, input="1\n")


@pytest.mark.requirement("RS-717")
def test_scripts_get_json(terminal: Terminal) -> None:
    """Nothing else on standard output, and nothing to answer."""
    question = "How long may a shift of the watch last?"
    assert terminal.json(question, "--depth", "quick")["status"] == "verified"
    assert terminal.json("agents")["agents"]
    assert terminal.json("sources")["sources"]


@pytest.mark.requirement("RS-718")
def test_wrong_words_are_explained(terminal: Terminal) -> None:
    """Before anything is asked."""
    result = terminal(QUESTION, "--out", "/no/such/folder/answer.md")
    assert isinstance(result.exception, InvalidInput)
    assert "There is no folder" in str(result.exception)
    assert "Cited answers" in terminal.said("--help")


@pytest.mark.requirement("RS-719")
def test_sources_are_shown_and_tried(terminal: Terminal) -> None:
    """What works is green, what does not comes with advice and exit code 1."""
    assert "web-search" in terminal.said("sources")
    assert "✓" in terminal.said("test-source", "example")
    assert "on" in terminal.said("enable-source", "example")
    failed = terminal("test-source", "web-search")
    assert failed.exit_code == 1
    assert "→" in failed.stdout
