"""The openspec program from outside: missing, slow, loud or strange. The real one is in
`tests/clients/test_openspec.py`."""

import json
import stat
import sys
from pathlib import Path

import pytest

from bottega.board.openspec.cli import HOW_TO_INSTALL, OpenSpecCli
from bottega.board.openspec.texts import Issue, Level, Validation
from bottega.board.openspec.writer import OpenSpec
from bottega.errors import Conflict, InvalidInput, NotFound, Unavailable
from tests.board.openspec.cases import LOGIN


def program(directory: Path, body: str) -> str:
    """A stand-in for the program, to misbehave as the real one cannot be made to."""
    path = directory / "openspec"
    path.write_text(f"#!{sys.executable} -I\nimport json, os, sys\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@pytest.mark.requirement("BD-125")
async def test_without_the_program_everything_but_applying_works(
    root: Path, project: OpenSpec
) -> None:
    """What is missing is told with the way to get it; the files stay as they are."""
    cli = OpenSpecCli(root, "no-such-program-here")
    assert not cli.available
    assert await cli.version() is None
    assert "npm install -g @fission-ai/openspec" in HOW_TO_INSTALL
    with pytest.raises(Unavailable, match="npm install"):
        await cli.validate("remember-me")
    with pytest.raises(Unavailable, match="npm install"):
        await cli.archive("remember-me")
    cli.close()
    assert (root / "openspec/specs/login/spec.md").read_text() == LOGIN
    assert (await project.tick("remember-me", ["1.2"])).count.done == 2
    assert (await project.validate("remember-me")).valid


@pytest.mark.requirement("BD-126")
async def test_the_program_gets_a_list_of_arguments_and_no_key(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No shell reads the id, telemetry and update checks are off, our keys stay here."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")
    told = "json.dump([sys.argv[1:], dict(os.environ), os.getcwd()], open('told.json', 'w'))"
    verdict = "print(json.dumps({'items': [{'valid': True, 'issues': []}]}))"
    cli = OpenSpecCli(root, program(tmp_path, f"{told}\n{verdict}"))
    odd = "a; touch gone $(touch gone) `touch gone`"
    (root / "openspec/changes" / odd).mkdir()
    assert (await cli.validate(odd)).valid
    arguments, environment, directory = json.loads((root / "told.json").read_text())
    assert arguments == [
        *("validate", odd, "--type", "change", "--json", "--no-interactive", "--strict")
    ]
    assert directory == str(root)
    assert environment["OPENSPEC_TELEMETRY"] == "0"
    assert environment["DO_NOT_TRACK"] == "1"
    assert "OPENSPEC_NO_UPDATE_CHECK" in environment
    assert "secret" not in environment.values()
    with pytest.raises(InvalidInput):
        await cli.validate("--all")


@pytest.mark.requirement("BD-126")
async def test_a_verdict_is_read_from_its_json(root: Path, tmp_path: Path) -> None:
    """Paths as our own validation gives them."""
    issues = [
        {"level": "ERROR", "path": "cap/spec.md", "line": 3, "message": "one"},
        {"level": "WARNING", "path": "tasks.md", "line": 1, "message": "two"},
        {"level": "INFO", "path": "file", "message": "three"},
    ]
    report = json.dumps({"items": [{"id": "a", "valid": False, "issues": issues}]})
    cli = OpenSpecCli(root, program(tmp_path, f"print({report!r}); sys.exit(1)"))
    assert await cli.validate("remember-me") == Validation(
        False,
        (
            Issue(Level.ERROR, "specs/cap/spec.md", 3, "one"),
            Issue(Level.WARNING, "tasks.md", 1, "two"),
            Issue(Level.INFO, "", None, "three"),
        ),
    )


@pytest.mark.requirement("BD-126")
@pytest.mark.parametrize(
    ("body", "kind", "words"),
    [
        ("import time; time.sleep(600)", Unavailable, "within 0.5 seconds"),
        ("sys.stdout.write('x' * 5_000_000)", Unavailable, "more than"),
        ("print('not json'); sys.stderr.write('it broke'); sys.exit(3)", Unavailable, "it broke"),
        ("print('[]')", Unavailable, "no verdict"),
        (
            "print(json.dumps({'status': [{'code': 'x', 'message': 'Unknown item'}]}))",
            NotFound,
            "Unknown item",
        ),
    ],
)
async def test_a_program_that_misbehaves_is_stopped_and_quoted(
    body: str, kind: type[Exception], words: str, root: Path, tmp_path: Path
) -> None:
    """Neither its slowness nor its noise is ours."""
    cli = OpenSpecCli(root, program(tmp_path, body), patience=0.5 if "sleep" in body else 30)
    with pytest.raises(kind, match=words):
        await cli.validate("remember-me")


@pytest.mark.requirement("BD-126")
async def test_a_program_that_says_it_archived_but_did_not_is_not_believed(
    root: Path, project: OpenSpec, tmp_path: Path
) -> None:
    """The directory is looked for."""
    cli = OpenSpecCli(root, program(tmp_path, "print('archived')"))
    with pytest.raises(Conflict, match="It says: archived"):
        await cli.archive("remember-me")
    cli.close()
    assert [change.id for change in await project.changes()] == ["remember-me"]


@pytest.mark.requirement("BD-126")
async def test_a_program_that_cannot_start_is_explained(root: Path, tmp_path: Path) -> None:
    """Such as one whose interpreter is missing."""
    path = Path(program(tmp_path, ""))
    path.write_text("#!/no/such/interpreter\n")
    with pytest.raises(Unavailable, match="could not be started"):
        await OpenSpecCli(root, str(path)).validate("remember-me")
