"""Writing a project's OpenSpec directory without treading on anybody's text.

Files are the truth and others write them too: a person, an agent, the CLI, another server. So a
write names the revision it was made from and is refused when the file is another by now, with both
texts in the answer.

Blocking, and to be called under the lock (`lock.py`): a caller that is cancelled leaves the thread
to finish, so that nothing stays half done.
"""

import secrets
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict
from datetime import date, datetime
from pathlib import PurePosixPath

from bottega.board.openspec.changes import Change
from bottega.board.openspec.drafts import NewChange
from bottega.board.openspec.ids import (
    archive_name,
    change_id,
    checked_id,
    checked_new_id,
    split_archive_name,
)
from bottega.board.openspec.issues import Validation
from bottega.board.openspec.metadata import FILE_NAME
from bottega.board.openspec.moving import move_directory
from bottega.board.openspec.reading import ARCHIVED, CHANGES, Reader
from bottega.board.openspec.rendering import render_change
from bottega.board.openspec.tasks import tick
from bottega.board.openspec.texts import TextFile
from bottega.board.openspec.validation import validate
from bottega.core.files.noise import TEMPORARY_PREFIX
from bottega.errors import Conflict, InvalidInput, NotFound

TASKS = "tasks.md"
#: What a person may edit in a change, beside its delta specs.
EDITABLE = ("proposal.md", TASKS, "design.md", FILE_NAME)


class Writer(Reader):
    def save(self, change: str, name: str, text: str, expected: str | None) -> TextFile:
        path = edited_path(change, name)
        if change not in self.change_ids():
            raise gone(change, path, text)
        current = self.load_if_there(path)
        if current and not current.readable:
            message = f"{path} is not overwritten unseen: {current.problems[0].message}"
            raise Conflict(message, path=path, yours=text, theirs=None, revision="")
        revision = current.revision if current else None
        if revision != expected:
            message = f"{path} was changed by somebody else since you read it; look at both texts."
            theirs = current.text if current else None
            raise Conflict(message, path=path, yours=text, theirs=theirs, revision=revision)
        self._write(path, text, None)
        return self.load(path)

    def tick_tasks(self, change: str, tasks: Iterable[str], done: bool) -> Change:
        path = f"{CHANGES}/{change}/{TASKS}"
        file = self.load(path)
        if not file.readable:
            raise NotFound(f"Cannot tick tasks of {change!r}: {file.problems[0].message}")
        text = file.text
        for task in tasks:
            text = tick(text, task, done)
        if text != file.text:
            self._write(path, text, None)
        return self.active_change(change)

    def create(self, draft: NewChange) -> Change:
        """In a hidden directory first, which then gets its name: nobody sees half a change."""
        files = render_change(draft, _today())
        change = self._free_id(draft)
        hidden = f"{CHANGES}/{TEMPORARY_PREFIX}{secrets.token_hex(8)}"
        try:
            for name, text in files.items():
                self._write(f"{hidden}/{name}", text, None)
            self._check_valid(change, hidden)
            move_directory(self.root, hidden, f"{CHANGES}/{change}")
        except BaseException:
            self._discard(hidden, files)
            raise
        return self.active_change(change)

    def put_away(self, change: str) -> Change:
        name = archive_name(change, _today())
        move_directory(self.root, f"{CHANGES}/{change}", f"{ARCHIVED}/{name}")
        return self.archived_change(name)

    def verdict(self, change: Change, *, strict: bool = True) -> Validation:
        capabilities = {file.capability for file in change.deltas}
        known = capabilities.intersection(self.spec_ids())
        return validate(change, map(self.spec, known), strict=strict)

    def _free_id(self, draft: NewChange) -> str:
        taken = set(self.change_ids())
        taken |= {split_archive_name(name)[0] for name in self.archive_names()}
        if draft.id is None:
            return change_id(draft.title, taken)
        if checked_new_id(draft.id) in taken:
            raise Conflict(f"There is a change {draft.id!r} already. Choose another id.")
        return draft.id

    def _check_valid(self, change: str, directory: str) -> None:
        found = self.verdict(self.read_change(change, directory))
        if not found.valid:
            said = "; ".join(f"{issue.path}: {issue.message}" for issue in found.issues)
            raise InvalidInput(
                f"The change {change!r} would not be valid. {said}",
                issues=[asdict(issue) for issue in found.issues],
            )

    def _discard(self, directory: str, files: Iterable[str]) -> None:
        """Whatever of it was written already."""
        paths = {f"{directory}/{name}" for name in files}
        parents = {str(parent) for path in paths for parent in PurePosixPath(path).parents}
        made = {parent for parent in parents if parent.startswith(directory)}
        for path in sorted(paths | made, key=len, reverse=True):
            with suppress(NotFound):
                self._remove(path)


def edited_path(change: str, name: str) -> str:
    """A file of a change that may be edited, as seen from the project."""
    parts = name.split("/")
    is_delta = len(parts) > 2 and parts[0] == "specs" and parts[-1] == "spec.md"
    hidden = any(not part or part.startswith(".") or not part.isprintable() for part in parts)
    if name not in EDITABLE and (not is_delta or hidden):
        known = ", ".join(EDITABLE)
        raise InvalidInput(f"{name[:80]!r} is no file of a change. Use {known} or specs/…/spec.md.")
    return f"{CHANGES}/{checked_id(change)}/{name}"


def gone(change: str, path: str, text: str) -> Conflict:
    message = f"The change {change!r} is not there any more; your text was not saved."
    return Conflict(message, path=path, yours=text, theirs=None, revision=None)


def _today() -> date:
    """The person's day, which is what the CLI writes, too."""
    return datetime.now().astimezone().date()
