"""`bottega assist`, against the real routes in this process."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from bottega.assistant.commands import assist, commands, evaluate
from bottega.errors import InvalidInput, NotFound
from tests.app import Terminal, open_terminal
from tests.assistant.builders import open_assistant

CREATE = "lesson-planning:create-lesson"
LOOPS = "a lesson on loops for 2C"


def cli() -> typer.Typer:
    cli = typer.Typer()
    cli.command("assist")(assist)
    cli.command("eval")(evaluate)
    cli.add_typer(commands, name="assistant")
    return cli


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    with open_terminal(open_assistant(tmp_path), cli()) as terminal:
        yield terminal


@pytest.mark.requirement("AS-712")
def test_what_can_be_called_is_listed(terminal: Terminal) -> None:
    """`--list` names every command with what it does."""
    assert CREATE in terminal.said("assist", "--list")
    assert "No sessions yet" in terminal.said("assist", "--sessions")


@pytest.mark.requirement("AS-713")
def test_gates_are_answered_at_the_terminal(terminal: Terminal) -> None:
    """Enter is the default, a line is an answer, and what cannot be one is asked again."""
    lines = "there are three EAL pupils now\n" + "99\n" + "\n" * 8
    said = terminal.said("assist", CREATE, LOOPS, input=lines)
    assert "Starter" in said
    assert "written lessons/2C/" in said
    assert "2C" in terminal.said("assist", "--sessions", "--plugin", "lesson-planning")
    assert "loops" in terminal.said("assistant", "search", "loops", "--class", "2C")


@pytest.mark.requirement("AS-714")
def test_the_end_of_input_leaves_the_turn_for_later(terminal: Terminal) -> None:
    """It stays paused and says how to go on; `--resume` does."""
    said = terminal.said("assist", CREATE, LOOPS, input="")
    session = said.rsplit("--resume ", 1)[1].split()[0]
    assert "Starter" in terminal.said("assist", "--resume", session, "--yes")
    shown = terminal.said("assistant", "show", session)
    assert "feedforward" in shown
    again = terminal.said("assist", "--resume", session, "make the starter shorter", "--yes")
    assert "Starter" in again


@pytest.mark.requirement("AS-715")
def test_a_dry_run_prints_the_prompt(terminal: Terminal) -> None:
    """With the tokens of every section, and no session."""
    said = terminal.said("assist", CREATE, LOOPS, "--dry-run", "--no-memory")
    assert "<identity>" in said
    assert "tokens" in said
    assert terminal.json("assist", "--sessions") == {"sessions": []}


@pytest.mark.requirement("AS-716")
def test_scripts_get_json_and_files(terminal: Terminal, tmp_path: Path) -> None:
    """A turn as JSON, the workspace's files, an export as CSV."""
    turn = terminal.json("assist", CREATE, LOOPS)
    assert turn["result"]["status"] == "success"
    assert "soul.md" in terminal.json("assistant", "files", "lesson-planning")["files"]
    out = tmp_path / "turns.csv"
    assert "1 rows" in terminal.said("assistant", "export", str(out))
    assert out.read_text().count("\n") == 2


@pytest.mark.requirement("AS-717")
def test_wrong_words_are_explained(terminal: Terminal, tmp_path: Path) -> None:
    """A missing command, an unknown one, a file of the wrong kind."""
    assert isinstance(terminal("assist").exception, InvalidInput)
    assert isinstance(terminal("assist", "lesson-planning:nothing", "x").exception, NotFound)
    wrong = terminal("assistant", "export", str(tmp_path / "turns.xlsx"))
    assert isinstance(wrong.exception, InvalidInput)


@pytest.mark.requirement("AS-718")
def test_evals_are_run_and_written(terminal: Terminal, tmp_path: Path) -> None:
    """`bottega eval` prints a report and can write it."""
    out = tmp_path / "report.md"
    said = terminal.said("eval", "--cases", "computing-iteration", "--out", str(out))
    assert "score" in said
    assert "computing-iteration" in out.read_text()
