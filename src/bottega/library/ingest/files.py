"""The files of an ingest, in a folder or uploaded: which there are, and what is in them."""

import asyncio
import hashlib
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path, PurePath
from typing import TypeAlias

import structlog
from pydantic import BaseModel
from sqlalchemy import delete, func, insert, select

from bottega.core import clock
from bottega.core.db.database import Database
from bottega.core.files.listing import list_directory
from bottega.core.files.noise import NOISE_DIRECTORIES, is_noise_file
from bottega.core.files.sandbox import Sandbox
from bottega.core.runs import Runs
from bottega.errors import BottegaError, InvalidInput, NotFound, TooLarge
from bottega.library.documents.tables import LibraryUpload
from bottega.library.ingest.repository import IncomingDocument
from bottega.library.ingest.schemas import Rejected
from bottega.library.parsers.detection import SUFFIXES
from bottega.library.parsers.document import Kind, Reason, Unreadable
from bottega.library.parsers.reader import LARGEST_FILE, read_document

log = structlog.get_logger()

_SOURCE = re.compile(r"(?P<above>(?:.*/)?)_sources/(?P<name>.+?)(?:\.(?:rst|md|txt))+")
_INDEX_PAGE = re.compile(r"(?:genindex(?:-\w+)?|(?:py-)?modindex|search)\.html")


class SourceFile(BaseModel):
    #: Relative to the root of the ingest.
    path: str
    size: int


#: The content of a file.
Read: TypeAlias = Callable[[SourceFile], Awaitable[bytes]]


class FoundFiles(BaseModel):
    files: list[SourceFile]
    #: Files that are no documents: pictures, style sheets.
    ignored: int = 0
    rejected: list[Rejected] = []
    #: What was made from something else that is here, or only leads to it.
    skipped: list[Rejected] = []

    def batches(self, *, size: int, count: int) -> Iterator[list[SourceFile]]:
        """Files in order, as many at once as are read and stored in a moment."""
        batch: list[SourceFile] = []
        held = 0
        for file in self.files:
            if batch and (held + file.size > size or len(batch) == count):
                yield batch
                batch, held = [], 0
            batch.append(file)
            held += file.size
        if batch:
            yield batch


@dataclass(frozen=True, slots=True)
class StoredVersion:
    """What the library has of a file already."""

    content_hash: str
    kind: str


@dataclass(slots=True)
class ReadFiles:
    incoming: list[IncomingDocument] = field(default_factory=list)
    #: By the document's path in the library.
    rejected: dict[str, Rejected] = field(default_factory=dict)
    skipped: list[Rejected] = field(default_factory=list)
    unchanged: int = 0


def find_files(root: Path, only: Sequence[str] | None = None) -> FoundFiles:
    """The documents below a folder, in order. Blocking."""
    found = FoundFiles(files=[])
    if only is not None:
        found.files += [SourceFile(path=name, size=_size(root / name)) for name in only]
    elif not root.is_dir():
        found.rejected.append(_rejection(".", "empty", f"There is no folder {str(root)!r}."))
    else:
        _walk(root, "", found)
        _leave_out(found)
        if not found.files and not found.rejected:
            message = f"{str(root)!r} holds no document that can be read."
            found.rejected.append(_rejection(".", Reason.EMPTY, message))
    return found


def _walk(root: Path, folder: str, found: FoundFiles) -> None:
    try:
        listing = list_directory(root, folder)
    except (BottegaError, OSError) as error:
        message = f"The folder {folder or '.'!r} cannot be listed: {error}."
        found.rejected.append(_rejection(folder or ".", "unlisted", message))
        return
    for name in listing.files:
        if is_noise_file(name) or PurePath(name).suffix.lower() not in SUFFIXES:
            found.ignored += 1
        else:
            path = listing.path_of(name)
            found.files.append(SourceFile(path=path, size=_size(root / path)))
    for name in listing.directories:
        is_hidden = name.startswith(".") or name in NOISE_DIRECTORIES
        # A link may lead back up.
        if not is_hidden and name not in listing.links:
            _walk(root, listing.path_of(name), found)


def _leave_out(found: FoundFiles) -> None:
    """What Sphinx puts beside its pages: their sources in `_sources/`, an index and a search."""
    paths = {file.path for file in found.files}
    for file in found.files:
        if (page := _page_of(file.path)) in paths:
            message = f"{file.path}: the source of {page}, which is read."
            found.skipped.append(_rejection(file.path, "same_text", message))
        elif _INDEX_PAGE.fullmatch(PurePath(file.path).name):
            message = f"{file.path}: only leads to other pages."
            found.skipped.append(_rejection(file.path, Reason.NAVIGATION, message))
    left_out = {each.path for each in found.skipped}
    found.files = [file for file in found.files if file.path not in left_out]


def _page_of(path: str) -> str | None:
    """The page that Sphinx made from a source: `manual/ch1.html` of `_sources/ch1.rst.txt`."""
    source = _SOURCE.fullmatch(path)
    return f"{source['above']}{source['name']}.html" if source else None


def in_folder(root: Path) -> Read:
    sandbox = Sandbox(root, max_file_bytes=LARGEST_FILE)
    return lambda file: sandbox.read_bytes(file.path)


async def read_files(
    read: Read,
    files: Sequence[SourceFile],
    place: Callable[[str], str],
    known: Mapping[str, StoredVersion],
    kind: Kind | None,
) -> ReadFiles:
    """Read those that are not as they are known; `place` gives a file's path in the library."""
    reading = ReadFiles()
    for file in files:
        path = place(file.path)
        try:
            data = await read(file)
            await asyncio.to_thread(_read, data, path, known.get(path), kind, reading)
        except Unreadable as error:
            rejection = _rejection(path, error.reason, error.message)
            if error.reason is Reason.NAVIGATION:
                reading.skipped.append(rejection)
            else:
                reading.rejected[path] = rejection
        except TooLarge as error:
            reading.rejected[path] = _rejection(path, Reason.TOO_LARGE, error.message)
        except BottegaError as error:
            reading.rejected[path] = _rejection(path, error.type, error.message)
        except Exception as error:
            # A file is anybody's: whatever it does to a reader, the others go in.
            log.exception("library.reader_failed", path=path)
            message = f"{path}: {type(error).__name__} while it was read."
            reading.rejected[path] = _rejection(path, Reason.MALFORMED, message)
    return reading


def _read(
    data: bytes, path: str, known: StoredVersion | None, kind: Kind | None, reading: ReadFiles
) -> None:
    content_hash = hashlib.sha256(data).hexdigest()
    if known and known.content_hash == content_hash and kind in (None, known.kind):
        reading.unchanged += 1
        return
    document = read_document(data, PurePath(path).name, kind=kind)
    reading.incoming.append(IncomingDocument(path, content_hash, len(data), document))


def check_names(names: Sequence[str]) -> None:
    """Uploads have plain names, each once."""
    for name in names:
        if not name or name != PurePath(name.replace("\\", "/")).name or name in (".", ".."):
            raise InvalidInput(f"{name!r} is no plain file name: leave out the folders.")
    if len(set(names)) < len(names):
        raise InvalidInput("Two of the files have the same name. Upload them one after the other.")


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _rejection(path: str, reason: str, message: str) -> Rejected:
    return Rejected(path=path, reason=str(reason), message=message)


#: After that long without a run, none will come: a crash came between.
ABANDONED = timedelta(hours=1)


class Uploads:
    """Uploaded files wait in the database, under the id of the run that will read them.

    That run may be on another machine.
    """

    def __init__(self, database: Database, runs: Runs) -> None:
        self._database = database
        self._runs = runs

    async def keep(self, library_id: str, run_id: str, files: Sequence[tuple[str, bytes]]) -> None:
        """Pairs of name and content."""
        async with self._database.write() as session:
            # One after the other: together they may be larger than a statement can be.
            for name, content in files:
                row = {"batch": run_id, "name": name, "library_id": library_id, "content": content}
                await session.execute(insert(LibraryUpload).values(row))

    async def files(self, run_id: str) -> list[SourceFile]:
        query = (
            select(LibraryUpload.name, func.length(LibraryUpload.content))
            .where(LibraryUpload.batch == run_id)
            .order_by(LibraryUpload.name)
        )
        async with self._database.read() as session:
            rows = await session.execute(query)
            return [SourceFile(path=name, size=size) for name, size in rows]

    def reader(self, run_id: str) -> Read:
        async def read(file: SourceFile) -> bytes:
            if file.size > LARGEST_FILE:
                raise TooLarge(
                    f"{file.path!r} has {file.size:,} bytes; {LARGEST_FILE:,} is the most."
                )
            async with self._database.read() as session:
                found = await session.get(LibraryUpload, (run_id, file.path))
            if found is None:
                raise NotFound(f"The upload of {file.path!r} is gone. Send it again.")
            return found.content

        return read

    async def forget(self, run_id: str) -> None:
        async with self._database.write() as session:
            await session.execute(delete(LibraryUpload).where(LibraryUpload.batch == run_id))

    async def forget_left_over(self, library_id: str) -> None:
        """Those of runs that were cancelled, or that a crash kept from being started."""
        query = (
            select(LibraryUpload.batch, func.max(LibraryUpload.created_at))
            .where(LibraryUpload.library_id == library_id)
            .group_by(LibraryUpload.batch)
        )
        async with self._database.read() as session:
            kept = (await session.execute(query)).all()
        for run_id, since in kept:
            try:
                is_left_over = (await self._runs.get(run_id)).status.is_final
            except NotFound:
                is_left_over = since < clock.now() - ABANDONED
            if is_left_over:
                await self.forget(run_id)
