"""Edits of a change: into the database, and at once into its file.

An edit says which text it was made from. If that is not the text any more, nothing is changed and
the person gets both; theirs is kept as a revision, so that closing the page loses nothing.
"""

from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.changes import repository
from bottega.board.changes.access import ChangeAccess, show_change
from bottega.board.changes.lifecycle import change_event
from bottega.board.changes.schemas import ChangeEdit, ChangeView, LateText, SavedChange
from bottega.board.changes.states import Actor, ChangeStatus
from bottega.board.changes.sync_plan import CONFLICT
from bottega.board.changes.sync_updates import Cause
from bottega.board.changes.tables import Change
from bottega.board.changes.texts import (
    capability_of,
    check_name,
    hash_of,
    store_text,
    stored_texts,
)
from bottega.board.openspec.metadata import with_specs
from bottega.board.openspec.tasks import parse_tasks
from bottega.core import clock
from bottega.core.db.database import storable
from bottega.errors import Conflict, InvalidInput, NotFound


class ChangeEdits(ChangeAccess):
    async def edit(
        self, project_id: str, id: str, edit: ChangeEdit, user_id: str, *, reason: str = "edited"
    ) -> SavedChange:
        """Save what a person changed. Its issues are returned, and keep no draft from being saved.

        `reason` is why the texts it replaces are kept.
        """
        edit = _checked(edit)
        opened = await self._open(project_id)
        async with opened.files.lock:
            # What was edited on disk meanwhile counts first.
            await opened.files.look([id])
            await self._store(project_id, id, edit, user_id, reason)
            await opened.files.look([id], Cause(Actor.USER, user_id))
            row = await self._row(project_id, id)
            await self._check_saved(row, edit)
            validation = await self._validate(opened.files, id, quickly=True)
        facts: dict[str, Any] = {"files": sorted(edit.texts), "by": Actor.USER, "user_id": user_id}
        self._bus.publish(change_event("specs.changed", row, opened.project.path, **facts))
        return SavedChange(change=show_change(row), validation=validation)

    async def restore(
        self, project_id: str, id: str, revision_id: str, user_id: str
    ) -> SavedChange:
        """Bring a kept text back. Of a change whose directory is gone, the other texts too."""
        async with self._database.read() as session:
            revision = await repository.revision(session, project_id, id, revision_id)
            row = await repository.get(session, project_id, id)
        texts = stored_texts(row)
        if row.missing_since is not None:
            opened = await self._open(project_id)
            async with opened.files.lock:
                await opened.files.recreate(id, texts)
                await opened.files.look([id], Cause(Actor.USER, user_id))
        base = {revision.file: hash_of(texts.get(revision.file))}
        edit = ChangeEdit(texts={revision.file: revision.content}, base_hashes=base)
        return await self.edit(project_id, id, edit, user_id, reason="restored")

    async def tick(
        self,
        project_id: str,
        id: str,
        tasks: list[str],
        done: bool = True,
        *,
        by: Actor = Actor.USER,
        user_id: str | None = None,
        session_id: str | None = None,
    ) -> ChangeView:
        """Tick or clear tasks in the file as it is now. The last one sends work to review."""
        opened = await self._open(project_id)
        async with opened.files.lock:
            await opened.files.look([id])
            row = await self._row(project_id, id)
            _check_open(row)
            await opened.files.openspec.tick(id, _task_ids(row, tasks), done)
            await opened.files.look([id], Cause(by, user_id, session_id))
        return show_change(await self._row(project_id, id))

    async def dismiss(self, project_id: str, id: str) -> ChangeView:
        """Clear the note that a text lost against the file's; the revision stays."""
        async with self._database.write() as session:
            row = await repository.hold(session, project_id, id)
            _forget_conflict(row)
        return show_change(row)

    async def _store(
        self, project_id: str, id: str, edit: ChangeEdit, user_id: str, reason: str
    ) -> None:
        async with self._database.write() as session:
            row = await repository.hold(session, project_id, id)
            _check_open(row)
            refused = await self._refuse_late(session, row, edit, user_id)
            if not refused:
                await self._replace(session, row, edit, user_id, reason)
        if refused:
            raise _too_late(refused)

    async def _refuse_late(
        self, session: AsyncSession, row: Change, edit: ChangeEdit, user_id: str
    ) -> list[LateText]:
        current, refused = stored_texts(row), list[LateText]()
        for name, text in edit.texts.items():
            theirs = hash_of(current.get(name))
            if edit.base_hashes.get(name) != theirs and hash_of(text) != theirs:
                kept = await repository.add_revision(session, row, name, text, "conflict", user_id)
                refused.append(_late(name, text, current.get(name), kept.id))
        return refused

    async def _replace(
        self, session: AsyncSession, row: Change, edit: ChangeEdit, user_id: str, reason: str
    ) -> None:
        current = stored_texts(row)
        for name, text in edit.texts.items():
            lost = current.get(name)
            if lost is not None and hash_of(lost) != hash_of(text):
                await repository.add_revision(session, row, name, lost, reason, user_id)
            store_text(row, name, text)
        if any(capability_of(name) for name in edit.texts) and row.metadata_content:
            # It changes behaviour from now on, whatever it said of itself before.
            row.metadata_content = with_specs(row.metadata_content)
        if edit.priority is not None:
            row.priority = edit.priority
        row.db_modified_at = row.updated_at = clock.now()
        _forget_conflict(row)

    async def _check_saved(self, row: Change, edit: ChangeEdit) -> None:
        """Raise `Conflict` if the file was saved by somebody else just before, and won."""
        current = stored_texts(row)
        async with self._database.read() as session:
            lost = await repository.revisions(session, row.project_id, row.id)
        kept = {(one.file, one.content): one.id for one in lost if one.reason == "conflict"}
        refused = [
            _late(name, text, current.get(name), kept[name, text])
            for name, text in edit.texts.items()
            if hash_of(current.get(name)) != hash_of(text) and (name, text) in kept
        ]
        if refused:
            raise _too_late(refused)


def _checked(edit: ChangeEdit) -> ChangeEdit:
    if not edit.texts and edit.priority is None:
        raise InvalidInput("There is nothing to save: give `texts` or a `priority`.")
    texts = {check_name(name): storable(text) for name, text in edit.texts.items()}
    return edit.model_copy(update={"texts": texts})


def _check_open(row: Change) -> None:
    if row.status == ChangeStatus.ARCHIVED:
        raise Conflict(f"The change {row.id!r} is archived; it can be read, not edited.")
    if row.missing_since is not None:
        raise Conflict(
            f"The directory of {row.id!r} is gone. Restore one of its revisions to bring it back."
        )


def _forget_conflict(row: Change) -> None:
    if (row.sync_error or "").startswith(CONFLICT):
        row.sync_error = None


def _late(file: str, yours: str, theirs: str | None, revision_id: str) -> LateText:
    return LateText(
        file=file, yours=yours, theirs=theirs, hash=hash_of(theirs), revision_id=revision_id
    )


def _too_late(refused: list[LateText]) -> Conflict:
    files = ", ".join(one.file for one in refused)
    return Conflict(
        f"{files} was changed since you opened it. Nothing was overwritten: look at both texts; "
        "yours is kept as a revision.",
        conflicts=[one.model_dump() for one in refused],
    )


def _task_ids(row: Change, wanted: list[str]) -> list[str]:
    """Ids as they are; a plain number that is no id counts the tasks from 1."""
    tasks = parse_tasks(row.tasks_content)
    known = {task.id for task in tasks}
    ids: list[str] = []
    for name in wanted:
        if name not in known and name.isdecimal() and 0 < int(name) <= len(tasks):
            name = tasks[int(name) - 1].id
        if name not in known:
            listed = ", ".join([task.id for task in tasks][:20]) or "none"
            raise NotFound(f"The change {row.id!r} has no task {name!r}. It has: {listed}.")
        ids.append(name)
    return ids
