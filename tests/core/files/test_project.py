"""A project's files as rooms use them."""

import asyncio
from pathlib import Path

import pytest

from bottega.core.files.buffers import CursorPosition
from bottega.core.files.project import ProjectFiles
from bottega.errors import Forbidden, InvalidInput, NotFound


@pytest.fixture
def files(root: Path) -> ProjectFiles:
    return ProjectFiles(root)


@pytest.mark.requirement("FR-025", "FR-029", "SC-011")
async def test_saving_writes_to_disk_and_makes_the_buffer_clean(
    files: ProjectFiles, root: Path
) -> None:
    """Also where there was no buffer before."""
    files.update_buffer("a.py", "x = 2\n", CursorPosition(1, 3))
    saved = await files.save("a.py", "x = 2\n")
    assert (root / "a.py").read_text() == "x = 2\n"
    assert files.get_buffer("a.py") == saved
    assert (saved.dirty, saved.cursor_position) == (False, CursorPosition(1, 3))
    await files.save("new/b.py", "y\n")
    buffer = files.get_buffer("new/b.py")
    assert buffer is not None
    assert not buffer.dirty


@pytest.mark.requirement("FR-029")
async def test_a_failed_save_leaves_the_buffer_dirty(files: ProjectFiles, root: Path) -> None:
    (root / "a.py").mkdir()
    files.update_buffer("a.py", "x")
    with pytest.raises(InvalidInput, match="is a directory"):
        await files.save("a.py", "x")
    assert list(files.buffers.dirty()) == ["a.py"]


@pytest.mark.requirement("EC-15", "FR-029")
async def test_an_edit_during_a_save_stays_unsaved(files: ProjectFiles, root: Path) -> None:
    """The save must not declare newer words clean, nor overwrite them."""
    files.update_buffer("a.py", "old")
    saving = asyncio.ensure_future(files.save("a.py", "old"))
    await asyncio.sleep(0)
    files.update_buffer("a.py", "old and new")
    entry = await saving
    assert (root / "a.py").read_text() == "old"
    assert entry == files.get_buffer("a.py")
    assert (entry.content, entry.dirty) == ("old and new", True)
    assert await files.get_diff("a.py") != ""


@pytest.mark.requirement("EC-15")
async def test_saves_reach_the_disk_in_the_order_they_were_asked_for(
    files: ProjectFiles, root: Path
) -> None:
    await asyncio.gather(*(files.save("a.txt", f"{n}" * 1000) for n in range(10)))
    buffer = files.get_buffer("a.txt")
    assert buffer is not None
    assert (root / "a.txt").read_text() == buffer.content == "9" * 1000


@pytest.mark.requirement("FR-031", "SC-013")
async def test_a_diff_shows_what_the_buffer_changes(files: ProjectFiles) -> None:
    """And is empty for a clean buffer and for none."""
    await files.save("a.py", "one\ntwo\n")
    assert await files.get_diff("a.py") == ""
    assert await files.get_diff("unknown.py") == ""
    files.update_buffer("a.py", "one\n2\n")
    assert await files.get_diff("a.py") == (
        "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
    )
    files.update_buffer("a.py", "one\ntwo\n")
    assert await files.get_diff("a.py") == ""


@pytest.mark.requirement("FR-032")
async def test_diffs_are_made_without_another_program(
    files: ProjectFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No process is started for one, and none could be."""

    def refuse(*_arguments: object, **_options: object) -> None:
        raise AssertionError("a process was started")

    for start in ("subprocess.Popen", "os.system", "os.posix_spawn", "os.fork"):
        monkeypatch.setattr(start, refuse)
    await files.save("a.py", "one\n")
    files.update_buffer("a.py", "two\n")
    assert "-one\n+two\n" in await files.get_diff("a.py")


@pytest.mark.requirement("EC-13")
async def test_a_file_deleted_while_open_keeps_its_buffer(files: ProjectFiles, root: Path) -> None:
    """Reading says that it is gone, the diff shows all of the buffer as new, and saving
    brings it back."""
    await files.save("a.py", "one\n")
    files.update_buffer("a.py", "one\ntwo\n")
    (root / "a.py").unlink()
    with pytest.raises(NotFound, match=r"Cannot read 'a.py': there is no such file"):
        await files.read("a.py")
    assert await files.get_diff("a.py") == (
        "--- /dev/null\n+++ b/a.py\n@@ -0,0 +1,2 @@\n+one\n+two\n"
    )
    await files.save("a.py", "one\ntwo\n")
    assert (await files.read("a.py")).content == "one\ntwo\n"


@pytest.mark.requirement("FR-031")
async def test_all_diffs_are_those_of_unsaved_files(
    files: ProjectFiles, root: Path, outside: Path
) -> None:
    """One that cannot be read does not spoil the others."""
    assert await files.get_diffs() == {}
    await files.save("clean.py", "x")
    (root / "link.txt").symlink_to(outside / "secret.txt")
    for path in ("b.py", "a.py", "link.txt"):
        files.update_buffer(path, "new\n")
    with pytest.raises(Forbidden, match="outside the project"):
        await files.get_diff("link.txt")
    diffs = await files.get_diffs()
    assert list(diffs) == ["b.py", "a.py"]
    assert diffs["a.py"].endswith("+new\n")


@pytest.mark.requirement("FR-038", "EC-12")
async def test_binary_files_have_no_buffer_no_diff_and_no_save(
    files: ProjectFiles, root: Path
) -> None:
    """And reading one gives the flag."""
    (root / "logo.png").write_bytes(b"\x89PNG")
    assert files.update_buffer("logo.png", "x") is None
    assert files.get_buffer("logo.png") is None
    assert await files.get_diff("logo.png") == ""
    assert (await files.read("logo.png")).binary
    with pytest.raises(InvalidInput, match="binary"):
        await files.save("logo.png", "x")
    assert (root / "logo.png").read_bytes() == b"\x89PNG"
    (root / "data").write_bytes(b"\0\1")
    files.update_buffer("data", "text")
    assert await files.get_diff("data") == ""


@pytest.mark.requirement("FR-033", "SC-014")
async def test_the_tree_is_that_of_the_project(files: ProjectFiles, root: Path) -> None:
    await files.save("src/a.py", "")
    await files.save("node_modules/x/index.js", "")
    assert (await files.tree())["children"] == [
        {
            "name": "src",
            "path": "src",
            "type": "directory",
            "children": [{"name": "a.py", "path": "src/a.py", "type": "file"}],
        }
    ]


async def test_a_project_that_is_gone_has_no_tree(files: ProjectFiles, root: Path) -> None:
    root.rmdir()
    with pytest.raises(NotFound, match="project"):
        await files.tree()


@pytest.mark.requirement("FR-023", "SC-016")
async def test_paths_outside_are_refused_by_every_verb(files: ProjectFiles) -> None:
    for verb in (files.read, files.get_diff, lambda path: files.save(path, "x")):
        with pytest.raises(Forbidden, match="outside the project"):
            await verb("../../etc/passwd")
    with pytest.raises(Forbidden, match="outside the project"):
        files.update_buffer("../../etc/passwd", "x")
    with pytest.raises(Forbidden, match="outside the project"):
        files.get_buffer("../../etc/passwd")
