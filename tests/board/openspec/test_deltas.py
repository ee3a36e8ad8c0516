"""What a change does to requirements, and where two changes meet."""

from pathlib import Path

import pytest

from bottega.board.openspec.deltas import Named, Rename, parse_delta
from bottega.board.openspec.reader import references
from bottega.board.openspec.specs import is_normative
from bottega.board.openspec.writer import OpenSpec
from tests.board.openspec.cases import RENAME, added, block, modified, write

DELTA = (
    "## Purpose\n\nFor people.\n\n"
    + added(block("New"))
    + "\n"
    + modified(block("Old one"))
    + "\n## REMOVED Requirements\n\n### Requirement: Gone\n\n- `### Requirement: Gone too`\n\n"
    + RENAME
)


@pytest.mark.requirement("BD-110")
def test_operations_are_known_by_requirement() -> None:
    """All four operations, with names, texts, scenarios and lines."""
    delta = parse_delta(DELTA)
    assert [requirement.name for requirement in delta.added] == ["New"]
    assert [requirement.name for requirement in delta.modified] == ["Old one"]
    assert [removed.name for removed in delta.removed] == ["Gone", "Gone too"]
    assert delta.renamed == (
        Rename("Sign in", "Enter", DELTA[: DELTA.index("- FROM")].count("\n") + 1),
    )
    assert delta.purpose == "For people."
    new = delta.added[0]
    assert new.text == "It SHALL work."
    assert is_normative(new.text)
    assert [(scenario.name, scenario.text) for scenario in new.scenarios] == [
        ("S", "- **WHEN** a\n- **THEN** b")
    ]
    assert DELTA.split("\n")[new.line - 1] == "### Requirement: New"


@pytest.mark.requirement("BD-110")
def test_requirements_in_code_or_outside_the_sections_are_no_operations() -> None:
    """What nothing would apply is not counted, and what stands astray is named."""
    delta = parse_delta("```\n" + added() + "```\n\n## Notes\n\n### Requirement: Lost\n")
    assert delta.size == 0
    assert delta.sections == ()
    assert delta.orphans == (
        Named("Lost", len(("```\n" + added() + "```\n\n").split("\n")) + 2, "Notes"),
    )


@pytest.mark.requirement("BD-111")
async def test_changes_that_touch_one_requirement_overlap(root: Path, project: OpenSpec) -> None:
    """By capability and name, in any spelling; a rename touches both of its names."""
    for name, capability, delta in [
        ("same-name", "login", modified(block("sign  IN"))),
        ("renamed", "login", RENAME),
        ("other-requirement", "login", modified(block("Sign out"))),
        ("other-capability", "search", added(block("Sign in"))),
    ]:
        write(root / "openspec/changes" / name, {f"specs/{capability}/spec.md": delta})
    changes = await project.changes()
    mine = next(change for change in changes if change.id == "remember-me")
    assert mine.touches == {("login", "sign in"), ("login", "remember")}
    shared = {other.id: mine.touches & other.touches for other in changes if other is not mine}
    assert {name: both for name, both in shared.items() if both} == {
        "same-name": {("login", "sign in")},
        "renamed": {("login", "sign in")},
    }


@pytest.mark.requirement("BD-112")
async def test_changes_that_name_each_other_are_found(root: Path, project: OpenSpec) -> None:
    """An id with a hyphen anywhere, a one-word id only as code or as a path."""
    write(
        root / "openspec/changes/later",
        {
            "proposal.md": "After remember-me, and not pre-remember-me or remember-me-too.\n"
            "Uses the word search in prose, `cache` as code, and openspec/changes/audit too.\n",
            "design.md": "See fix-the-login.",
        },
    )
    known = ["remember-me", "search", "cache", "audit", "fix-the-login", "me-too", "later"]
    found = references(await project.change("later"), known)
    assert found == {"remember-me", "cache", "audit", "fix-the-login"}
