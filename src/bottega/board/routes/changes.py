"""Changes over HTTP: `/api/board/changes`."""

from typing import Annotated

from fastapi import APIRouter, Query, status

from bottega.board.changes.changes import Changes
from bottega.board.changes.schemas import (
    Approval,
    ChangeEdit,
    MaybeNote,
    Note,
    ProposalInput,
    Rejection,
    Ticks,
)
from bottega.board.changes.views import (
    ChangeList,
    ChangeView,
    History,
    OverlapList,
    Proposed,
    RevisionList,
    SavedChange,
    TooLateBody,
    ValidationView,
)
from bottega.board.enums import Actor, ChangeStatus
from bottega.core.callers import CurrentCaller

InProject = Annotated[
    str | None, Query(description="May be left out where no other project has that id.")
]
#: A decision may come without a word.
UNSAID, NO_NOTE = Approval(), MaybeNote()


def router(changes: Changes) -> APIRouter:
    routes = APIRouter(prefix="/board/changes", tags=["board"])
    add_finding(routes, changes)
    add_looking_back(routes, changes)
    add_editing(routes, changes)
    add_gates(routes, changes)
    return routes


def add_finding(routes: APIRouter, changes: Changes) -> None:
    @routes.get("")
    async def list_changes(
        project_id: str | None = None,
        status: Annotated[list[ChangeStatus] | None, Query()] = None,
        search: Annotated[str | None, Query(max_length=200)] = None,
    ) -> ChangeList:
        """Without their texts; urgent ones first, then the newest."""
        found = await changes.list(project_id, status, search)
        return ChangeList(changes=list(found), total=len(found))

    @routes.post("", status_code=status.HTTP_201_CREATED)
    async def propose_change(asked: ProposalInput, caller: CurrentCaller) -> Proposed:
        """Write a new change to the project, for a person to decide on; overlaps are shown."""
        return await changes.propose(
            asked.project_id,
            asked.draft(),
            by=Actor.USER,
            user_id=caller.user_id,
            priority=asked.priority,
        )

    @routes.get("/{id}")
    async def show_change(id: str, project_id: InProject = None) -> ChangeView:
        """With its texts, its tasks and where it may go from here."""
        row = await changes.find(id, project_id)
        return await changes.show(row.project_id, id)


def add_looking_back(routes: APIRouter, changes: Changes) -> None:
    @routes.get("/{id}/history")
    async def show_history(id: str, project_id: InProject = None) -> History:
        """Every step it took, with who and why."""
        row = await changes.find(id, project_id)
        return History(transitions=list(await changes.history(row.project_id, id)))

    @routes.get("/{id}/revisions")
    async def list_revisions(id: str, project_id: InProject = None) -> RevisionList:
        """Texts that lost against others, newest first."""
        row = await changes.find(id, project_id)
        return RevisionList(revisions=list(await changes.revisions(row.project_id, id)))

    @routes.get("/{id}/validation")
    async def validate_change(id: str, project_id: InProject = None) -> ValidationView:
        """Whether it could be approved, and what is in the way."""
        row = await changes.find(id, project_id)
        return await changes.validation(row.project_id, id)

    @routes.get("/{id}/overlaps")
    async def list_overlaps(id: str, project_id: InProject = None) -> OverlapList:
        """Open changes that alter the same requirement, or name this one."""
        row = await changes.find(id, project_id)
        return OverlapList(overlaps=list(await changes.overlaps(row.project_id, id)))


def add_editing(routes: APIRouter, changes: Changes) -> None:
    @routes.put("/{id}", responses={409: {"model": TooLateBody}})
    async def edit_change(
        id: str, asked: ChangeEdit, caller: CurrentCaller, project_id: InProject = None
    ) -> SavedChange:
        """Save texts, each with the hash of the text it was made from."""
        row = await changes.find(id, project_id)
        return await changes.edit(row.project_id, id, asked, caller.user_id)

    @routes.post("/{id}/revisions/{revision_id}/restore")
    async def restore_revision(
        id: str, revision_id: str, caller: CurrentCaller, project_id: InProject = None
    ) -> SavedChange:
        """Bring a kept text back, and with it a change whose directory is gone."""
        row = await changes.find(id, project_id)
        return await changes.restore(row.project_id, id, revision_id, caller.user_id)

    @routes.post("/{id}/dismiss")
    async def dismiss_conflict(id: str, project_id: InProject = None) -> ChangeView:
        """Take the note away that a text lost against the file's. The revision stays."""
        row = await changes.find(id, project_id)
        return await changes.dismiss(row.project_id, id)

    @routes.put("/{id}/tasks")
    async def tick_tasks(
        id: str, asked: Ticks, caller: CurrentCaller, project_id: InProject = None
    ) -> ChangeView:
        """Tick or clear tasks, by id or by number."""
        row = await changes.find(id, project_id)
        return await changes.tick(
            row.project_id, id, asked.tasks, asked.done, user_id=caller.user_id
        )


def add_gates(routes: APIRouter, changes: Changes) -> None:
    @routes.post("/{id}/approve")
    async def approve_change(
        id: str, caller: CurrentCaller, asked: Approval = UNSAID, project_id: InProject = None
    ) -> ChangeView:
        """Let it into the queue, if it is valid."""
        row = await changes.find(id, project_id)
        return await changes.approve(
            row.project_id, id, caller.user_id, asked.notes, asked.priority
        )

    @routes.post("/{id}/take_back")
    async def take_back_change(
        id: str, caller: CurrentCaller, asked: MaybeNote = NO_NOTE, project_id: InProject = None
    ) -> ChangeView:
        """Undo an approval before an agent has claimed it."""
        row = await changes.find(id, project_id)
        return await changes.take_back(row.project_id, id, caller.user_id, asked.notes)

    @routes.post("/{id}/reject")
    async def reject_change(
        id: str, asked: Rejection, caller: CurrentCaller, project_id: InProject = None
    ) -> ChangeView:
        """Archive a proposal with the reason, leaving the specs as they are."""
        row = await changes.find(id, project_id)
        return await changes.reject(row.project_id, id, caller.user_id, asked.reason)

    @routes.post("/{id}/send_back")
    async def send_back_change(
        id: str, asked: Note, caller: CurrentCaller, project_id: InProject = None
    ) -> ChangeView:
        """From review into the queue again, with what is missing."""
        row = await changes.find(id, project_id)
        return await changes.send_back(row.project_id, id, caller.user_id, asked.notes)

    @routes.post("/{id}/apply")
    async def apply_change(
        id: str, caller: CurrentCaller, asked: MaybeNote = NO_NOTE, project_id: InProject = None
    ) -> ChangeView:
        """Confirm that the work in review does what it should."""
        row = await changes.find(id, project_id)
        return await changes.apply(row.project_id, id, caller.user_id, asked.notes)

    @routes.post("/{id}/archive")
    async def archive_change(
        id: str, caller: CurrentCaller, asked: MaybeNote = NO_NOTE, project_id: InProject = None
    ) -> ChangeView:
        """Merge an applied change into the main specs, with the OpenSpec program."""
        row = await changes.find(id, project_id)
        return await changes.archive(row.project_id, id, caller.user_id, asked.notes)
