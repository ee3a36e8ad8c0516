"""From files to what to read again."""

import pytest

from bottega.board.openspec.layout import Touched, touched


@pytest.mark.requirement("BD-127")
@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("openspec/changes/add-login/tasks.md", Touched(changes=frozenset({"add-login"}))),
        ("openspec/changes/add-login", Touched(changes=frozenset({"add-login"}))),
        ("openspec/changes/a/specs/cap/spec.md", Touched(changes=frozenset({"a"}))),
        ("openspec/changes/archive/2026-01-02-a/tasks.md", Touched(archived=frozenset({"a"}))),
        ("openspec/changes/archive", Touched()),
        ("openspec/changes/.bottega-12ab/tasks.md", Touched()),
        ("openspec/changes/archive/.DS_Store", Touched()),
        ("openspec/specs/area/cap/spec.md", Touched(specs=frozenset({"area/cap"}))),
        ("openspec/specs/cap/notes.md", Touched()),
        ("openspec/specs/spec.md", Touched()),
        ("openspec/config.yaml", Touched()),
        ("src/openspec/changes/a/tasks.md", Touched()),
    ],
)
def test_a_file_is_traced_to_what_it_belongs_to(path: str, found: Touched) -> None:
    """A change, an archived change or a spec; nothing for what is none of them."""
    assert touched([path]) == found


@pytest.mark.requirement("BD-127")
def test_many_files_give_each_id_once() -> None:
    """Archiving touches the same change in both places."""
    found = touched(
        [
            "openspec/changes/a/tasks.md",
            "openspec/changes/archive/2026-01-02-a/tasks.md",
            "openspec/specs/cap/spec.md",
            "README.md",
        ]
    )
    assert found.changes | found.archived | found.specs == {"a", "cap"}
