"""Which paths of a project no room and no door reads, writes or shows.

Four kinds: folders whose content programs obey or keep secrets in (`.git`, `.bottega`, `.claude`),
files that hold passwords by custom (`.env`, `.npmrc`), keys, and what git ignores. Who owns
the project opens them with other programs; a service that keeps such a folder says so
(`ClosedPaths.owned`).

A fifth kind is read and never written: what other programs obey without being asked (`.gitignore`,
`.vscode`, `.github`), by which whoever may edit a file would run one, or open what is ignored.

Names are compared as the most forgiving file system would: without case, invisible characters,
trailing dots or a stream's name, so that `.GIT`, `.g\u200cit` and `.git.` are all `.git`.
"""

import re
import tomllib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bottega.core.files.ignored import GitIgnored
from bottega.core.files.languages import PLAINTEXT, language_of
from bottega.core.files.paths import shown
from bottega.errors import Forbidden

_LISTS: dict[str, str] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_FOLDERS = frozenset(_LISTS["folders"].split())
_OBEYED = frozenset(_LISTS["obeyed"].split())
_SECRET_FILES = frozenset(_LISTS["secret_files"].split())
_KEYS = "|".join(_LISTS["keys"].split())

_SECRET_NAME = re.compile(
    rf"""
    .*\.(?:{_KEYS})
    | id_[^.]* | id_(?:rsa|dsa|ecdsa|ed25519).*(?<!\.pub)   # not id_map.py, not a public key
    | ssh_host_.*_key
    | (?:client_secret|service[-_]?account).*\.json
    | secrets?\.(?:json|ya?ml|toml|ini|properties)
    """,
    re.VERBOSE | re.DOTALL,
)

#: What a file called `credentials.…` may be written in and hold none: a program, a text about them.
_DATA_LANGUAGES = frozenset(
    (PLAINTEXT, "json", "jsonc", "jsonl", "yaml", "toml", "ini", "dotenv", "xml", "csv", "log")
)

#: Finds at once whether a name among many needs a closer look.
_SUSPICIOUS = re.compile(
    rf"/(?:[._]|id_|ssh_host|client_secret|service|secret|credentials)|[^\x00-\x7f]"
    rf"|\.(?:{_KEYS})[ .:/]",
    re.IGNORECASE,
)


def is_closed_name(name: str) -> bool:
    """Whether nothing of this name is open, be it a file or a folder."""
    plain = _plain(name)
    return plain in _FOLDERS or plain.startswith(".env")


def is_closed_file(name: str) -> bool:
    """Whether a file of this name is taken to hold a secret."""
    plain = _plain(name)
    if plain.startswith("credentials"):
        return language_of(plain) in _DATA_LANGUAGES
    return (
        is_closed_name(name) or plain in _SECRET_FILES or _SECRET_NAME.fullmatch(plain) is not None
    )


def _plain(name: str) -> str:
    if not name.isascii():
        letters = unicodedata.normalize("NFKC", name)
        name = "".join(each for each in letters if unicodedata.category(each) != "Cf")
    return name.casefold().partition(":")[0].rstrip(" .")


@dataclass(frozen=True, slots=True)
class ClosedPaths:
    """The policy for what lies below one root, by real relative paths: links are resolved before.

    `owned` is a folder that a service keeps there and may use; `private` are folders that are
    closed whatever they are called, such as a data directory inside the project.
    """

    owned: str = ""
    private: tuple[str, ...] = ()
    #: What git ignores, which is asked of the disk: by `check_ignored`, not by `check`.
    ignored: GitIgnored | None = None
    #: Whether a file that has other names, which may lie outside, is not written.
    refuses_hard_links: bool = False
    #: Whether what other programs obey is not written.
    keeps_obeyed: bool = False

    def check(self, path: str, *, is_file: bool = False) -> None:
        """Raises `Forbidden` if the path is closed; `is_file` adds what is closed to files only."""
        if self.is_closed(path, is_file=is_file):
            raise Forbidden(
                f"{shown(path)} is closed: Bottega's rooms neither read nor write version "
                "control's, agents' and its own folders, nor files that hold keys or passwords. "
                "Use another program for it."
            )

    def check_ignored(self, path: str) -> None:
        """Blocking. Raises `Forbidden` for what `.gitignore` hides."""
        if self.ignored is not None and self.ignored.hides(path):
            raise Forbidden(
                f"{shown(path)} is closed: `.gitignore` hides it. The owner opens such files to "
                "the rooms with BOTTEGA_IGNORED_FILES=true."
            )

    def check_written(self, path: str) -> None:
        """Raises `Forbidden` for what other programs obey, where that counts."""
        if self.keeps_obeyed and any(_plain(name) in _OBEYED for name in path.split("/")):
            raise Forbidden(
                f"{shown(path)} is read-only here: git, editors, agents or CI obey it, so that "
                "whoever writes it may run a program. Use another program for it."
            )

    def check_names(self, path: str, names: int) -> None:
        """Raises `Forbidden` for a file with other names, where that counts."""
        if self.refuses_hard_links and names > 1:
            raise Forbidden(
                f"Cannot write {shown(path)}: it is a hard link, and its other name may lie "
                "outside the project. Make a copy of it first."
            )

    def hidden_now(self) -> frozenset[str]:
        """Blocking. Every file and folder that `.gitignore` hides."""
        return self.ignored.everything() if self.ignored is not None else frozenset()

    def is_closed(self, path: str, *, is_file: bool = False) -> bool:
        names = self._beyond_owned(path.split("/") if path else [])
        if any(is_closed_name(name) for name in names):
            return True
        if is_file and names and is_closed_file(names[-1]):
            return True
        return any(path == folder or path.startswith(f"{folder}/") for folder in self.private)

    def open_folders(self, path: str, names: list[str]) -> list[str]:
        """Those of the names in the folder at `path` that are open."""
        return self._open(path, names, is_file=False)

    def open_files(self, path: str, names: list[str]) -> list[str]:
        return self._open(path, names, is_file=True)

    def _open(self, path: str, names: list[str], *, is_file: bool) -> list[str]:
        # Most folders have none: asking all names at once is what keeps the tree fast.
        if not self.private and not _SUSPICIOUS.search(f"/{'/'.join(names)}/"):
            return names
        prefix = f"{path}/" if path else ""
        return [name for name in names if not self.is_closed(prefix + name, is_file=is_file)]

    def _beyond_owned(self, names: list[str]) -> list[str]:
        """The names that are to be judged: the owned folder, and the way to it, are not."""
        owned = self.owned.split("/") if self.owned else []
        return names[len(owned) :] if names[: len(owned)] == owned[: len(names)] else names


#: For every project.
CLOSED = ClosedPaths()


def closed_below(
    root: Path, private: Sequence[Path], *, opens_ignored: bool = False
) -> ClosedPaths:
    """The policy for a project in which some of Bottega's own folders may lie."""
    real = [folder.resolve() for folder in private]
    inside = [folder.relative_to(root) for folder in real if folder.is_relative_to(root)]
    return ClosedPaths(
        private=tuple(folder.as_posix() for folder in inside if folder.parts),
        ignored=None if opens_ignored else GitIgnored(root),
        refuses_hard_links=True,
        keeps_obeyed=True,
    )
