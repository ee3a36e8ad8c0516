"""Writing a project's OpenSpec directory without overwriting what others wrote.

Files are the truth and others write them too: a person, an agent, the CLI, another server. So a
write names the revision it was made from and is refused when the file is another by now, with both
texts in the answer.

`OpenSpecWriter` blocks, and is to be called under the lock: a caller that is cancelled leaves the
thread to finish, so that nothing stays half done. Each call of `OpenSpec` is one hop into a thread;
writers wait for their turn among all our processes.
"""

import asyncio
import os
import secrets
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict
from datetime import date, datetime
from pathlib import Path, PurePosixPath

from bottega.board.openspec.drafts import NewChange, render_change
from bottega.board.openspec.layout import (
    ARCHIVED,
    CHANGES,
    ROOT,
    archive_name,
    change_id,
    checked_id,
    checked_new_id,
    split_archive_name,
)
from bottega.board.openspec.metadata import FILE_NAME
from bottega.board.openspec.reader import MAX_FILE_BYTES, ChangeOnDisk, OpenSpecReader
from bottega.board.openspec.specs import Spec
from bottega.board.openspec.tasks import tick
from bottega.board.openspec.texts import TextFile, Validation
from bottega.board.openspec.validation import validate
from bottega.core.db.sqlite import ProcessLock
from bottega.core.files.failures import explained
from bottega.core.files.lookup import Place, find_place
from bottega.core.files.noise import TEMPORARY_PREFIX
from bottega.core.files.replacement import flush_directory
from bottega.core.files.sandbox import Sandbox
from bottega.errors import Conflict, InvalidInput, NotFound

#: Hidden from the CLI by its dot and from our watcher by its prefix.
LOCK = f"{ROOT}/{TEMPORARY_PREFIX}lock"


class WriteLock(ProcessLock):
    def __init__(self, files: Sandbox) -> None:
        super().__init__(files.root / LOCK)
        self._files = files

    async def __aenter__(self) -> None:
        # The lock is opened by its name: not if that leads out of the project.
        await self._files.type_of(LOCK)
        await super().__aenter__()


def move_directory(root: Path, source: str, target: str) -> None:
    """Blocking. Paths are clean and relative to `root`; what stands at the target is not replaced,
    a link at the source not followed."""
    with (
        explained("move", source),
        find_place(root, source, follow=False) as old,
        find_place(root, target, follow=False, create_parents=True) as new,
    ):
        # A rename alone would replace an empty directory.
        if _is_taken(new):
            raise Conflict(f"{target!r} exists already. Rename or remove one of the two.")
        os.rename(old.name, new.name, src_dir_fd=old.directory, dst_dir_fd=new.directory)
        flush_directory(new.directory)
        flush_directory(old.directory)


def _is_taken(place: Place) -> bool:
    with suppress(FileNotFoundError):
        os.stat(place.name, dir_fd=place.directory, follow_symlinks=False)
        return True
    return False


TASKS = "tasks.md"
#: What a person may edit in a change, beside its delta specs.
EDITABLE = ("proposal.md", TASKS, "design.md", FILE_NAME)


class OpenSpecWriter(OpenSpecReader):
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

    def tick_tasks(self, change: str, tasks: Iterable[str], done: bool) -> ChangeOnDisk:
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

    def create(self, draft: NewChange) -> ChangeOnDisk:
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

    def put_away(self, change: str) -> ChangeOnDisk:
        name = archive_name(change, _today())
        move_directory(self.root, f"{CHANGES}/{change}", f"{ARCHIVED}/{name}")
        return self.archived_change(name)

    def verdict(self, change: ChangeOnDisk, *, strict: bool = True) -> Validation:
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


class OpenSpec:
    def __init__(self, root: Path) -> None:
        self._files = OpenSpecWriter(root, max_file_bytes=MAX_FILE_BYTES)
        self._lock = WriteLock(self._files)

    @property
    def root(self) -> Path:
        return self._files.root

    def close(self) -> None:
        self._lock.close()

    async def changes(self) -> list[ChangeOnDisk]:
        """The active ones, by id."""
        return await asyncio.to_thread(self._files.active_changes)

    async def archived(self) -> list[ChangeOnDisk]:
        """The finished and the rejected ones, newest first."""
        return await asyncio.to_thread(self._files.archived_changes)

    async def change(self, change: str) -> ChangeOnDisk:
        """An active change; else the last archived one of that id, or of that directory's name."""
        return await asyncio.to_thread(self._files.change, checked_id(change))

    async def specs(self) -> list[Spec]:
        """By id."""
        return await asyncio.to_thread(self._files.specs)

    async def spec(self, capability: str) -> Spec:
        return await asyncio.to_thread(self._files.spec, capability)

    async def validate(self, change: str, *, strict: bool = True) -> Validation:
        """Our own verdict, for where the CLI is not installed."""
        found = await self.change(change)
        return await asyncio.to_thread(self._files.verdict, found, strict=strict)

    async def write(self, change: str, name: str, text: str, expected: str | None) -> TextFile:
        """Save one file of an active change, atomically. `expected` is the revision that the text
        was made from, None for a file that is not there yet. `Conflict` carries both texts."""
        path = edited_path(change, name)
        if not await self._is_active(change):
            raise gone(change, path, text)
        async with self._lock:
            return await asyncio.to_thread(self._files.save, change, name, text, expected)

    async def tick(self, change: str, tasks: Iterable[str], done: bool = True) -> ChangeOnDisk:
        """Tick or clear these tasks, by their ids, in the list as it is on disk now."""
        if not await self._is_active(checked_id(change)):
            raise NotFound(f"There is no active change {change!r} whose tasks could be ticked.")
        async with self._lock:
            return await asyncio.to_thread(self._files.tick_tasks, change, tasks, done)

    async def create_change(self, draft: NewChange) -> ChangeOnDisk:
        """Write a whole change, valid by our own strict rules, and show it all at once."""
        async with self._lock:
            return await asyncio.to_thread(self._files.create, draft)

    async def archive_unapplied(self, change: str) -> ChangeOnDisk:
        """Put a change away without a trace in the main specs, as for one that was rejected."""
        if not await self._is_active(checked_id(change)):
            raise NotFound(f"There is no active change {change!r} to archive.")
        async with self._lock:
            return await asyncio.to_thread(self._files.put_away, change)

    async def _is_active(self, change: str) -> bool:
        return change in await asyncio.to_thread(self._files.change_ids)
