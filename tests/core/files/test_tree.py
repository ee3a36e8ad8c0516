"""The project as a tree of names."""

import json
import os
from pathlib import Path

import orjson
import pytest

from bottega.core.files import tree
from bottega.core.files.noise import NOISE_DIRECTORIES, is_noise
from bottega.core.files.sandbox import Sandbox
from bottega.core.files.tree import TreeNode, scan_tree


def outline(node: TreeNode) -> list[str]:
    """The paths of a tree in the order shown, directories with a slash."""
    children = node.get("children", [])
    below = [path for child in children for path in outline(child)]
    return below if not node["path"] else [node["path"] + "/" * ("children" in node), *below]


def make(root: Path, *paths: str) -> None:
    for path in paths:
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()


@pytest.mark.requirement("FR-033", "SC-014")
def test_a_tree_has_directories_first_and_names_in_reading_order(
    sandbox: Sandbox, root: Path
) -> None:
    """The same order every time, whatever the disk says."""
    make(root, "b.txt", "A.txt", "a.txt", "src/z.py", "src/sub/x.py", "Docs/i.md", ".github/ci.yml")
    (root / "empty").mkdir()
    top = scan_tree(sandbox.root)
    assert (top["name"], top["path"], top["type"]) == ("project", "", "directory")
    assert outline(top) == [
        ".github/",
        ".github/ci.yml",
        "Docs/",
        "Docs/i.md",
        "empty/",
        "src/",
        "src/sub/",
        "src/sub/x.py",
        "src/z.py",
        "A.txt",
        "a.txt",
        "b.txt",
    ]
    leaf = top["children"][-1]
    assert leaf == {"name": "b.txt", "path": "b.txt", "type": "file"}
    assert json.loads(orjson.dumps(top)) == top


@pytest.mark.requirement("FR-034", "SC-014")
def test_noise_is_left_out_at_every_depth(sandbox: Sandbox, root: Path) -> None:
    """Dependencies, build output and caches, ours and editors' litter."""
    required = {"node_modules", ".git", "dist", "build", "coverage", ".next", ".cache"}
    assert required <= NOISE_DIRECTORIES
    for name in NOISE_DIRECTORIES:
        make(root, f"{name}/inner/file.js", f"packages/app/{name}/file.js")
    make(root, "packages/app/main.py", "main.py~", ".main.py.swp", ".bottega-00ff", "a.pyc")
    make(root, ".DS_Store", ".github/settings.md", "builder.py")
    assert outline(scan_tree(sandbox.root)) == [
        ".github/",
        ".github/settings.md",
        "packages/",
        "packages/app/",
        "packages/app/main.py",
        "builder.py",
    ]


def test_a_file_named_like_a_noise_directory_is_shown(sandbox: Sandbox, root: Path) -> None:
    make(root, "build", "bin/dist")
    assert outline(scan_tree(sandbox.root)) == ["bin/", "bin/dist", "build"]


@pytest.mark.requirement("EC-11", "FR-033")
def test_links_are_shown_only_if_they_stay_inside_and_are_never_entered(
    sandbox: Sandbox, root: Path, outside: Path
) -> None:
    """No way out, and no going round in circles."""
    make(root, "src/a.py")
    (root / "out").symlink_to(outside)
    (root / "secret.txt").symlink_to(outside / "secret.txt")
    (root / "nowhere").symlink_to("missing")
    (root / "src/loop").symlink_to("..")
    (root / "alias.py").symlink_to("src/a.py")
    os.mkfifo(root / "pipe")
    assert outline(scan_tree(sandbox.root)) == ["src/", "src/loop/", "src/a.py", "alias.py"]


def test_a_very_deep_tree_ends_where_json_would(sandbox: Sandbox, root: Path) -> None:
    make(root, "d/" * 150 + "file.txt")
    top = scan_tree(sandbox.root)
    assert len(outline(top)) == tree.MAX_LEVELS
    assert json.loads(orjson.dumps(top)) == top


def test_a_huge_tree_is_cut_off_below_and_whole_above(
    sandbox: Sandbox, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(root, *(f"d{n}/deep/file.txt" for n in range(20)))
    monkeypatch.setattr(tree, "MAX_ENTRIES", 30)
    shown = outline(scan_tree(sandbox.root))
    assert [path for path in shown if path.count("/") == 1] == [
        f"d{n}/" for n in sorted(range(20), key=str)
    ]
    assert len(shown) < 40


def test_what_is_noise_is_noise_below_too() -> None:
    assert all(
        map(is_noise, ("node_modules", "a/node_modules/x/y.js", ".git/HEAD", "a/b~", ".bottega-1"))
    )
    assert not any(map(is_noise, ("src/a.py", "builds/a", "a.git/x", ".bottega/agents/a.md")))
