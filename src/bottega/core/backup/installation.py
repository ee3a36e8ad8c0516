"""What is backed up: the databases, and the files that nothing else could bring back."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import make_url

from bottega.core.db.database import Database

#: What SQLite and our lock keep beside a database.
BESIDE = ("", "-wal", "-shm", "-journal", ".lock")
#: Of a running process, or of this machine's window: worthless without it.
PASSING = ("server.json", "server.lock", "credentials.lock", "desktop")
#: How a backup is named by default; one within `DATA_DIR` is no part of the next.
PREFIX = "bottega-backup-"
#: What a restore kept within a `DATA_DIR` that it could not move.
KEPT = "before-restore-"
#: Where a restore makes everything ready.
STAGING = ".restoring-"


@dataclass(frozen=True, slots=True)
class Installation:
    data_dir: Path
    database_url: str
    #: Of durable runs: a file of its own, or the same PostgreSQL.
    runs_url: str

    def database(self) -> Database:
        return Database(self.database_url)

    @property
    def database_file(self) -> Path | None:
        return sqlite_file(self.database_url)

    @property
    def runs_file(self) -> Path | None:
        return sqlite_file(self.runs_url)

    def files(self) -> Iterator[Path]:
        """Files and links under `DATA_DIR`, without databases and what is only passing."""
        databases = [path for path in (self.database_file, self.runs_file) if path is not None]
        left_out = {Path(f"{path}{ending}") for path in databases for ending in BESIDE}
        left_out.update(self.data_dir / name for name in PASSING)
        for folder, folders, names in os.walk(self.data_dir):
            folders[:] = [
                name
                for name in folders
                if not name.startswith((KEPT, STAGING)) and Path(folder, name) not in left_out
            ]
            linked = [name for name in folders if Path(folder, name).is_symlink()]
            for name in sorted([*names, *linked]):
                path = Path(folder, name)
                if path not in left_out and not name.startswith(PREFIX) and _is_kept(path):
                    yield path


def sqlite_file(url: str) -> Path | None:
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite":
        return None
    return Path(parsed.database or "").absolute()


def _is_kept(path: Path) -> bool:
    # Neither sockets nor pipes, nor files that are renamed when they are whole.
    return (path.is_symlink() or path.is_file()) and path.suffix not in (".tmp", ".new")
