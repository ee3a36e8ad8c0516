"""What a caller's path means, decided by its letters alone, before anything touches the disk.

The result is relative, with `/`, without `.` and `..`; the empty string is the root. Whether links
on the way lead outside is a question for the disk: `lookup.py` answers it.
"""

import os
import posixpath
from pathlib import Path

from bottega.errors import Forbidden, InvalidInput

#: What a caller may hand over for a path.
FilePath = str | os.PathLike[str]

MAX_PATH_BYTES = 4096
MAX_NAME_BYTES = 255
MAX_DEPTH = 256


def relative_path(root: Path, path: FilePath, *aliases: Path) -> str:
    """FR-023: the path as seen from `root`. `aliases` are other names of the same root."""
    text = os.fspath(path)
    _check_letters(text)
    if text.startswith("/"):
        text = _below(text, (root, *aliases))
    clean = posixpath.normpath(text)
    if clean == ".." or clean.startswith("../"):
        raise outside(text)
    parts = [] if clean == "." else clean.split("/")
    if len(parts) > MAX_DEPTH:
        raise InvalidInput(f"{shown(text)} is {len(parts)} levels deep; {MAX_DEPTH} are allowed.")
    if any(len(part.encode()) > MAX_NAME_BYTES for part in parts):
        raise InvalidInput(f"{shown(text)} has a name longer than {MAX_NAME_BYTES} bytes.")
    return "/".join(parts)


def outside(path: str) -> Forbidden:
    return Forbidden(
        f"{shown(path)} is outside the project. Use a path relative to the project's directory."
    )


def shown(path: str) -> str:
    """A path as messages quote it: hostile ones are long, or carry control characters."""
    return repr(path if len(path) <= 200 else f"{path[:160]}…{path[-30:]}")


def _check_letters(text: str) -> None:
    if "\0" in text:
        raise InvalidInput(f"{shown(text)} has a NUL byte in it, which no file name can have.")
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        raise InvalidInput(f"{shown(text)} is not valid Unicode.") from error
    if size > MAX_PATH_BYTES:
        raise InvalidInput(f"{shown(text)} is {size} bytes long; a path may have {MAX_PATH_BYTES}.")


def _below(text: str, roots: tuple[Path, ...]) -> str:
    """An absolute path is as good as a relative one if it names something inside."""
    clean = posixpath.normpath("/" + text.lstrip("/"))
    for root in map(str, roots):
        if clean == root:
            return "."
        if clean.startswith(root.rstrip("/") + "/"):
            return clean[len(root.rstrip("/")) + 1 :]
    raise outside(text)
