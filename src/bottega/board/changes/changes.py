"""Changes, as every door offers them: listed, shown, proposed, edited and decided on."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from bottega.board.changes.desk import show_change
from bottega.board.changes.editing import Editing
from bottega.board.changes.gates import Gates
from bottega.board.changes.overlaps import find_overlaps
from bottega.board.changes.searching import matching
from bottega.board.changes.views import (
    ChangeSummary,
    ChangeView,
    Overlap,
    Proposed,
    RevisionView,
    TransitionView,
)
from bottega.board.enums import Actor, ChangeStatus
from bottega.board.openspec import NewChange, change_id
from bottega.board.repository import changes as repository
from bottega.board.syncing.context import Cause
from bottega.board.syncing.project import SyncedProject
from bottega.board.tables import AppliedSpec
from bottega.errors import Conflict


class Changes(Editing, Gates):
    async def list(
        self,
        project_id: str | None = None,
        status: ChangeStatus | Collection[ChangeStatus] | None = None,
        search: str | None = None,
    ) -> Sequence[ChangeSummary]:
        """From the database, without texts; urgent ones first, then the newest."""
        await self._sync.settled()
        statuses = {status} if isinstance(status, ChangeStatus) else set(status or ())
        async with self._database.read() as session:
            rows = await repository.listed(session, project_id, statuses)
        found = matching(rows, search) if search else rows
        return [ChangeSummary.model_validate(row) for row in found]

    async def show(self, project_id: str, id: str) -> ChangeView:
        await self._sync.settled()
        return show_change(await self._row(project_id, id))

    async def history(self, project_id: str, id: str) -> Sequence[TransitionView]:
        """From its beginning on."""
        async with self._database.read() as session:
            await repository.get(session, project_id, id)
            steps = await repository.transitions(session, project_id, id)
        return [TransitionView.model_validate(step) for step in steps]

    async def revisions(self, project_id: str, id: str) -> Sequence[RevisionView]:
        """Texts that lost against others, newest first."""
        async with self._database.read() as session:
            await repository.get(session, project_id, id)
            kept = await repository.revisions(session, project_id, id)
        return [RevisionView.model_validate(revision) for revision in kept]

    async def overlaps(self, project_id: str, id: str) -> Sequence[Overlap]:
        async with self._database.read() as session:
            row = await repository.get(session, project_id, id)
            return find_overlaps(row, await repository.listed(session, project_id))

    async def applied(self, project_id: str) -> Sequence[AppliedSpec]:
        """Which changes brought what into a project's specs, newest first."""
        await self._projects.get(project_id)
        async with self._database.read() as session:
            return await repository.applied(session, project_id)

    async def is_rejected(self, project_id: str, fingerprint: str) -> bool:
        """Whether a person has turned down a change for that failure."""
        async with self._database.read() as session:
            return await repository.is_rejected(session, project_id, fingerprint)

    async def propose(
        self,
        project_id: str,
        draft: NewChange,
        *,
        by: Actor,
        user_id: str | None = None,
        session_id: str | None = None,
        fingerprint: str | None = None,
        priority: int = 3,
    ) -> Proposed:
        """Write a new change to disk, for a person to decide on."""
        opened = await self._open(project_id)
        async with opened.files.lock:
            named = await _with_free_id(opened.files, draft)
            created = await opened.files.openspec.create_change(named)
            cause = Cause(by, user_id, session_id, notes="Proposed.")
            await opened.files.look([created.id], cause)
            async with self._database.write() as session:
                row = await repository.hold(session, project_id, created.id)
                row.fingerprint, row.priority = fingerprint, priority
        overlaps = await self.overlaps(project_id, row.id)
        return Proposed(**show_change(row).model_dump(), overlaps=overlaps)


async def _with_free_id(files: SyncedProject, draft: NewChange) -> NewChange:
    """An id that no change has or had: not even one whose directory is gone."""
    taken = await files.taken_ids()
    if draft.id is None:
        return replace(draft, id=change_id(draft.title, taken))
    if draft.id in taken:
        raise Conflict(f"There is, or was, a change {draft.id!r} here. Choose another id.")
    return draft
