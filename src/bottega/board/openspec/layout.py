"""How a project's `openspec` directory is laid out: its paths, and the names of changes."""

import re
import unicodedata
from collections.abc import Container, Iterable
from dataclasses import dataclass
from datetime import date

from bottega.errors import InvalidInput

#: The CLI allows 200; people read these in lists.
MAX_MADE = 60
MAX_GIVEN = 200

ROOT = "openspec"
CHANGES = f"{ROOT}/changes"
ARCHIVE = "archive"
ARCHIVED = f"{CHANGES}/{ARCHIVE}"
SPECS = f"{ROOT}/specs"
SCHEMAS = f"{ROOT}/schemas"
#: Names that Windows keeps for devices: a project with one could not be checked out there.
_DEVICES = {
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{port}{n}" for port in ("com", "lpt") for n in range(10)),
}

_KEBAB = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_DATED = re.compile(r"(\d{4}-\d{2}-\d{2})-(.+)")


def is_kebab(text: str) -> bool:
    return _KEBAB.fullmatch(text) is not None


def is_change_directory(name: str) -> bool:
    """Every directory right below `changes` is a change, but for hidden ones and the archive."""
    return name != ARCHIVE and not name.startswith(".")


def checked_id(text: str) -> str:
    """The id of a change that may exist: one name, no path and no option of a program."""
    if (
        not text
        or len(text) > MAX_GIVEN
        or text.startswith(("-", "."))
        or text == ARCHIVE
        or any(sign in "/\\" or not sign.isprintable() for sign in text)
    ):
        raise InvalidInput(
            f"{text[:80]!r} is no change id. An id is a directory's name: add-login."
        )
    return text


def checked_new_id(text: str) -> str:
    checked_id(text)
    if not is_kebab(text) or text in _DEVICES:
        raise InvalidInput(
            f"{text[:80]!r} cannot name a new change. Use small letters, digits and single "
            "hyphens: add-login."
        )
    return text


def checked_capability(text: str) -> str:
    """`area/name`: each part in kebab-case."""
    parts = text.split("/")
    if len(text) > MAX_GIVEN or not all(is_kebab(part) and part not in _DEVICES for part in parts):
        raise InvalidInput(
            f"{text[:80]!r} is no capability. Use small letters, digits and hyphens, with / "
            "between areas: user-auth or identity/user-auth."
        )
    return text


def change_id(title: str, taken: Container[str] = ()) -> str:
    """A title as a change id that nobody has yet: `Fix: login is slow` → `fix-login-is-slow`."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", plain.replace("'", ""))
    made = ""
    for word in words:
        longer = f"{made}-{word}" if made else word[:MAX_MADE]
        if len(longer) > MAX_MADE:
            break
        made = longer
    if not made or made == ARCHIVE or made in _DEVICES or _DATED.match(made):
        made = f"change-{made}".rstrip("-")
    candidate, number = made, 2
    while candidate in taken:
        candidate, number = f"{made}-{number}", number + 1
    return candidate


def archive_name(change: str, day: date) -> str:
    """A change that carries a date already keeps it."""
    return change if _DATED.fullmatch(change) else f"{day.isoformat()}-{change}"


def split_archive_name(name: str) -> tuple[str, date | None]:
    """The change's id and the day it was archived."""
    found = _DATED.fullmatch(name)
    if found is None:
        return name, None
    try:
        return found.group(2), date.fromisoformat(found.group(1))
    except ValueError:
        return name, None


@dataclass(frozen=True, slots=True)
class Touched:
    changes: frozenset[str] = frozenset()
    #: Ids, not directories: a change that moves into the archive stays the same change.
    archived: frozenset[str] = frozenset()
    specs: frozenset[str] = frozenset()


def touched(paths: Iterable[str]) -> Touched:
    """Paths are relative to the project, with `/`, as watchers give them."""
    changes: set[str] = set()
    archived: set[str] = set()
    specs: set[str] = set()
    for path in paths:
        if inner := _below(ARCHIVED, path):
            archived |= (
                {split_archive_name(inner[0])[0]} if is_change_directory(inner[0]) else set()
            )
        elif inner := _below(CHANGES, path):
            changes |= {inner[0]} if is_change_directory(inner[0]) else set()
        elif (inner := _below(SPECS, path)) and inner[-1] == "spec.md" and len(inner) > 1:
            specs.add("/".join(inner[:-1]))
    return Touched(frozenset(changes), frozenset(archived), frozenset(specs))


def _below(directory: str, path: str) -> list[str]:
    inner = path.removeprefix(f"{directory}/")
    return inner.split("/") if inner != path else []
