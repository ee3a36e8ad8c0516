"""What is found on disk goes into the database, in the caller's transaction."""

from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board import openspec
from bottega.board.changes.lifecycle import LEASED, enter, move, moved_event
from bottega.board.enums import ChangeStatus
from bottega.board.openspec import Problem, TaskCount
from bottega.board.openspec.changes import title_of
from bottega.board.openspec.tasks import parse_tasks
from bottega.board.repository import changes as repository
from bottega.board.syncing.comparison import Comparison
from bottega.board.syncing.context import Cause, News
from bottega.board.syncing.texts import (
    PROPOSAL,
    TASKS,
    files_on_disk,
    hashes_on_disk,
    store_text,
    stored_texts,
)
from bottega.board.tables import Change
from bottega.core import clock
from bottega.core.database import storable

#: How `sync_error` begins while a person has not looked at a text of theirs that lost.
CONFLICT = "Edited in two places"
#: How it begins while an edit could not be written to its file.
UNWRITTEN = "Saved here, but not yet in the file"


async def add_found(
    session: AsyncSession,
    project_id: str,
    disk: openspec.Change,
    known: frozenset[str],
    cause: Cause,
    news: News,
) -> Change:
    """A directory that has no row yet."""
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
    _derive(row, disk, known, Comparison())
    row.sync_error = told(disk, ())
    await enter(
        session,
        row,
        cause.by,
        user_id=cause.user_id,
        session_id=cause.session_id,
        notes=cause.notes or f"Found in {disk.directory}.",
    )
    news.add("specs.found", row, status=row.status)
    _tell_problem(row, None, news)
    return row


async def take(
    session: AsyncSession,
    row: Change,
    disk: openspec.Change,
    compared: Comparison,
    known: frozenset[str],
    cause: Cause,
    news: News,
) -> None:
    """Bring one row up to its files. What loses is kept as a revision."""
    was_complete, error = TaskCount(row.tasks_done, row.tasks_total).complete, row.sync_error
    done_before = row.tasks_done
    if row.missing_since is not None:
        row.missing_since = None
        news.add("specs.found", row, status=row.status, returned=True)
    await _take_texts(session, row, compared, cause, news)
    _derive(row, disk, known, compared)
    row.synced_hashes = compared.hashes
    row.sync_error = error_after(row, disk, compared)
    _tell_problem(row, error, news)
    if row.tasks_done != done_before and row.status in LEASED:
        counts = {"tasks_done": row.tasks_done, "tasks_total": row.tasks_total}
        news.add("work.progress", row, session_id=row.assigned_session_id, **counts)
    finished = TaskCount(row.tasks_done, row.tasks_total).complete and not was_complete
    await _move(session, row, disk, cause, news, finished=finished and not compared.kept)


async def lose(session: AsyncSession, row: Change, news: News) -> None:
    """Its directory is gone: it leaves the queue, and its texts stay."""
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


def told(disk: openspec.Change, kept: tuple[Problem, ...] | list[Problem]) -> str | None:
    """What is wrong with its files, in words for a person. Of an archived change, only what keeps
    it from being read: nobody completes those any more."""
    problems = list(dict.fromkeys([*kept, *(() if disk.archived else disk.problems)]))
    return storable("\n".join(map(_sentence, problems))) or None


def error_after(row: Change, disk: openspec.Change, compared: Comparison) -> str | None:
    """What `sync_error` is to say. Some of it stays until a person, or the disk, has moved."""
    said = row.sync_error or ""
    if compared.written and said.startswith(UNWRITTEN):
        return said
    return told(disk, compared.kept) or (said if said.startswith(CONFLICT) else None)


def _sentence(problem: Problem) -> str:
    where = f"{problem.path}, line {problem.line}" if problem.line else problem.path
    return f"{where}: {problem.message}"


async def _take_texts(
    session: AsyncSession, row: Change, compared: Comparison, cause: Cause, news: News
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
    row: Change, disk: openspec.Change, known: frozenset[str], compared: Comparison
) -> None:
    kept = {problem.path.removeprefix(f"{disk.directory}/") for problem in compared.kept}
    if PROPOSAL not in kept:
        row.title = storable(title_of(row.id, row.proposal_content))
    if TASKS not in kept:
        row.tasks_done, row.tasks_total = disk.count.done, disk.count.total
    if not any(name.startswith("specs/") for name in kept):
        row.touches = sorted(storable(f"{area}/{name}") for area, name in disk.touches)
    row.references = sorted(openspec.references(disk, known))
    row.filesystem_modified_at = disk.modified_at
    row.last_synced_at = clock.now()


async def _move(
    session: AsyncSession,
    row: Change,
    disk: openspec.Change,
    cause: Cause,
    news: News,
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


def _tell_problem(row: Change, before: str | None, news: News) -> None:
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
