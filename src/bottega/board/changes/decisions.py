"""A person's decisions on a change: approve, reject, send back, apply, archive.

The files move first. Were the move in the database to fail after that, the next look at the disk
finds the change where it is and records that.
"""

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.changes import repository
from bottega.board.changes.access import ChangeAccess, OpenProject, show_change
from bottega.board.changes.lifecycle import move, moved_event, note
from bottega.board.changes.schemas import ChangeView
from bottega.board.changes.states import Actor, ChangeStatus, legal_moves
from bottega.board.changes.sync_plan import CONFLICT
from bottega.board.changes.tables import Change, ChangeTransition
from bottega.board.openspec.cli import HOW_TO_INSTALL
from bottega.board.openspec.reader import ChangeOnDisk
from bottega.errors import BottegaError, Conflict, InvalidInput, Unavailable

log = structlog.get_logger()

PROPOSING, APPROVED, _, _, REVIEW, APPLIED, ARCHIVED = ChangeStatus


class ChangeDecisions(ChangeAccess):
    async def approve(
        self,
        project_id: str,
        id: str,
        user_id: str,
        notes: str | None = None,
        priority: int | None = None,
    ) -> ChangeView:
        """Put a proposal into the queue. `InvalidInput` with its issues if it is not valid."""
        return await self._pass(project_id, id, PROPOSING, APPROVED, user_id, notes, priority)

    async def take_back(
        self, project_id: str, id: str, user_id: str, notes: str | None = None
    ) -> ChangeView:
        """Undo an approval: back to a proposal."""
        return await self._pass(project_id, id, APPROVED, PROPOSING, user_id, notes)

    async def send_back(self, project_id: str, id: str, user_id: str, notes: str) -> ChangeView:
        """From review into the queue again, with what is missing."""
        return await self._pass(project_id, id, REVIEW, APPROVED, user_id, notes)

    async def apply(
        self, project_id: str, id: str, user_id: str, notes: str | None = None
    ) -> ChangeView:
        """The person has seen that it works; its specs count as applied."""
        return await self._pass(project_id, id, REVIEW, APPLIED, user_id, notes)

    async def archive(
        self, project_id: str, id: str, user_id: str, notes: str | None = None
    ) -> ChangeView:
        """Merge its deltas into the main specs and put it away, by the OpenSpec program."""
        opened = await self._open(project_id)
        cli = opened.files.cli
        async with opened.files.lock:
            await self._look(opened, id, APPLIED)
            if not cli.available:
                raise Unavailable(
                    f"Archiving {id!r} merges its specs, which the OpenSpec program does, and it "
                    f"is not installed here. {HOW_TO_INSTALL}"
                )
            return await self._put_away(opened, id, await cli.archive(id), user_id, notes)

    async def reject(self, project_id: str, id: str, user_id: str, reason: str) -> ChangeView:
        """Put a proposal away without a trace in the specs; the same failure proposes no more."""
        opened = await self._open(project_id)
        async with opened.files.lock:
            row = await self._look(opened, id, PROPOSING)
            is_there = row.missing_since is None
            archived = await _archive_unapplied(opened, id) if is_there else None
            return await self._put_away(opened, id, archived, user_id, reason, rejected=True)

    async def _pass(
        self,
        project_id: str,
        id: str,
        before: ChangeStatus,
        to: ChangeStatus,
        user_id: str,
        notes: str | None,
        priority: int | None = None,
    ) -> ChangeView:
        opened = await self._open(project_id)
        async with opened.files.lock:
            row = await self._look(opened, id, before)
            if before is PROPOSING:
                await self._check_valid(opened, row)
            async with self._database.write() as session:
                row = await repository.hold(session, project_id, id)
                row.priority = row.priority if priority is None else priority
                transition = await _move(session, row, to, user_id, notes)
                if to is APPLIED:
                    await repository.add_applied(session, row, row.specs)
        return self._publish_move(opened, row, transition)

    async def _look(self, opened: OpenProject, id: str, expected: ChangeStatus) -> Change:
        """The change as its files are now. `Conflict` if its status is not the expected one."""
        await opened.files.look([id])
        row = await self._row(opened.project.id, id)
        if row.status != expected:
            raise Conflict(
                f"The change {id!r} is {row.status}; that can be done only to one that is "
                f"{expected}.",
                status=row.status,
                valid_options=legal_moves(row.status, Actor.USER),
            )
        return row

    async def _check_valid(self, opened: OpenProject, row: Change) -> None:
        if row.missing_since is not None:
            raise Conflict(f"The directory of {row.id!r} is gone: there is nothing to approve.")
        if row.sync_error and not row.sync_error.startswith(CONFLICT):
            raise Conflict(f"The files of {row.id!r} have a problem: {row.sync_error}")
        validation = await self._validate(opened.files, row.id)
        if not validation.valid:
            issues = validation.issues
            said = "; ".join(f"{issue.path or row.id}: {issue.message}" for issue in issues)
            raise InvalidInput(
                f"The change {row.id!r} is not valid yet. {said}",
                issues=[issue.model_dump() for issue in issues],
            )

    async def _put_away(
        self,
        opened: OpenProject,
        id: str,
        archived: ChangeOnDisk | None,
        user_id: str,
        notes: str | None,
        *,
        rejected: bool = False,
    ) -> ChangeView:
        async with self._database.write() as session:
            row = await repository.hold(session, opened.project.id, id)
            if row.status == ARCHIVED:
                # Another process saw the directory move before we said why.
                transition = await note(session, row, Actor.USER, notes or "", user_id)
            else:
                transition = await _move(session, row, ARCHIVED, user_id, notes)
            row.rejection_reason = notes if rejected else None
            if archived is not None:
                row.archive_name = archived.directory.rpartition("/")[2]
        await opened.files.look([id])
        return self._publish_move(opened, row, transition)

    def _publish_move(
        self, opened: OpenProject, row: Change, transition: ChangeTransition
    ) -> ChangeView:
        self._bus.publish(moved_event(row, transition, opened.project.path))
        return show_change(row)


async def _move(
    session: AsyncSession, row: Change, to: ChangeStatus, user_id: str, notes: str | None
) -> ChangeTransition:
    return await move(session, row, to, Actor.USER, user_id=user_id, notes=notes)


async def _archive_unapplied(opened: OpenProject, id: str) -> ChangeOnDisk:
    """By the OpenSpec program; by ourselves where it is missing, or will not: it validates first,
    and what is turned down need not be valid."""
    if opened.files.cli.available:
        try:
            return await opened.files.cli.archive(id, skip_specs=True)
        except BottegaError as error:
            log.info("board.archived_without_openspec", change=id, reason=error.message)
    return await opened.files.openspec.archive_unapplied(id)
