"""What a backup says of itself, as its last entry: a file that was cut off has none."""

import re
from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel

from bottega import __version__
from bottega.core.migrations import head, revisions
from bottega.errors import Conflict

FORMAT = 1
NAME = "manifest.json"


class DatabaseForm(StrEnum):
    """How the database is in it."""

    SQLITE = "sqlite"
    #: PostgreSQL's own `pg_dump`, with every schema.
    PG_DUMP = "pg_dump"
    #: Row by row, as `bottega export` writes it: without the steps of unfinished runs.
    JSON_LINES = "jsonl"


class FileEntry(BaseModel):
    name: str
    size: int
    sha256: str


class Manifest(BaseModel):
    format: int = FORMAT
    version: str
    #: Of the schema.
    revision: str
    created_at: datetime
    database: DatabaseForm
    files: list[FileEntry]
    #: Symbolic links in `DATA_DIR` with where they lead.
    links: dict[str, str] = {}

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)

    def check_age(self) -> None:
        """A newer Bottega's backup may hold what this one does not understand."""
        newer = self.format > FORMAT or _numbers(self.version) > _numbers(__version__)
        if not newer and self.revision in revisions():
            return
        raise Conflict(
            f"The backup was made by a newer Bottega: version {self.version}, schema "
            f"{self.revision!r}; this is {__version__} with schema {head()!r}. Nothing was "
            "changed. Upgrade Bottega, then restore."
        )


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])
