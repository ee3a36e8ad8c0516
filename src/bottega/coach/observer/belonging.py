"""Whether a file belongs to the work at hand: expected, a test, or used by what is expected."""

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

#: Words that begin a line which names another module, in the languages people mostly write.
_IMPORTING = r"^[ \t]*(?:from|import|export|require|use|using|mod|include|#include|const|let|var)\b"
_TEST_FOLDERS = frozenset({"test", "tests", "__tests__", "spec", "specs"})
_TEST_NAME = re.compile(r"(?:^|[_.-])(?:test|tests|spec)(?:$|[_.-])", re.IGNORECASE)
#: Files that stand for their folder.
_FOLDER_FILES = frozenset({"__init__", "index", "mod"})


def is_expected(path: str, expected: Iterable[str]) -> bool:
    return any(_covers(_plain(entry), _plain(path)) for entry in expected)


def _covers(entry: str, path: str) -> bool:
    """A plan may name a file, a folder, or only the end of a path."""
    return bool(entry) and (
        path == entry or path.startswith(f"{entry}/") or path.endswith(f"/{entry}")
    )


def _plain(path: str) -> str:
    return path.replace("\\", "/").removeprefix("./").strip("/")


def is_test(path: str) -> bool:
    place = PurePosixPath(_plain(path))
    return bool(_TEST_FOLDERS & {part.lower() for part in place.parts[:-1]}) or bool(
        _TEST_NAME.search(place.stem)
    )


def is_imported(path: str, text: str) -> bool:
    """Whether a line of `text` that imports names this file."""
    place = PurePosixPath(_plain(path))
    name = place.parent.name if place.stem in _FOLDER_FILES else place.stem
    if not name:
        return False
    line = rf"{_IMPORTING}.*\b{re.escape(name)}\b"
    return re.search(line, text, re.MULTILINE) is not None
