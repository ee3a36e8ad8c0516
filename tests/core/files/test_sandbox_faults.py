"""A write that fails, or a process that dies in it, leaves the old file and nothing else."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from bottega.core.files.sandbox import Sandbox

#: Runs one save in a process of its own, so that limits and users can be its own too.
SAVE = """
import asyncio, concurrent.futures.thread, os, sys
from bottega.core.files.sandbox import Sandbox
from bottega.errors import BottegaError
root, name, size, user = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
os.setuid(user)
try:
    asyncio.run(Sandbox(root).write(name, "n" * size))
except BottegaError as error:
    print(type(error).__name__, error.message)
else:
    print("saved")
"""

#: Saves two contents in turn until it is killed.
SAVE_FOREVER = """
import asyncio, sys
from bottega.core.files.sandbox import Sandbox
async def main():
    sandbox = Sandbox(sys.argv[1])
    await sandbox.write("file.txt", "0" * 300_000)
    print("first", flush=True)
    turn = 0
    while True:
        turn += 1
        await sandbox.write("file.txt", str(turn % 10) * 300_000)
asyncio.run(main())
"""


@pytest.fixture
def open_root() -> Iterator[Path]:
    """A project that another user can reach, as those of pytest cannot."""
    root = Path(tempfile.mkdtemp())
    root.chmod(0o755)
    yield root
    shutil.rmtree(root)


def save(root: Path, name: str, size: int, *prefix: str, user: int = os.getuid()) -> str:
    command = [*prefix, sys.executable, "-c", SAVE, str(root), name, str(size), str(user)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.requirement("FR-025")
def test_a_full_disk_leaves_the_old_file_and_no_litter(root: Path) -> None:
    """On a real file system of 64 kB."""
    script = (
        'mount -t tmpfs -o size=64k none "$0" && printf old > "$0/file.txt" && "$@" '
        '&& ls -A "$0" && cat "$0/file.txt"'
    )
    trial = ["unshare", "-rm", "mount", "-t", "tmpfs", "none", str(root)]
    if shutil.which("unshare") is None or subprocess.run(trial, check=False).returncode != 0:
        pytest.skip("no right to mount a small file system here")
    said = save(root, "file.txt", 200_000, "unshare", "-rm", "sh", "-c", script, str(root), user=0)
    assert said == (
        "StorageUnavailable Cannot write 'file.txt': the disk is full; free some space and try "
        "again.\n"
        "file.txt\nold"
    )


@pytest.mark.requirement("FR-025")
def test_a_write_cut_short_leaves_the_old_file_and_no_litter(root: Path) -> None:
    """The system lets the process write only 8 kB of the file."""
    (root / "file.txt").write_text("old")
    said = save(root, "file.txt", 200_000, "sh", "-c", 'ulimit -f 8; exec "$0" "$@"')
    assert said.startswith("Unavailable Cannot write 'file.txt': the file would be larger")
    assert (root / "file.txt").read_text() == "old"
    assert os.listdir(root) == ["file.txt"]


@pytest.mark.requirement("FR-025")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_file_or_directory_of_another_is_forbidden(open_root: Path) -> None:
    """Permission denied is said in so many words, and nothing is left behind."""
    (open_root / "readonly.txt").write_text("old")
    (open_root / "readonly.txt").chmod(0o444)
    nobody = 65534
    assert save(open_root, "x", 0) == "saved"
    said = save(open_root, "new.txt", 1, user=nobody)
    assert said.startswith("Forbidden Cannot write 'new.txt': permission denied")
    open_root.chmod(0o777)
    said = save(open_root, "readonly.txt", 1, user=nobody)
    assert said == "Forbidden Cannot write 'readonly.txt': the file is marked read-only."
    assert (open_root / "readonly.txt").read_text() == "old"
    assert sorted(os.listdir(open_root)) == ["readonly.txt", "x"]


@pytest.mark.requirement("FR-025")
async def test_a_process_killed_while_saving_leaves_a_whole_file(root: Path) -> None:
    """The file is one of those that were saved, from the first byte to the last, and what
    the dead process may have left is not shown."""
    for _ in range(5):
        process = subprocess.Popen(
            [sys.executable, "-c", SAVE_FOREVER, str(root)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "first\n"
        before = (root / "file.txt").read_text()[0]
        while (root / "file.txt").read_text()[0] == before:
            pass
        process.send_signal(signal.SIGKILL)
        process.communicate()
        content = (root / "file.txt").read_text()
        assert content == content[0] * 300_000
    left = [name for name in os.listdir(root) if name != "file.txt"]
    assert all(name.startswith(".bottega-") for name in left)
    assert (await Sandbox(root).read_text("file.txt")).size == 300_000
