"""What a repository's `.gitignore` hides: local notes, secrets, data, what was built.

It is git that says so, in a clean configuration (`core/git.py`): of one file when it is read or
written, of all of them when the tree is drawn. An answer holds for as long as none of the files
changes that it depends on; git is asked for a whole folder at once, so that a project is not a
thousand questions. A project that is in no repository hides nothing, and neither does one on a
machine without git.

All of it blocks: call it from a thread.
"""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from bottega.core.git import Repository, ask_now, find_repository

#: Names of one folder that are asked together.
MOST_TOGETHER = 2_000
MOST_REMEMBERED = 50_000

#: Of the files that an answer depends on, whether they are there, and as what.
State = tuple[tuple[int, int, int] | None, ...]


class GitIgnored:
    def __init__(self, root: Path) -> None:
        self._root = root
        self._known: dict[str, tuple[State, bool]] = {}

    def hides(self, path: str) -> bool:
        """Of a path below the root, which need not be there."""
        repository = find_repository(self._root)
        if repository is None:
            return False
        state = self._state(repository, path)
        if not any(state[1:]):
            return False
        known = self._known.get(path)
        if known is None or known[0] != state:
            self._learn(path, state)
            known = self._known[path]
        return known[1]

    def among(self, paths: Iterable[str]) -> set[str]:
        return {path for path in paths if self.hides(path)}

    def everything(self) -> frozenset[str]:
        """Every hidden file and folder that is there; of a folder that is hidden, only itself."""
        if find_repository(self._root) is None:
            return frozenset()
        found = ask_now(
            self._root,
            *("ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"),
        )
        return frozenset(each.rstrip("/") for each in _split(found))

    def _learn(self, path: str, state: State) -> None:
        """Ask for the path, and for what lies beside it."""
        folder = path.rpartition("/")[0]
        prefix = f"{folder}/" if folder else ""
        beside = [prefix + name for name in _names(self._root / folder)[:MOST_TOGETHER]]
        asked = list(dict.fromkeys([path, *beside]))
        hidden = self._ask(asked)
        if hidden is None:
            # One that git will not speak of, such as a submodule's, spoils the answer for all.
            asked = [path]
            hidden = self._ask(asked) or set()
        if len(self._known) > MOST_REMEMBERED:
            self._known.clear()
        self._known |= {each: (state, each in hidden) for each in asked}

    def _ask(self, paths: Sequence[str]) -> set[str] | None:
        # With a dot before it, no name is taken for a pattern.
        given = b"".join(b"./" + os.fsencode(path) + b"\0" for path in paths)
        found = ask_now(self._root, "check-ignore", "--stdin", "-z", given=given, none=1)
        return None if found is None else {each.removeprefix("./") for each in _split(found)}

    def _state(self, repository: Repository, path: str) -> State:
        """Of the index, then of all files with rules for this path."""
        folder = (self._root / path).parent
        rules = [folder / ".gitignore"]
        while folder != repository.work_tree and folder.is_relative_to(repository.work_tree):
            folder = folder.parent
            rules.append(folder / ".gitignore")
        exclude = repository.common / "info" / "exclude"
        return tuple(_stat(each) for each in (repository.own / "index", exclude, *rules))


def _split(answer: bytes | None) -> list[str]:
    return [os.fsdecode(each) for each in (answer or b"").split(b"\0") if each]


def _names(folder: Path) -> list[str]:
    try:
        return [each.name for each in folder.iterdir()]
    except OSError:
        return []


def _stat(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.lstat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size
