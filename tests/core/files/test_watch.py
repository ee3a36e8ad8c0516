"""What the watcher tells of changes on disk."""

import asyncio
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import structlog

from bottega.core.files.listing import EntryType
from bottega.core.files.project import ProjectFiles
from bottega.core.files.snapshot import ChangeAction, FileChange
from bottega.core.files.watch import Watcher
from bottega.errors import Conflict

Told = tuple[str, str]


class Heard:
    """Collects what a watcher tells, and waits for it."""

    def __init__(self) -> None:
        self.changes: list[FileChange] = []
        self._news = asyncio.Event()

    def __call__(self, changes: list[FileChange]) -> None:
        self.changes += changes
        self._news.set()

    @property
    def told(self) -> list[Told]:
        return [(change.action.value, change.path) for change in self.changes]

    async def until(self, *wanted: Told) -> None:
        async with asyncio.timeout(10):
            while not set(wanted) <= set(self.told):
                self._news.clear()
                await self._news.wait()


@asynccontextmanager
async def watching(root: Path, *, polling: bool = False) -> AsyncIterator[Heard]:
    heard = Heard()
    async with Watcher(root, heard, polling=polling):
        yield heard


@pytest.mark.requirement("FR-035", "FR-036", "SC-015")
async def test_a_new_a_changed_and_a_removed_file_are_told(root: Path) -> None:
    """By their relative path, to a plain callback on the event loop that
    any door can stand behind."""
    (root / "src").mkdir()
    (root / "src/old.py").write_text("1")
    loop_thread = threading.get_ident()
    threads: set[int] = set()
    heard = Heard()

    def on_change(changes: list[FileChange]) -> None:
        threads.add(threading.get_ident())
        heard(changes)

    watcher = ProjectFiles(root).watch(on_change)
    await watcher.start()
    (root / "new.py").write_text("x")
    await heard.until(("add", "new.py"))
    (root / "src/old.py").write_text("2")
    await heard.until(("change", "src/old.py"))
    (root / "new.py").unlink()
    await heard.until(("unlink", "new.py"))
    await watcher.stop()
    assert threads == {loop_thread}
    assert FileChange(ChangeAction.ADD, "new.py", EntryType.FILE) in heard.changes


async def test_what_is_there_already_is_not_told(root: Path) -> None:
    (root / "old.py").touch()
    async with watching(root) as heard:
        (root / "new.py").touch()
        await heard.until(("add", "new.py"))
    assert ("add", "old.py") not in heard.told


@pytest.mark.requirement("FR-036")
async def test_noise_is_not_told(root: Path) -> None:
    """What the tree does not show, the watcher does not tell."""
    (root / "node_modules/x").mkdir(parents=True)
    async with watching(root) as heard:
        (root / "node_modules/x/index.js").touch()
        (root / ".git").mkdir()
        (root / ".git/HEAD").touch()
        (root / "a.py~").touch()
        (root / "real.py").touch()
        await heard.until(("add", "real.py"))
    assert set(heard.told) == {("add", "real.py")}


@pytest.mark.requirement("FR-036")
async def test_a_save_by_rename_is_one_change(root: Path) -> None:
    """Ours and any editor's; no addition, no removal, no temporary file."""
    files = ProjectFiles(root)
    await files.save("a.py", "1")
    async with watching(root) as heard:
        await files.save("a.py", "2")
        await heard.until(("change", "a.py"))
        (root / "sentinel").touch()
        await heard.until(("add", "sentinel"))
    assert set(heard.told) == {("change", "a.py"), ("add", "sentinel")}


@pytest.mark.requirement("FR-035")
async def test_new_directories_are_watched_at_once(root: Path) -> None:
    """Nothing that happens in them is missed, however soon."""
    async with watching(root) as heard:
        for n in range(5):
            (root / f"a{n}/b/c").mkdir(parents=True)
            (root / f"a{n}/b/c/file.py").touch()
        await heard.until(*(("add", f"a{n}/b/c/file.py") for n in range(5)))
        assert FileChange(ChangeAction.ADD, "a0/b", EntryType.DIRECTORY) in heard.changes
        (root / "a3/b/c/file.py").write_text("later")
        await heard.until(("change", "a3/b/c/file.py"))
        (root / "a3/b/c/more.py").touch()
        await heard.until(("add", "a3/b/c/more.py"))


@pytest.mark.requirement("FR-036")
async def test_a_directory_moved_away_or_in_is_told_with_what_is_in_it(
    root: Path, tmp_path: Path
) -> None:
    """The system tells one name; the tree needs them all."""
    (root / "pkg/sub").mkdir(parents=True)
    (root / "pkg/sub/a.py").touch()
    async with watching(root) as heard:
        (root / "pkg").rename(tmp_path / "elsewhere")
        await heard.until(("unlink", "pkg"), ("unlink", "pkg/sub"), ("unlink", "pkg/sub/a.py"))
        (tmp_path / "elsewhere").rename(root / "back")
        await heard.until(("add", "back"), ("add", "back/sub/a.py"))
        (root / "back/sub/a.py").write_text("still heard")
        await heard.until(("change", "back/sub/a.py"))


async def test_a_directory_replaced_by_another_is_still_watched(root: Path) -> None:
    (root / "site").mkdir()
    (root / "site/index.md").write_text("old")
    (root / "next").mkdir()
    (root / "next/index.md").write_text("new")
    async with watching(root) as heard:
        shutil.rmtree(root / "site")
        (root / "next").rename(root / "site")
        await heard.until(("unlink", "next"))
        (root / "site/more.md").touch()
        await heard.until(("add", "site/more.md"))
    assert {("change", "site/index.md"), ("add", "site/index.md")} & set(heard.told)


@pytest.mark.requirement("EC-11")
async def test_links_that_lead_outside_are_not_listened_to(root: Path, outside: Path) -> None:
    """What happens outside is nobody's business here."""
    (root / "link").symlink_to(outside)
    async with watching(root) as heard:
        (outside / "secret.txt").write_text("changed")
        (outside / "new.txt").touch()
        (root / "later").symlink_to(outside)
        (root / "real.py").touch()
        await heard.until(("add", "real.py"))
    assert set(heard.told) == {("add", "real.py")}


@pytest.mark.requirement("EC-16")
async def test_stopping_discards_what_is_pending(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change that is on its way to the event loop when `stop` is called is not told."""
    heard, loop, on_its_way = Heard(), asyncio.get_running_loop(), threading.Event()
    watcher = Watcher(root, heard)
    await watcher.start()
    hand_over = loop.call_soon_threadsafe

    def noticed(*arguments: Any, **options: Any) -> asyncio.Handle:
        handle = hand_over(*arguments, **options)
        on_its_way.set()
        return handle

    monkeypatch.setattr(loop, "call_soon_threadsafe", noticed)
    (root / "a.py").touch()
    # Blocks the loop, so that the change can be handed over but not told.
    assert on_its_way.wait(10)
    await watcher.stop()
    await asyncio.sleep(0)
    assert heard.told == []


@pytest.mark.requirement("FR-037")
async def test_stopping_ends_the_thread(root: Path) -> None:
    """And may be asked for twice."""
    watcher = Watcher(root, Heard())
    await watcher.start()
    assert "bottega-watch" in {thread.name for thread in threading.enumerate()}
    await watcher.stop()
    assert "bottega-watch" not in {thread.name for thread in threading.enumerate()}
    await watcher.stop()


async def test_a_watcher_can_be_started_again_but_not_twice(root: Path) -> None:
    heard = Heard()
    watcher = Watcher(root, heard)
    await watcher.start()
    with pytest.raises(Conflict, match="watched already"):
        await watcher.start()
    await watcher.stop()
    (root / "between.py").touch()
    await watcher.start()
    (root / "after.py").touch()
    await heard.until(("add", "after.py"))
    await watcher.stop()
    assert ("add", "between.py") not in heard.told


@pytest.mark.requirement("FR-035")
async def test_a_root_that_vanishes_is_logged_and_watched_again_when_it_is_back(
    root: Path,
) -> None:
    """A watch never dies silently, and complains once each time."""
    (root / "0.py").touch()
    with structlog.testing.capture_logs() as logs:
        async with watching(root) as heard:
            for turn in range(2):
                shutil.rmtree(root)
                await heard.until(("unlink", f"{turn}.py"))
                root.mkdir()
                (root / f"{turn + 1}.py").touch()
                await heard.until(("add", f"{turn + 1}.py"))
                (root / f"{turn + 1}.py").write_text("x")
                await heard.until(("change", f"{turn + 1}.py"))
    complaints = [entry["error"] for entry in logs if "watching failed" in entry["event"]]
    assert sum("was removed" in complaint for complaint in complaints) == 2


async def test_a_root_that_is_missing_at_first_is_waited_for(tmp_path: Path) -> None:
    async with watching(tmp_path / "later") as heard:
        (tmp_path / "later").mkdir()
        (tmp_path / "later/a.py").touch()
        await heard.until(("add", "a.py"))


async def test_a_name_that_is_not_unicode_does_not_end_the_watch(root: Path) -> None:
    async with watching(root) as heard:
        with open(os.fsencode(root) + b"/\xff", "w"):
            pass
        (root / "a.py").touch()
        await heard.until(("add", "a.py"))
        (root / "b.py").touch()
        await heard.until(("add", "b.py"))


async def test_a_callback_that_fails_does_not_end_the_watch(root: Path) -> None:
    heard = Heard()

    def fails_first(changes: list[FileChange]) -> None:
        heard(changes)
        if len(heard.changes) == 1:
            raise ValueError("no")

    with structlog.testing.capture_logs() as logs:
        async with Watcher(root, fails_first):
            (root / "a.py").touch()
            await heard.until(("add", "a.py"))
            (root / "b.py").touch()
            await heard.until(("add", "b.py"))
    assert any(entry["log_level"] == "error" for entry in logs)


@pytest.mark.requirement("FR-035")
async def test_polling_tells_the_same(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system has no events."""
    monkeypatch.setattr("bottega.core.files.watch.POLL_INTERVAL", 20)
    async with watching(root, polling=True) as heard:
        (root / "a.py").touch()
        await heard.until(("add", "a.py"))
        (root / "a.py").unlink()
        await heard.until(("unlink", "a.py"))


LIMITED = """
import asyncio, pathlib, sys
import bottega.core.files.watch as listener
from bottega.core.files.watch import Watcher
pathlib.Path("/proc/sys/user/max_inotify_watches").write_text("3")
listener.POLL_INTERVAL = 20
async def main():
    root, heard = pathlib.Path(sys.argv[1]), asyncio.Event()
    for n in range(10):
        (root / str(n)).mkdir()
    async with Watcher(root, lambda changes: heard.set()):
        (root / "9/a.py").touch()
        async with asyncio.timeout(10):
            await heard.wait()
    print("heard")
asyncio.run(main())
"""


@pytest.mark.requirement("FR-035")
@pytest.mark.skipif(sys.platform != "linux", reason="the limit is one of Linux")
def test_a_system_out_of_watches_is_looked_at_instead(root: Path) -> None:
    """With more directories than the kernel will watch."""
    trial = ["unshare", "-r", "true"]
    if shutil.which("unshare") is None or subprocess.run(trial, check=False).returncode != 0:
        pytest.skip("no right to set a limit here")
    done = subprocess.run(
        ["unshare", "-r", sys.executable, "-c", LIMITED, str(root)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.endswith("heard\n"), done.stderr
    assert "fs.inotify.max_user_watches" in done.stdout


@pytest.mark.requirement("FR-037")
def test_a_loop_that_closes_without_stopping_the_watcher_ends_its_thread(root: Path) -> None:
    """Even then no thread is left behind."""
    threads: list[threading.Thread] = []

    async def forget_to_stop() -> None:
        await Watcher(root, lambda _: None).start()
        threads.extend(t for t in threading.enumerate() if t.name == "bottega-watch")

    asyncio.run(forget_to_stop())
    (root / "a.py").touch()
    (thread,) = threads
    thread.join(10)
    assert not thread.is_alive()
