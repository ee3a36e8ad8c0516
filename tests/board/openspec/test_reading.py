"""Reading a project's OpenSpec directory, in whatever state it is."""

import os
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from bottega.board.openspec.reader import MAX_FILE_BYTES, ChangeOnDisk, OpenSpecReader
from bottega.board.openspec.tasks import TaskCount
from bottega.board.openspec.writer import OpenSpec
from bottega.errors import BottegaError, Conflict, InvalidInput, NotFound
from tests.board.openspec.cases import LOGIN, added, write

CHANGE = "openspec/changes/remember-me"


def everything(root: Path) -> dict[str, bytes]:
    files = [path for path in root.rglob("*") if path.is_file() and not path.is_symlink()]
    return {str(path): path.read_bytes() for path in files}


def complaints(change: ChangeOnDisk) -> list[tuple[str, int | None]]:
    return [(problem.path.removeprefix(f"{CHANGE}/"), problem.line) for problem in change.problems]


@pytest.mark.requirement("BD-101")
async def test_changes_are_listed_with_what_a_list_needs(root: Path, project: OpenSpec) -> None:
    """Id, title, task counts, the newest file's time, design, problems."""
    (root / "openspec/changes/archive/2026-01-02-done").mkdir(parents=True)
    (root / "openspec/changes/.hidden").mkdir()
    (root / "openspec/changes/bare-idea").mkdir()
    newest = datetime(2031, 5, 6, 7, 8, 9, tzinfo=UTC)
    os.utime(root / CHANGE / "tasks.md", (0, newest.timestamp()))
    bare, remember = await project.changes()
    assert (remember.id, remember.title) == ("remember-me", "Remember me")
    assert remember.count == TaskCount(done=1, total=4)
    assert remember.modified_at == newest
    assert remember.design is not None
    assert not remember.archived
    assert remember.problems == ()
    assert (bare.id, bare.title, bare.design) == ("bare-idea", "Bare idea", None)
    assert [problem.path.rpartition("/")[2] for problem in bare.problems] == [
        "proposal.md",
        "tasks.md",
    ]


@pytest.mark.requirement("BD-102")
async def test_a_change_is_read_whole(project: OpenSpec) -> None:
    """Every file, the metadata as values, the deltas by capability."""
    change = await project.change("remember-me")
    assert change.directory == CHANGE
    assert change.proposal is not None
    assert "too often" in change.proposal.text
    assert change.design is not None
    assert change.design.text == "# Design\n"
    assert [task.id for task in change.tasks] == ["1.1", "1.2", "1.2.1", "2.1"]
    assert change.metadata is not None
    assert (change.metadata.schema_, change.metadata.created) == ("spec-driven", "2026-11-02")
    assert [(file.capability, file.delta.size) for file in change.deltas] == [("login", 2)]


@pytest.mark.requirement("BD-101")
@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("# Change: Add a door", "Add a door"),
        ("# Proposal: Add a door", "Add a door"),
        ("# Proposal", "Remember me"),
        ("no heading", "Remember me"),
        ("# Change the lock", "Change the lock"),
    ],
)
async def test_a_title_is_the_proposals_own_or_the_id_in_words(
    heading: str, title: str, root: Path, project: OpenSpec
) -> None:
    """The CLI's template calls every proposal Proposal, which is no title."""
    (root / CHANGE / "proposal.md").write_text(f"{heading}\n\n## Why\n")
    assert (await project.change("remember-me")).title == title


@pytest.mark.requirement("BD-103")
async def test_a_spec_is_read_with_its_requirements(root: Path, project: OpenSpec) -> None:
    """Purpose, requirements, scenarios, and the lines they stand on; areas nest."""
    write(root / "openspec/specs/area/inner", {"spec.md": "broken"})
    specs = await project.specs()
    assert [spec.id for spec in specs] == ["area/inner", "login"]
    login = await project.spec("login")
    assert login.title == "login"
    assert login.purpose.startswith("How people prove")
    assert [(block.name, len(block.scenarios)) for block in login.requirements] == [
        ("Sign in", 2),
        ("Sign out", 1),
    ]
    lines = LOGIN.split("\n")
    sign_in = login.requirements[0]
    assert lines[sign_in.line - 1] == "### Requirement: Sign in"
    assert lines[sign_in.end_line - 1] == "- **THEN** the person stays out"
    assert sign_in.text == "The system SHALL let a known person in."
    wrong = sign_in.scenarios[1]
    assert lines[wrong.line - 1] == "#### Scenario: Wrong password"
    assert wrong.text == "- **WHEN** the password is wrong\n- **THEN** the person stays out"
    assert (await project.spec("area/inner")).requirements == ()
    with pytest.raises(NotFound, match="'nothing'"):
        await project.spec("nothing")


@pytest.mark.requirement("BD-104")
async def test_archived_changes_keep_their_ids(root: Path, project: OpenSpec) -> None:
    """Newest first; one id archived twice is two; the last answers to the id."""
    archive = root / "openspec/changes/archive"
    for name in ("2025-12-31-add-login", "2026-02-03-add-login", "2026-01-01-other", "undated"):
        write(archive / name, {"proposal.md": f"# {name}\n", "tasks.md": "- [x] a\n"})
    found = [(change.id, change.archived_on) for change in await project.archived()]
    assert found == [
        ("undated", None),
        ("add-login", date(2026, 2, 3)),
        ("other", date(2026, 1, 1)),
        ("add-login", date(2025, 12, 31)),
    ]
    assert (await project.change("add-login")).title == "2026-02-03-add-login"
    assert (await project.change("2025-12-31-add-login")).title == "2025-12-31-add-login"
    assert (await project.change("add-login")).archived
    assert [change.id for change in await project.changes()] == ["remember-me"]


@pytest.mark.requirement("BD-105")
@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("proposal.md", b"\xff\xfe\x00\xd8", ("proposal.md", None)),
        ("proposal.md", b"# Caf\xe9\n", ("proposal.md", None)),
        ("proposal.md", "# Big\n".encode("utf-16"), ("proposal.md", None)),
        ("tasks.md", b"- [ ] a\0b", ("tasks.md", None)),
        ("tasks.md", b"x" * (MAX_FILE_BYTES + 1), ("tasks.md", None)),
        ("tasks.md", b"- [ ] a\n```\n- [ ] b\n", ("tasks.md", 2)),
        ("specs/login/spec.md", b"\0", ("specs/login/spec.md", None)),
        (".openspec.yaml", b"schema: x\nother: [\n", (".openspec.yaml", 3)),
        (".openspec.yaml", b"goal: 3\n", (".openspec.yaml", None)),
        (".openspec.yaml", b"- a list\n", (".openspec.yaml", None)),
        (".openspec.yaml", b"a: " + b"[" * 5_000, (".openspec.yaml", None)),
    ],
)
async def test_a_file_that_cannot_be_used_is_told_and_left_alone(
    name: str,
    content: bytes,
    complaint: tuple[str, int | None],
    root: Path,
    project: OpenSpec,
) -> None:
    """The change is still listed, with the file, the line where there is one, and why."""
    (root / CHANGE / name).write_bytes(content)
    before = everything(root)
    change = await project.change("remember-me")
    assert complaint in complaints(change)
    assert all(problem.message for problem in change.problems)
    assert [summary.id for summary in await project.changes()] == ["remember-me"]
    assert everything(root) == before


@pytest.mark.requirement("BD-105")
async def test_missing_files_are_told(root: Path, project: OpenSpec) -> None:
    """A change is its directory, whatever is in it."""
    for name in ("proposal.md", "tasks.md", "design.md", ".openspec.yaml"):
        (root / CHANGE / name).unlink()
    change = await project.change("remember-me")
    assert complaints(change) == [("proposal.md", None), ("tasks.md", None)]
    assert change.design is None
    assert change.metadata is None
    assert change.schema == "spec-driven"


@pytest.mark.requirement("BD-105")
@pytest.mark.parametrize("end", ["\r\n", "\r"])
async def test_other_line_ends_tabs_and_a_byte_order_mark_are_no_problem(
    end: str, root: Path, project: OpenSpec
) -> None:
    """Windows and old editors write the same change."""
    for name in ("proposal.md", "tasks.md", "specs/login/spec.md", ".openspec.yaml"):
        path = root / CHANGE / name
        text = "\ufeff" + path.read_text().replace("  - [", "\t- [").replace("\n", end)
        path.write_bytes(text.encode())
    change = await project.change("remember-me")
    assert change.problems == ()
    assert change.title == "Remember me"
    assert change.count == TaskCount(done=1, total=4)
    assert change.deltas[0].delta.size == 2
    assert (await project.validate("remember-me")).valid


@pytest.mark.requirement("BD-105")
async def test_a_directory_in_place_of_a_file_is_only_a_missing_file(
    root: Path, project: OpenSpec
) -> None:
    """Neither does a file in place of a directory stop the listing."""
    (root / CHANGE / "tasks.md").unlink()
    (root / CHANGE / "tasks.md").mkdir()
    write(root / "openspec/changes", {"notes.txt": "x", "half-made/specs": "a file"})
    half, remember = await project.changes()
    assert (half.id, remember.id) == ("half-made", "remember-me")
    assert [problem.path for problem in remember.problems] == [f"{CHANGE}/tasks.md"]


@pytest.mark.requirement("BD-105")
async def test_long_hostile_lines_are_read_in_a_moment(root: Path, project: OpenSpec) -> None:
    """No pattern of ours takes a file hostage."""
    for hostile in (" " * 300_000 + "x", "- [" + " " * 300_000, "a" * 300_000, "`" * 300_000):
        text = f"{hostile}\n### Requirement: {hostile}#\n- FROM:{hostile}\n"
        write(
            root / CHANGE,
            {"tasks.md": text, "proposal.md": text, "specs/login/spec.md": added() + text},
        )
        change = await project.change("remember-me")
        assert change.id == "remember-me"
        await project.validate("remember-me")


@pytest.mark.requirement("BD-106")
@pytest.mark.parametrize(
    "change",
    [
        "../outside",
        "..",
        ".",
        "",
        "a/b",
        "a\\b",
        "-rf",
        ".git",
        "archive",
        "a\0b",
        "a\nb",
        "x" * 300,
    ],
)
async def test_an_id_that_is_a_path_or_an_option_is_refused(change: str, project: OpenSpec) -> None:
    """Before anything touches the disk."""
    with pytest.raises(InvalidInput):
        await project.change(change)
    with pytest.raises(InvalidInput):
        await project.write(change, "tasks.md", "", None)


@pytest.mark.requirement("BD-106")
@pytest.mark.parametrize("capability", ["../../../etc", "/etc", "a/../../../../etc", "\0"])
async def test_a_capability_cannot_lead_outside(capability: str, project: OpenSpec) -> None:
    """Neither by reading nor by writing."""
    with pytest.raises(BottegaError):
        await project.spec(capability)
    with pytest.raises(InvalidInput):
        await project.write("remember-me", f"specs/{capability}/spec.md", "x", None)


@pytest.mark.requirement("BD-106")
async def test_links_that_lead_outside_are_not_followed(
    root: Path, project: OpenSpec, tmp_path: Path
) -> None:
    """A linked file is not read, a linked change not listed, a linked lock not opened."""
    outside = tmp_path / "outside"
    write(outside / "stolen", {"proposal.md": "# SECRET\n", "spec.md": "SECRET"})
    (root / "openspec/changes/stolen").symlink_to(outside / "stolen")
    (root / "openspec/specs/stolen").symlink_to(outside / "stolen")
    (root / CHANGE / "proposal.md").unlink()
    (root / CHANGE / "proposal.md").symlink_to(outside / "stolen/proposal.md")
    assert [change.id for change in await project.changes()] == ["remember-me"]
    assert [spec.id for spec in await project.specs()] == ["login"]
    assert "SECRET" not in repr(await project.change("remember-me"))
    with pytest.raises(BottegaError):
        await project.write("remember-me", "proposal.md", "mine", None)
    (root / "openspec/.bottega-lock").unlink(missing_ok=True)
    (root / "openspec/.bottega-lock").symlink_to(outside / "made")
    with pytest.raises(BottegaError):
        await OpenSpec(root).tick("remember-me", ["1.2"])
    assert not (outside / "made").exists()
    assert (outside / "stolen/proposal.md").read_text() == "# SECRET\n"


@pytest.mark.requirement("BD-129")
async def test_a_project_has_openspec_if_it_has_the_directory(tmp_path: Path) -> None:
    """A file of that name is none, and asking creates nothing."""
    project, files = OpenSpec(tmp_path), OpenSpecReader(tmp_path)
    assert not files.exists_now()
    assert await project.changes() == []
    assert await project.archived() == []
    assert await project.specs() == []
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "openspec").write_text("")
    assert not files.exists_now()
    (tmp_path / "openspec").unlink()
    (tmp_path / "openspec").symlink_to(tmp_path.parent)
    assert not files.exists_now()
    (tmp_path / "openspec").unlink()
    (tmp_path / "openspec").mkdir()
    assert files.exists_now()


@pytest.mark.requirement("BD-129")
async def test_an_attempt_to_write_where_there_is_nothing_creates_nothing(tmp_path: Path) -> None:
    """A wrong project does not become one with OpenSpec."""
    project = OpenSpec(tmp_path)
    with pytest.raises(Conflict):
        await project.write("remember-me", "tasks.md", "text", None)
    with pytest.raises(NotFound):
        await project.tick("remember-me", ["1.1"])
    with pytest.raises(NotFound):
        await project.archive_unapplied("remember-me")
    assert list(tmp_path.iterdir()) == []
