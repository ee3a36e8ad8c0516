"""`bottega assist`, against the real routes in this process."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from bottega.assistant.commands import assist, commands, evaluate
from bottega.errors import InvalidInput, NotFound
from tests.assistant.reception import open_reception
from tests.reception import Terminal, terminal_at

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
    with terminal_at(tmp_path, open_reception, cli()) as terminal:
        yield terminal


def test_what_can_be_called_is_listed(terminal: Terminal) -> None:
    """AS-712: `--list` names every command with what it does."""
    assert CREATE in terminal.said("assist", "--list")
    assert "No sessions yet" in terminal.said("assist", "--sessions")


def test_gates_are_answered_at_the_terminal(terminal: Terminal) -> None:
    """AS-713: Enter is the default, a line is an answer, and what cannot be one is asked again."""
    lines = "there are three EAL pupils now\n" + "99\n" + "\n" * 8
    said = terminal.said("assist", CREATE, LOOPS, input=lines)
    assert "Starter" in said
    assert "written lessons/2C/" in said
    assert "2C" in terminal.said("assist", "--sessions", "--plugin", "lesson-planning")
    assert "loops" in terminal.said("assistant", "search", "loops", "--class", "2C")


def test_the_end_of_input_leaves_the_turn_for_later(terminal: Terminal) -> None:
    """AS-714: it stays paused and says how to go on; `--resume` does."""
    said = terminal.said("assist", CREATE, LOOPS, input="")
    session = said.rsplit("--resume ", 1)[1].split()[0]
    assert "Starter" in terminal.said("assist", "--resume", session, "--yes")
    shown = terminal.said("assistant", "show", session)
    assert "feedforward" in shown
    again = terminal.said("assist", "--resume", session, "make the starter shorter", "--yes")
    assert "Starter" in again


def test_a_dry_run_prints_the_prompt(terminal: Terminal) -> None:
    """AS-715: with the tokens of every section, and no session."""
    said = terminal.said("assist", CREATE, LOOPS, "--dry-run", "--no-memory")
    assert "<identity>" in said
    assert "tokens" in said
    assert terminal.json("assist", "--sessions") == {"sessions": []}


def test_scripts_get_json_and_files(terminal: Terminal, tmp_path: Path) -> None:
    """AS-716: a turn as JSON, the workspace's files, an export as CSV."""
    turn = terminal.json("assist", CREATE, LOOPS)
    assert turn["result"]["status"] == "success"
    assert "soul.md" in terminal.json("assistant", "files", "lesson-planning")["files"]
    out = tmp_path / "turns.csv"
    assert "1 rows" in terminal.said("assistant", "export", str(out))
    assert out.read_text().count("\n") == 2


def test_wrong_words_are_explained(terminal: Terminal, tmp_path: Path) -> None:
    """AS-717: a missing command, an unknown one, a file of the wrong kind."""
    assert isinstance(terminal("assist").exception, InvalidInput)
    assert isinstance(terminal("assist", "lesson-planning:nothing", "x").exception, NotFound)
    wrong = terminal("assistant", "export", str(tmp_path / "turns.xlsx"))
    assert isinstance(wrong.exception, InvalidInput)


def test_evals_are_run_and_written(terminal: Terminal, tmp_path: Path) -> None:
    """AS-718: `bottega eval` prints a report and can write it."""
    out = tmp_path / "report.md"
    said = terminal.said("eval", "--cases", "computing-iteration", "--out", str(out))
    assert "score" in said
    assert "computing-iteration" in out.read_text()
