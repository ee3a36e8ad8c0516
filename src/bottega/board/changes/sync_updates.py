"""Updates of the database from what is on disk, in the caller's transaction."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Update, update
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.changes import repository
from bottega.board.changes.lifecycle import change_event, enter, move, moved_event, note
from bottega.board.changes.states import LEASED, Actor, ChangeStatus
from bottega.board.changes.sync_plan import (
    CONFLICT,
    ChangeComparison,
    describe_problems,
    error_after,
)
from bottega.board.changes.tables import Change
from bottega.board.changes.texts import (
    PROPOSAL,
    TASKS,
    files_on_disk,
    hashes_on_disk,
    store_text,
    stored_texts,
)
from bottega.board.openspec.reader import ChangeOnDisk, references, title_of
from bottega.board.openspec.tasks import TaskCount, parse_tasks
from bottega.board.projects.tables import Project
from bottega.core import clock
from bottega.core.db.database import Base, storable
from bottega.core.events import Event

#: Given a change and the id that it is to have: the statements that bring rows of another domain,
#: which name the change without a foreign key, to the new id.
ChangeReference = Callable[[Change, str], Iterable[Update]]


@dataclass(frozen=True, slots=True)
class Cause:
    """Who caused what is found on disk; the system, if it was found by a scan."""

    by: Actor = Actor.SYSTEM
    user_id: str | None = None
    session_id: str | None = None
    #: What a new change's history begins with.
    notes: str | None = None


@dataclass(slots=True)
class ChangeEvents:
    """Collects the events to publish once the transaction is committed."""

    project: Project
    events: list[Event] = field(default_factory=list)

    def add(self, topic: str, row: Change, **facts: Any) -> None:
        self.events.append(change_event(topic, row, self.project.path, **facts))


async def add_found(
    session: AsyncSession,
    project_id: str,
    disk: ChangeOnDisk,
    known: frozenset[str],
    cause: Cause,
    news: ChangeEvents,
) -> Change:
    """Add the row of a directory that has none."""
    row = Change(
        project_id=project_id,
        id=disk.id,
        title=storable(disk.title),
        status=ChangeStatus.ARCHIVED if disk.archived else ChangeStatus.PROPOSING,
        archive_name=disk.directory.rpartition("/")[2] if disk.archived else None,
        # What a column's default would say only later.
        proposal_content="",
        tasks_content="",
        specs={},
    )
    for name, file in files_on_disk(disk).items():
        store_text(row, name, file.text)
    row.synced_hashes = hashes_on_disk(disk)
    _derive(row, disk, known, ChangeComparison())
    row.sync_error = describe_problems(disk, ())
    await enter(
        session,
        row,
        cause.by,
        user_id=cause.user_id,
        session_id=cause.session_id,
        notes=cause.notes or f"Found in {disk.directory}.",
    )
    news.add("specs.found", row, status=row.status)
    _add_problem(row, None, news)
    return row


async def update_row(
    session: AsyncSession,
    row: Change,
    disk: ChangeOnDisk,
    compared: ChangeComparison,
    known: frozenset[str],
    cause: Cause,
    news: ChangeEvents,
) -> None:
    """Update a row from its files. A text that is replaced is kept as a revision."""
    was_complete, error = TaskCount(row.tasks_done, row.tasks_total).complete, row.sync_error
    done_before = row.tasks_done
    if row.missing_since is not None:
        row.missing_since = None
        news.add("specs.found", row, status=row.status, returned=True)
    await _update_texts(session, row, compared, cause, news)
    _derive(row, disk, known, compared)
    row.synced_hashes = compared.hashes
    row.sync_error = error_after(row, disk, compared)
    _add_problem(row, error, news)
    if row.tasks_done != done_before and row.status in LEASED:
        counts = {"tasks_done": row.tasks_done, "tasks_total": row.tasks_total}
        news.add("work.progress", row, session_id=row.assigned_session_id, **counts)
    finished = TaskCount(row.tasks_done, row.tasks_total).complete and not was_complete
    await _move(session, row, disk, cause, news, finished=finished and not compared.kept)


async def mark_missing(session: AsyncSession, row: Change, news: ChangeEvents) -> None:
    """Mark a change whose directory is gone: its lease ends, its texts are kept as revisions."""
    row.missing_since = row.updated_at = clock.now()
    for name, text in stored_texts(row).items():
        await repository.add_revision(session, row, name, text, "deleted", None)
    if row.status in LEASED:
        cause, holder = Cause(), row.assigned_session_id
        why = "Its directory was removed."
        transition = await move(session, row, ChangeStatus.APPROVED, cause.by, notes=why)
        news.events.append(moved_event(row, transition, news.project.path))
        news.add("work.released", row, session_id=holder, why=why)
    news.add("specs.removed", row, status=row.status)


async def _update_texts(
    session: AsyncSession, row: Change, compared: ChangeComparison, cause: Cause, news: ChangeEvents
) -> None:
    before = stored_texts(row)
    for name, text in compared.from_disk.items():
        lost = before.get(name)
        if lost is not None and name in compared.conflicts:
            kept = await repository.add_revision(
                session, row, name, lost, "conflict", cause.user_id
            )
            row.sync_error = (
                f"{CONFLICT}: {name}. The file's text stands; yours is kept as revision {kept.id}."
            )
            news.add("specs.conflict", row, file=name, revision_id=kept.id)
        elif lost is not None and not _only_ticked(name, lost, text):
            reason = "deleted" if text is None else "edited"
            await repository.add_revision(session, row, name, lost, reason, None)
        store_text(row, name, text)
    if compared.from_disk:
        row.updated_at = clock.now()
        news.add("specs.changed", row, files=sorted(compared.from_disk), by=cause.by)


def _derive(
    row: Change, disk: ChangeOnDisk, known: frozenset[str], compared: ChangeComparison
) -> None:
    kept = {problem.path.removeprefix(f"{disk.directory}/") for problem in compared.kept}
    if PROPOSAL not in kept:
        row.title = storable(title_of(row.id, row.proposal_content))
    if TASKS not in kept:
        row.tasks_done, row.tasks_total = disk.count.done, disk.count.total
    if not any(name.startswith("specs/") for name in kept):
        row.touches = sorted(storable(f"{area}/{name}") for area, name in disk.touches)
    row.references = sorted(references(disk, known))
    row.filesystem_modified_at = disk.modified_at
    row.last_synced_at = clock.now()


async def _move(
    session: AsyncSession,
    row: Change,
    disk: ChangeOnDisk,
    cause: Cause,
    news: ChangeEvents,
    *,
    finished: bool,
) -> None:
    if disk.archived:
        row.archive_name = disk.directory.rpartition("/")[2]
        if row.status == ChangeStatus.ARCHIVED:
            return
        to, cause, notes = ChangeStatus.ARCHIVED, Cause(), f"Found in {disk.directory}."
    elif row.status == ChangeStatus.ARCHIVED:
        to, cause, notes = ChangeStatus.PROPOSING, Cause(), f"Found in {disk.directory} again."
        row.archive_name = row.rejection_reason = None
    elif finished and row.status in LEASED:
        to, notes = ChangeStatus.REVIEW, f"All {row.tasks_total} tasks are ticked."
    else:
        return
    transition = await move(
        session, row, to, cause.by, user_id=cause.user_id, session_id=cause.session_id, notes=notes
    )
    news.events.append(moved_event(row, transition, news.project.path))


def _add_problem(row: Change, before: str | None, news: ChangeEvents) -> None:
    if row.sync_error and row.sync_error != before and not row.sync_error.startswith(CONFLICT):
        news.add("specs.problem", row, problem=row.sync_error)


def _only_ticked(name: str, before: str, after: str | None) -> bool:
    """An agent ticks its tasks one by one; a revision of each would bury the others."""
    return name == TASKS and after is not None and _unticked(before) == _unticked(after)


def _unticked(tasks: str) -> str:
    for task in reversed(parse_tasks(tasks)):
        begin, end = task.box
        tasks = tasks[:begin] + tasks[end:]
    return tasks


async def rename(
    session: AsyncSession,
    row: Change,
    new_id: str,
    references: Iterable[ChangeReference],
    news: ChangeEvents,
) -> Change:
    """Put the row under another key, and everything that refers to it with it."""
    columns = [column.key for column in Change.__table__.columns if column.key != "id"]
    renamed = Change(id=new_id, **{key: getattr(row, key) for key in columns})
    old_id = row.id
    session.add(renamed)
    await session.flush()
    for reference in (_by_foreign_key, *references):
        for statement in reference(row, new_id):
            await session.execute(statement)
    await session.delete(row)
    await session.flush()
    await note(session, renamed, Actor.SYSTEM, f"Its directory was renamed from {old_id}.")
    news.add("specs.changed", renamed, files=[], renamed_from=old_id)
    return renamed


def _by_foreign_key(row: Change, new_id: str) -> Iterator[Update]:
    for table in Base.metadata.tables.values():
        if any(key.referred_table is Change.__table__ for key in table.foreign_key_constraints):
            of_this = (table.c.project_id == row.project_id) & (table.c.change_id == row.id)
            yield update(table).where(of_this).values(change_id=new_id)
