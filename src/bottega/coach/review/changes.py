"""What a learner changed: from the last commit before then to what is in the editor now.

Where git does not know the past, unsaved edits are compared with the disk, and a file that was
saved meanwhile counts as changed although nobody can say how.
"""

import asyncio
import os
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from bottega.coach.editor.state import EditorState
from bottega.core import git
from bottega.core.files.diffs import unified_diff
from bottega.core.files.languages import is_binary, language_of
from bottega.errors import BottegaError, NotFound

#: Files that are looked at; a phase that changes more is too big for one review.
MOST_FILES = 50

_HUNK = re.compile(r"^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@")


class Git:
    def __init__(self, root: Path, program: str = "git") -> None:
        self._root = root
        self._program = program

    async def commit_before(self, moment: datetime | None) -> str | None:
        """The last commit before then; None without git or a repository.

        In a repository that is younger it is the newest commit, and without any the empty tree.
        """
        if await self._ask("rev-parse", "--git-dir") is None:
            return None
        if moment is not None:
            found = await self._ask("rev-list", "-1", f"--before={moment.isoformat()}", "HEAD")
            if found:
                return found.decode().strip()
        newest = await self._ask("rev-parse", "--verify", "--quiet", "HEAD")
        found = newest or await self._ask("hash-object", "-t", "tree", os.devnull)
        return found.decode().strip() if found else None

    async def changed_since(self, commit: str) -> list[str]:
        """Paths that differ from then, seen from the project's root; new files too."""
        differing = await self._ask(
            *("diff", "--name-only", "-z", "--relative", "--no-renames", "--no-color"),
            *("--no-ext-diff", "--no-textconv", "--ignore-submodules=all", commit),
        )
        untracked = await self._ask("ls-files", "--others", "--exclude-standard", "-z")
        names = b"".join(answer or b"" for answer in (differing, untracked)).split(b"\0")
        return [name.decode(errors="replace") for name in names if name]

    async def content(self, commit: str, path: str) -> bytes | None:
        """The file as it was then; None if there was none."""
        return await self._ask("cat-file", "blob", f"{commit}:./{path}")

    async def _ask(self, *arguments: str) -> bytes | None:
        return await git.ask(self._root, *arguments, program=self._program)


@dataclass(frozen=True, slots=True)
class ChangedFile:
    path: str
    #: Unified; empty where the past is not known.
    diff: str
    #: As it is now, unsaved edits included; None if it is gone.
    content: str | None

    def added(self) -> Iterator[tuple[int, str]]:
        """The new lines with their numbers."""
        number = 0
        for line in self.diff.split("\n")[2:]:
            if hunk := _HUNK.match(line):
                number = int(hunk[1])
            elif line.startswith("+"):
                yield number, line[1:]
                number += 1
            elif line.startswith(" "):
                number += 1

    @property
    def size(self) -> str:
        marks = [line[:1] for line in self.diff.split("\n")[2:]]
        return f"+{marks.count('+')} −{marks.count('-')}" if self.diff else "saved"


async def changes_since(
    editor: EditorState,
    moment: datetime | None,
    saved: Collection[str] = (),
    expected: Collection[str] = (),
) -> list[ChangedFile]:
    """`saved` are the paths that were saved since then; those that are expected come first."""
    git = Git(editor.files.root)
    commit = await git.commit_before(moment)
    paths = dict.fromkeys([*editor.files.buffers.dirty(), *saved])
    if commit is not None:
        paths |= dict.fromkeys(await git.changed_since(commit))
    found: list[ChangedFile] = []
    for path in sorted(filter(_is_reviewable, paths), key=lambda path: path not in expected):
        if len(found) == MOST_FILES:
            break
        try:
            change = await _change(editor, git, commit, path)
        except BottegaError:
            # Too large, or behind a link that leads outside: not for a review.
            continue
        if change is not None:
            found.append(change)
    return found


def _is_reviewable(path: str) -> bool:
    """Text, and not where passwords are kept."""
    return not is_binary(path) and language_of(path) != "dotenv"


async def _change(
    editor: EditorState, git: Git, commit: str | None, path: str
) -> ChangedFile | None:
    on_disk = await _on_disk(editor, path)
    buffer = editor.files.get_buffer(path)
    now = buffer.content if buffer is not None and buffer.dirty else on_disk
    if commit is None:
        before = on_disk
    else:
        data = await git.content(commit, path)
        before = None if data is None else data.decode(errors="replace")
    if before is None and now is None:
        return None
    diff = await asyncio.to_thread(unified_diff, path, before, now or "")
    is_untouched = not diff and commit is not None
    return None if is_untouched else ChangedFile(path, diff, now)


async def _on_disk(editor: EditorState, path: str) -> str | None:
    try:
        file = await editor.files.read(path)
    except NotFound:
        return None
    return None if file.binary else file.content
