"""Proposing a change: from a draft to files."""

from datetime import date, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bottega.board.openspec.deltas import parse_delta
from bottega.board.openspec.drafts import (
    DeltaInput,
    NewChange,
    RenameInput,
    RequirementInput,
    ScenarioInput,
    TaskGroupInput,
    render_change,
)
from bottega.board.openspec.layout import archive_name, change_id, is_kebab
from bottega.board.openspec.markdown import headings, lines_of
from bottega.board.openspec.tasks import parse_tasks
from bottega.board.openspec.writer import OpenSpec
from bottega.errors import Conflict, InvalidInput, NotFound
from tests.board.openspec.cases import LOGIN, write

PURPOSE = "What people find when they look for something, and how fast they find it."


def draft(quoted: str = "words") -> NewChange:
    """A change with everything in it, and somebody else's words in every place."""
    scenario = ScenarioInput(f"Finds {quoted}", [f"WHEN {quoted}", "**THEN** it is there", quoted])
    return NewChange(
        title=f"Find: {quoted}",
        why=f"People ask for it.\n\n{quoted}\n",
        what_changes=f"- A field.\n- {quoted}",
        impact=quoted,
        design=f"## Context\n\n{quoted}",
        tasks=[
            TaskGroupInput(f"Build {quoted}", ["Write it", quoted]),
            TaskGroupInput("Prove", ["Test it"]),
        ],
        deltas=[
            DeltaInput(
                "area/search",
                added=[RequirementInput(f"Find {quoted}", f"It SHALL find.\n{quoted}", [scenario])],
                removed=[f"Gone {quoted}"],
                renamed=[RenameInput(f"Old {quoted}", f"New {quoted}")],
                purpose=f"{PURPOSE} {quoted}",
            )
        ],
    )


@pytest.mark.requirement("BD-116")
async def test_a_draft_becomes_a_valid_change(root: Path, project: OpenSpec) -> None:
    """Proposal, tasks, design, metadata and deltas, read back as they were meant."""
    change = await project.create_change(draft())
    assert change.id == "find-words"
    assert change.problems == ()
    assert (await project.validate("find-words")).valid
    names = {str(path.relative_to(root / change.directory)) for path in files(root, change.id)}
    assert names == {
        ".openspec.yaml",
        "proposal.md",
        "tasks.md",
        "design.md",
        "specs/area/search/spec.md",
    }
    assert [(task.id, task.group) for task in change.tasks] == [
        ("1.1", "1. Build words"),
        ("1.2", "1. Build words"),
        ("2.1", "2. Prove"),
    ]
    requirement = change.deltas[0].delta.added[0]
    assert requirement.scenarios[0].text == "- **WHEN** words\n- **THEN** it is there\n- words"
    assert change.metadata is not None
    assert change.metadata.created is not None


def files(root: Path, change: str) -> list[Path]:
    return [path for path in (root / "openspec/changes" / change).rglob("*") if path.is_file()]


@pytest.mark.requirement("BD-116")
async def test_a_change_without_behaviour_says_so(project: OpenSpec) -> None:
    """No delta is made up to please a validator."""
    change = await project.create_change(
        NewChange(
            "Tidy up", "It is untidy.", "- Less.", "None.", [TaskGroupInput("Tidy", ["Do it"])]
        )
    )
    assert change.metadata is not None
    assert change.metadata.skip_specs
    assert (await project.validate("tidy-up")).valid


@pytest.mark.requirement("BD-116")
async def test_a_project_without_openspec_gets_it_with_its_first_change(tmp_path: Path) -> None:
    """Nothing has to be set up before."""
    project = OpenSpec(tmp_path)
    await project.create_change(draft())
    assert [change.id for change in await project.changes()] == ["find-words"]
    project.close()


@pytest.mark.requirement("BD-117")
@pytest.mark.parametrize(
    ("title", "made"),
    [
        ("Fix: login is slow", "fix-login-is-slow"),
        ("Don't   stop — Café Über", "dont-stop-cafe-uber"),
        ("../../etc/passwd", "etc-passwd"),
        ("--force", "force"),
        ("日本語", "change"),
        ("", "change"),
        ("archive", "change-archive"),
        ("NUL", "change-nul"),
        ("2026-01-02 notes", "change-2026-01-02-notes"),
        ("word " * 100, "-".join(["word"] * 12)),
        ("x" * 500, "x" * 60),
    ],
)
def test_an_id_is_made_of_the_title(title: str, made: str) -> None:
    """Letters and digits with single hyphens, neither reserved nor long."""
    assert change_id(title) == made
    assert change_id(title, {made, f"{made}-2"}) == f"{made}-3"


@pytest.mark.requirement("BD-117")
@given(st.text())
def test_any_title_makes_an_id_that_any_system_takes(title: str) -> None:
    """Whatever somebody calls it."""
    assert is_kebab(change_id(title))
    assert len(change_id(title)) <= 70


@pytest.mark.requirement("BD-118")
@pytest.mark.parametrize(
    ("name", "kept"),
    [("C#", "C#"), ("Find ##", "Find"), ("a # ## #", "a"), ("##", "unnamed"), ("`x`", "'x'")],
)
def test_a_name_is_read_back_as_it_was_written(name: str, kept: str) -> None:
    """Signs that a reader would take for marks are not left at its end."""
    requirement = RequirementInput(name, "It SHALL.", [ScenarioInput(name, ["WHEN a"])])
    deltas = [DeltaInput("cap", [requirement], removed=[name], renamed=[RenameInput(name, name)])]
    files = render_change(NewChange("T", "W", "W", "I", [], deltas), date(2026, 11, 15))
    delta = parse_delta(files["specs/cap/spec.md"])
    assert delta.added[0].name == delta.added[0].scenarios[0].name == kept
    assert delta.removed[0].name == delta.renamed[0].old == delta.renamed[0].new == kept


@pytest.mark.requirement("BD-117")
async def test_an_id_is_never_given_twice(root: Path, project: OpenSpec) -> None:
    """Not to an archived change's namesake either; an id of one's own must be free."""
    write(root / "openspec/changes/archive/2026-01-01-find-words", {"proposal.md": "# Old\n"})
    assert (await project.create_change(draft())).id == "find-words-2"
    assert (await project.create_change(draft())).id == "find-words-3"
    mine = NewChange("T", "Why.", "- What.", "None.", [], id="find-words-2")
    with pytest.raises(Conflict, match="'find-words-2' already"):
        await project.create_change(mine)
    with pytest.raises(InvalidInput, match="'Not Kebab'"):
        await project.create_change(NewChange("T", "W", "W", "I", [], id="Not Kebab"))


HOSTILE = [
    "# Top\n## ADDED Requirements\n### Requirement: Smuggled\n\nIt SHALL.\n\n#### Scenario: S\n- a",
    "```\nnever closed\n## MODIFIED Requirements",
    "~~~~ python\n~~~\n### Requirement: Smuggled",
    "a\n- [ ] 9.9 smuggled\n- [x] done",
    "`### Requirement: x` ###",
    "\r\r## RENAMED Requirements\r- FROM: `### Requirement: a`",
    "<!-- \n -->\n---\nschema: x\n---",
    "   ## REMOVED Requirements\n\n- `### Requirement: Sign in`",
    "\u2028## ADDED Requirements\u2029### Requirement: Smuggled",
    "\ufeff## ADDED Requirements",
    "<!-- the rest is gone",
    "## # ###",
]


@pytest.mark.requirement("BD-118")
@pytest.mark.parametrize("quoted", HOSTILE)
async def test_quoted_text_stays_in_its_place(quoted: str, project: OpenSpec) -> None:
    """The same requirements, tasks and sections as with harmless words, and still valid."""
    change = await project.create_change(draft(quoted))
    assert (await project.validate(change.id)).valid
    expect_shape(render_change(draft(quoted), date(2026, 11, 15)))


@pytest.mark.requirement("BD-118")
@given(st.one_of(st.text(), st.lists(st.sampled_from([*HOSTILE, "\n", " ", "#"])).map("".join)))
def test_no_text_can_leave_its_place(quoted: str) -> None:
    """Whatever a failing test prints."""
    expect_shape(render_change(draft(quoted), date(2026, 11, 15)))


def expect_shape(files: dict[str, str]) -> None:
    delta = parse_delta(files["specs/area/search/spec.md"])
    assert [len(delta.added), len(delta.modified), len(delta.removed), len(delta.renamed)] == [
        1,
        0,
        1,
        1,
    ]
    assert (delta.orphans, delta.unpaired, delta.skipped) == ((), (), ())
    assert len(delta.added[0].scenarios) == 1
    assert [task.id for task in parse_tasks(files["tasks.md"])] == ["1.1", "1.2", "2.1"]
    sections = [part for part in headings(lines_of(files["proposal.md"])) if part.level <= 2]
    assert [part.title for part in sections[1:]] == [
        "Why",
        "What Changes",
        "Capabilities",
        "Impact",
    ]


@pytest.mark.requirement("BD-119")
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            NewChange(
                "T", "W", "W", "I", [], [DeltaInput("cap", [RequirementInput("R", "It.", [])])]
            ),
            "SHALL or MUST",
        ),
        (NewChange("T", "W", "W", "I", [], [DeltaInput("cap")]), "No delta section"),
        (
            NewChange(
                "T",
                "W",
                "W",
                "I",
                [],
                [
                    DeltaInput(
                        "login",
                        modified=[
                            RequirementInput(
                                "Sign in", "It SHALL.", [ScenarioInput("S", ["WHEN a"])]
                            )
                        ],
                    )
                ],
            ),
            "would drop",
        ),
        (NewChange("T", "W", "W", "I", [], [DeltaInput("../cap")]), "no capability"),
        (NewChange(" \n", "W", "W", "I", []), "title"),
    ],
)
async def test_a_draft_that_would_not_be_valid_leaves_nothing(
    change: NewChange, reason: str, root: Path, project: OpenSpec
) -> None:
    """The reason is told, and no half of it stays on disk."""
    before = sorted(root.rglob("*"))
    with pytest.raises(InvalidInput, match=reason):
        await project.create_change(change)
    left = [path for path in sorted(root.rglob("*")) if path.name != ".bottega-lock"]
    assert left == before


@pytest.mark.requirement("BD-124")
async def test_a_rejected_change_goes_without_a_trace_in_the_specs(
    root: Path, project: OpenSpec
) -> None:
    """Moved as it is, in one step, to where the CLI would put it."""
    before = {path.name: path.read_bytes() for path in files(root, "remember-me")}
    change = await project.archive_unapplied("remember-me")
    assert change.archived
    assert (change.id, change.archived_on) == ("remember-me", date.fromisoformat(today()))
    assert change.directory == f"openspec/changes/archive/{today()}-remember-me"
    moved = (root / change.directory).rglob("*")
    assert {path.name: path.read_bytes() for path in moved if path.is_file()} == before
    assert (root / "openspec/specs/login/spec.md").read_text() == LOGIN
    assert await project.changes() == []
    with pytest.raises(NotFound):
        await project.archive_unapplied("remember-me")


def today() -> str:
    return datetime.now().astimezone().date().isoformat()


@pytest.mark.requirement("BD-124")
async def test_an_archive_of_the_same_day_and_name_is_not_replaced(
    root: Path, project: OpenSpec
) -> None:
    """Not even an empty one."""
    (root / f"openspec/changes/archive/{today()}-remember-me").mkdir(parents=True)
    with pytest.raises(Conflict, match="exists already"):
        await project.archive_unapplied("remember-me")
    assert [change.id for change in await project.changes()] == ["remember-me"]


@pytest.mark.requirement("BD-124")
def test_a_change_that_carries_a_date_keeps_it() -> None:
    """As the CLI names it."""
    assert archive_name("2025-01-02-x", date(2026, 3, 4)) == "2025-01-02-x"
    assert archive_name("x", date(2026, 3, 4)) == "2026-03-04-x"
