"""`{DATA_DIR}/server.lock`: a house on SQLite has one server.

The kernel holds the lock for the process and frees it when the process ends, however it ends. Of
two servers that start in the same moment one gets it. On PostgreSQL there is nothing to lock: any
number of servers share a `DATA_DIR`.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bottega.cli.connection import read_announcement
from bottega.errors import Conflict
from bottega.settings import Settings

NAME = "server.lock"


@contextmanager
def claim_data_dir(settings: Settings, next_step: str) -> Iterator[None]:
    """Have `DATA_DIR` to this process alone, within the block.

    Raises `Conflict` that names the process that has it and the `next_step`.
    """
    if not settings.database.startswith("sqlite"):
        yield
        return
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = _lock(settings.data_dir, next_step)
    try:
        yield
    finally:
        os.close(file)


def _lock(data_dir: Path, next_step: str) -> int:
    path = data_dir / NAME
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = _holder(data_dir, file)
            os.close(file)
            raise Conflict(f"A server runs on {data_dir} already: {holder}. {next_step}") from None
        if _is_same(file, path):
            os.ftruncate(file, 0)
            os.write(file, str(os.getpid()).encode())
            return file
        # A restore put the folder aside between the two calls.
        os.close(file)


def _holder(data_dir: Path, file: int) -> str:
    pid = os.pread(file, 20, 0).decode()
    server = read_announcement(data_dir)
    if server is not None and str(server.pid) == pid:
        return f"{server.url}, process {pid}"
    return f"process {pid}, which is starting or stopping" if pid else "it is just starting"


def _is_same(file: int, path: Path) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(file), path.stat())
    return False
