"""Changes, as every door offers them: listed, shown, proposed, edited and decided on."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from bottega.board.changes import repository
from bottega.board.changes.access import show_change
from bottega.board.changes.decisions import ChangeDecisions
from bottega.board.changes.edits import ChangeEdits
from bottega.board.changes.schemas import (
    ChangeSummary,
    ChangeView,
    Overlap,
    ProjectDetail,
    Proposed,
    RevisionView,
    TransitionView,
)
from bottega.board.changes.states import Actor, ChangeStatus
from bottega.board.changes.sync import SyncedProject
from bottega.board.changes.sync_updates import Cause
from bottega.board.changes.tables import AppliedSpec, Change
from bottega.board.openspec.cli import HOW_TO_INSTALL
from bottega.board.openspec.drafts import NewChange
from bottega.board.openspec.layout import change_id
from bottega.board.projects.schemas import ProjectView
from bottega.errors import Conflict


class Changes(ChangeEdits, ChangeDecisions):
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

    async def project(self, project_id: str) -> ProjectDetail:
        """One project, its changes counted, and whether OpenSpec's program is there."""
        row = await self._projects.get(project_id)
        cli = self._sync.of(row).cli
        counts = Counter(change.status for change in await self.list(project_id))
        return ProjectDetail(
            **ProjectView.model_validate(row).model_dump(),
            changes=dict(counts),
            openspec_installed=cli.available,
            note=None if cli.available else HOW_TO_INSTALL,
        )

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
    """The draft with an id that no change has or had. `Conflict` if the one asked for is taken."""
    taken = await files.taken_ids()
    if draft.id is None:
        return replace(draft, id=change_id(draft.title, taken))
    if draft.id in taken:
        raise Conflict(f"There is, or was, a change {draft.id!r} here. Choose another id.")
    return draft


def find_overlaps(change: Change, others: Iterable[Change]) -> list[Overlap]:
    """With the open changes of its project, in their order."""
    found: list[Overlap] = []
    for other in others:
        if other.id == change.id or not _is_open(other):
            continue
        shared = sorted(set(change.touches) & set(other.touches))
        named = other.id in change.references or change.id in other.references
        if shared or named:
            found.append(
                Overlap(
                    change_id=other.id,
                    title=other.title,
                    status=ChangeStatus(other.status),
                    requirements=shared,
                    named=named,
                )
            )
    return found


def _is_open(change: Change) -> bool:
    return change.status != ChangeStatus.ARCHIVED and change.missing_since is None


#: How alike two words must be to pass for the same, mistyped.
ALIKE = 0.75

_WORD = re.compile(r"\w+")


def matching(changes: Iterable[Change], search: str) -> list[Change]:
    """Those whose title or id has every word, or one much like it."""
    wanted = _WORD.findall(search.lower())
    return [change for change in changes if _has_all(change, wanted)]


def _has_all(change: Change, wanted: list[str]) -> bool:
    text = f"{change.title} {change.id}".lower()
    words = _WORD.findall(text)
    return all(word in text or any(_is_like(word, other) for other in words) for word in wanted)


def _is_like(word: str, other: str) -> bool:
    # A short word is like too many.
    return len(word) > 3 and SequenceMatcher(None, word, other).ratio() >= ALIKE
