"""The file itself: a compressed tar whose every entry has its checksum in the manifest.

The manifest is the last entry: a file that was cut off has none.
"""

import hashlib
import io
import os
import re
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import IO

from pydantic import BaseModel, ValidationError

from bottega import __version__
from bottega.core.db.migrations import head, revisions
from bottega.core.files.failures import explained
from bottega.errors import Conflict, InvalidInput

FORMAT = 1
NAME = "manifest.json"
CHUNK = 1024 * 1024

#: Called with the name and the size of every entry that is done.
OnEntry = Callable[[str, int], None]


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


class Archive:
    """One that is being written."""

    def __init__(self, tar: tarfile.TarFile, on_entry: OnEntry) -> None:
        self._tar = tar
        self._on_entry = on_entry
        self.entries: list[FileEntry] = []

    def add(self, name: str, source: Path) -> None:
        with explained("read", str(source)), source.open("rb") as stream:
            info = tarfile.TarInfo(name)
            status = os.fstat(stream.fileno())
            info.size, info.mtime, info.mode = status.st_size, status.st_mtime, status.st_mode
            hashing = _Hashing(stream)
            self._tar.addfile(info, hashing)
        self.entries.append(FileEntry(name=name, size=info.size, sha256=hashing.hexdigest()))
        self._on_entry(name, info.size)

    def finish(self, manifest: Manifest) -> None:
        data = manifest.model_dump_json(indent=2).encode()
        info = tarfile.TarInfo(NAME)
        info.size = len(data)
        self._tar.addfile(info, io.BytesIO(data))


class _Hashing(io.RawIOBase):
    """Hashes what the archive reads: no more than the size it was given, even of a growing file."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._hash = hashlib.sha256()

    def read(self, size: int = -1, /) -> bytes:
        data = self._stream.read(size)
        self._hash.update(data)
        return data

    def hexdigest(self) -> str:
        return self._hash.hexdigest()


@contextmanager
def writing(file: Path, on_entry: OnEntry) -> Iterator[Archive]:
    """Whole or not there at all, and for its owner alone: it holds secrets."""
    if file.exists():
        raise Conflict(f"{file} exists already. Choose another name, or move it away.")
    partial = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            with tarfile.open(fileobj=stream, mode="w:gz", compresslevel=6) as tar:
                yield Archive(tar, on_entry)
            stream.flush()
            os.fsync(stream.fileno())
        partial.rename(file)
    finally:
        partial.unlink(missing_ok=True)


def verify(file: Path, on_entry: OnEntry) -> Manifest:
    return _read(file, None, on_entry)


def extract(file: Path, target: Path, on_entry: OnEntry) -> Manifest:
    """Put its entries under `target`, each checked."""
    manifest = _read(file, target, on_entry)
    # Links last: nothing can be written through them.
    for name, leads_to in manifest.links.items():
        path = target / _safe(file, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(leads_to)
    return manifest


def _read(file: Path, target: Path | None, on_entry: OnEntry) -> Manifest:
    found: list[FileEntry] = []
    written = None
    with explained("read", str(file)):
        opened = file.open("rb")
    try:
        with opened, tarfile.open(fileobj=opened, mode="r:gz") as tar:
            for member in tar:
                stream = tar.extractfile(member) if member.isreg() else None
                if stream is None:
                    raise damaged(file, f"{member.name!r} is no plain file")
                if member.name == NAME:
                    written = Manifest.model_validate_json(stream.read())
                    continue
                path = None if target is None else target / _safe(file, member.name)
                found.append(_take_out(stream, member, path))
                on_entry(member.name, member.size)
    except ValidationError:
        raise damaged(file, "its manifest cannot be read") from None
    except (tarfile.TarError, EOFError, zlib.error, OSError) as error:
        raise damaged(file, str(error)) from error
    if written is None:
        raise damaged(file, "it has no manifest; it was cut off, perhaps")
    _compare(file, written, found)
    return written


def _take_out(stream: IO[bytes], member: tarfile.TarInfo, path: Path | None) -> FileEntry:
    digest = hashlib.sha256()
    if path is None:
        while chunk := stream.read(CHUNK):
            digest.update(chunk)
    else:
        with _output(path) as output:
            while chunk := stream.read(CHUNK):
                digest.update(chunk)
                with explained("write", str(path)):
                    output.write(chunk)
        path.chmod(member.mode & 0o700 | 0o600)
    return FileEntry(name=member.name, size=member.size, sha256=digest.hexdigest())


def _output(path: Path) -> IO[bytes]:
    # Unbuffered, so that a full disk shows when it is written to, and not as damage to the archive.
    with explained("write", str(path)):
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("xb", buffering=0)


def _compare(file: Path, written: Manifest, found: list[FileEntry]) -> None:
    by_name = {entry.name: entry for entry in found}
    for entry in written.files:
        if by_name.pop(entry.name, None) != entry:
            raise damaged(file, f"{entry.name!r} is missing or has another checksum")
    if by_name:
        raise damaged(file, f"{min(by_name)!r} is not in its manifest")


def _safe(file: Path, name: str) -> PurePosixPath:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.parts:
        raise damaged(file, f"{name!r} leads out of it")
    return path


def damaged(file: Path, reason: str) -> InvalidInput:
    return InvalidInput(
        f"{file} is damaged or no backup: {reason}. Nothing was changed. Use another copy."
    )
