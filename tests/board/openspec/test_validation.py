"""Our own verdicts, where the CLI is not installed."""

from pathlib import Path

import pytest

from bottega.board.openspec.texts import Level
from bottega.board.openspec.validation import validate_spec
from bottega.board.openspec.writer import OpenSpec
from tests.board.openspec.cases import CHANGES, LOGIN, SPECS, added, block, write


@pytest.mark.requirement("BD-120")
@pytest.mark.parametrize("name", CHANGES)
async def test_a_change_is_judged_as_the_cli_judges_it(name: str, tmp_path: Path) -> None:
    """The table holds what the CLI says; every refusal gives a reason and a place."""
    valid, files = CHANGES[name]
    write(tmp_path / "openspec/changes" / name, files)
    write(tmp_path / "openspec/specs/login", {"spec.md": LOGIN})
    project = OpenSpec(tmp_path)
    found = await project.validate(name)
    assert found.valid is valid, found.issues
    fatal = [issue for issue in found.issues if issue.level is not Level.INFO]
    assert bool(fatal) is not valid
    assert all(issue.message for issue in fatal)
    assert all((tmp_path / "openspec/changes" / name / issue.path).exists() for issue in fatal)


@pytest.mark.requirement("BD-131")
@pytest.mark.parametrize("name", SPECS)
async def test_a_spec_is_judged_as_the_cli_judges_it(name: str, tmp_path: Path) -> None:
    """Likewise."""
    valid, files = SPECS[name]
    write(tmp_path / "openspec/specs" / name, files)
    found = validate_spec(await OpenSpec(tmp_path).spec(name))
    assert found.valid is valid, found.issues


@pytest.mark.requirement("BD-120")
async def test_an_issue_names_the_line(tmp_path: Path) -> None:
    """So that an editor can show it where it is."""
    text = added(block("Fine"), block("Poor", "It does.\n"))
    write(tmp_path / "openspec/changes/a", {"specs/cap/spec.md": text})
    found = await OpenSpec(tmp_path).validate("a")
    line = text.split("\n").index("### Requirement: Poor") + 1
    assert {(issue.level, issue.path, issue.line) for issue in found.issues} == {
        (Level.WARNING, "specs/cap/spec.md", line),
        (Level.ERROR, "specs/cap/spec.md", line),
    }


@pytest.mark.requirement("BD-120")
async def test_a_warning_fails_a_strict_validation_only(tmp_path: Path) -> None:
    """As with the CLI's --strict."""
    text = added(block("X", "It does.\n\n#### Scenario: S\n- a\n"))
    write(tmp_path / "openspec/changes/a", {"specs/cap/spec.md": text})
    project = OpenSpec(tmp_path)
    assert not (await project.validate("a")).valid
    assert (await project.validate("a", strict=False)).valid


@pytest.mark.requirement("BD-120")
async def test_task_rules_hold_only_where_the_schema_is_known(tmp_path: Path) -> None:
    """A project with a workflow of its own may write its tasks as it likes."""
    write(
        tmp_path / "openspec/changes/a",
        {"specs/cap/spec.md": added(), "tasks.md": "- no box\n"},
    )
    project = OpenSpec(tmp_path)
    assert not (await project.validate("a")).valid
    write(tmp_path / "openspec", {"config.yaml": "context: |\n  schema: no\nschema: own-way\n"})
    assert (await project.change("a")).schema == "own-way"
    assert (await project.validate("a")).valid
