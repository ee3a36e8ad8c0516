"""The files an ingest is made of: which there are, and what is in them."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import TypeAlias

import structlog
from pydantic import BaseModel

from bottega.core.files.listing import list_directory
from bottega.core.files.noise import NOISE_DIRECTORIES, is_noise_file
from bottega.core.files.sandbox import Sandbox
from bottega.errors import BottegaError, InvalidInput, TooLarge
from bottega.library.filling.comparing import Incoming
from bottega.library.reading import (
    LARGEST_FILE,
    SUFFIXES,
    Kind,
    Reason,
    Unreadable,
    read_document,
)
from bottega.library.views import Rejected

log = structlog.get_logger()

#: What begins the path of a document that was uploaded: no folder's ingest removes it.
UPLOADED = "upload:"


class SourceFile(BaseModel):
    #: Relative to the root of the ingest.
    path: str
    size: int


#: The content of a file.
Read: TypeAlias = Callable[[SourceFile], Awaitable[bytes]]


class Found(BaseModel):
    files: list[SourceFile]
    #: Files that are no documents: pictures, style sheets.
    ignored: int = 0
    rejected: list[Rejected] = []

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
class Known:
    """What the library has of a file already."""

    content_hash: str
    kind: str


@dataclass(slots=True)
class Reading:
    incoming: list[Incoming] = field(default_factory=list)
    #: By the document's path in the library.
    rejected: dict[str, Rejected] = field(default_factory=dict)
    unchanged: int = 0


def find_files(root: Path, only: Sequence[str] | None = None) -> Found:
    """The documents below a folder, in order. Blocking."""
    found = Found(files=[])
    if only is not None:
        found.files += [SourceFile(path=name, size=_size(root / name)) for name in only]
    elif not root.is_dir():
        found.rejected.append(_rejection(".", "empty", f"There is no folder {str(root)!r}."))
    else:
        _walk(root, "", found)
        if not found.files and not found.rejected:
            message = f"{str(root)!r} holds no document that can be read."
            found.rejected.append(_rejection(".", Reason.EMPTY, message))
    return found


def _walk(root: Path, folder: str, found: Found) -> None:
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


def in_folder(root: Path) -> Read:
    sandbox = Sandbox(root, max_file_bytes=LARGEST_FILE)
    return lambda file: sandbox.read_bytes(file.path)


async def read_files(
    read: Read,
    files: Sequence[SourceFile],
    place: Callable[[str], str],
    known: Mapping[str, Known],
    kind: Kind | None,
) -> Reading:
    """Read those that are not as they are known; `place` gives a file's path in the library."""
    reading = Reading()
    for file in files:
        path = place(file.path)
        try:
            data = await read(file)
            await asyncio.to_thread(_read, data, path, known.get(path), kind, reading)
        except Unreadable as error:
            reading.rejected[path] = _rejection(path, error.reason, error.message)
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


def _read(data: bytes, path: str, known: Known | None, kind: Kind | None, reading: Reading) -> None:
    content_hash = hashlib.sha256(data).hexdigest()
    if known and known.content_hash == content_hash and kind in (None, known.kind):
        reading.unchanged += 1
        return
    document = read_document(data, PurePath(path).name, kind=kind)
    reading.incoming.append(Incoming(path, content_hash, len(data), document))


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
