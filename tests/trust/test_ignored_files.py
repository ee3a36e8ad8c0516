"""What `.gitignore` hides is neither shown, read nor written through a room, unless the owner says
so; and no file is written that has another name elsewhere."""

import os
import subprocess
from pathlib import Path

import pytest

from bottega.core.files.project import ProjectFiles
from bottega.core.files.tree import file_paths
from bottega.errors import Forbidden
from tests.trust.served_app import hear, say, serve_app


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "sub/deep").mkdir(parents=True)
    (root / "notes").mkdir()
    git(root, "init", "-q")
    (root / ".gitignore").write_text("*.log\nnotes/\n!kept.log\n")
    (root / "sub/.gitignore").write_text("local.py\n")
    names = (
        "a.py",
        "a.log",
        "kept.log",
        "notes/n.md",
        "sub/local.py",
        "sub/b.py",
        "sub/deep/x.log",
    )
    for name in names:
        (root / name).write_text("text\n")
    return root


HIDDEN = ("a.log", "notes/n.md", "sub/local.py", "sub/deep/x.log")
OPEN = ("a.py", "kept.log", "sub/b.py")


async def is_open(files: ProjectFiles, path: str) -> bool:
    try:
        await files.read(path)
    except Forbidden as error:
        return "BOTTEGA_IGNORED_FILES" not in error.message
    return True


async def test_what_is_ignored_is_not_read_written_removed_or_shown(project: Path) -> None:
    files = ProjectFiles(project)
    for path in OPEN:
        assert await is_open(files, path)
    for path in HIDDEN:
        assert not await is_open(files, path)
        with pytest.raises(Forbidden):
            await files.save(path, "mine\n")
        with pytest.raises(Forbidden):
            await files.sandbox.remove(path)
        assert (project / path).read_text() == "text\n"
    shown = set(file_paths(await files.tree()))
    assert shown >= set(OPEN)
    assert shown.isdisjoint(HIDDEN)
    assert (await files.sandbox.list("")).directories == ["sub"]


async def test_a_file_that_would_be_ignored_is_not_made(project: Path) -> None:
    files = ProjectFiles(project)
    for path in ("new.log", "notes/new.md", "sub/deep/new.log"):
        with pytest.raises(Forbidden):
            await files.save(path, "mine\n")
        assert not (project / path).exists()
    await files.save("new.py", "mine\n")


async def test_rules_that_change_hold_at_once(project: Path) -> None:
    files = ProjectFiles(project)
    assert await is_open(files, "a.py")
    with (project / ".gitignore").open("a") as rules:
        rules.write("a.py\n")
    assert not await is_open(files, "a.py")
    # What is tracked is the project's, whatever the rules say.
    git(project, "add", "--force", "a.py")
    assert await is_open(files, "a.py")


async def test_a_link_to_what_is_ignored_opens_nothing(project: Path) -> None:
    (project / "innocent.py").symlink_to("sub/local.py")
    assert not await is_open(ProjectFiles(project), "innocent.py")


async def test_a_project_inside_a_repository_has_its_rules_too(project: Path) -> None:
    files = ProjectFiles(project / "sub")
    assert not await is_open(files, "local.py")
    assert not await is_open(files, "deep/x.log")
    assert await is_open(files, "b.py")
    assert set(file_paths(await files.tree())) >= {"b.py"}
    assert "local.py" not in set(file_paths(await files.tree()))


async def test_the_owner_opens_them_by_a_setting(project: Path) -> None:
    files = ProjectFiles(project, opens_ignored=True)
    for path in HIDDEN:
        assert await is_open(files, path)
    assert set(file_paths(await files.tree())) >= set(HIDDEN)


async def test_a_file_with_another_name_is_not_written(project: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("theirs\n")
    os.link(outside, project / "mine.py")
    with pytest.raises(Forbidden, match="hard link"):
        await ProjectFiles(project).save("mine.py", "mine\n")
    assert outside.read_text() == (project / "mine.py").read_text() == "theirs\n"


async def test_windows_hear_of_other_files_only(project: Path, tmp_path: Path) -> None:
    async with serve_app(tmp_path) as served:
        window = await served.websocket()
        await say(window, "explorer:expand_dir", path="")
        await hear(window, "fs:tree")
        served.put("b.log")
        served.put("b.py")
        assert (await hear(window, "fs:tree_update"))["payload"]["path"] == "b.py"
        refused = await served.http.get("/api/coach/files", params={"path": "a.log"})
        assert refused.status_code == 403
