"""What can be asked of changes: to see, propose and edit them, and to decide on them."""

from typing import TYPE_CHECKING

from bottega.board.changes.schemas import (
    AppliedList,
    AppliedView,
    ApproveRequest,
    ChangeEditRequest,
    ChangeList,
    ChangeListRequest,
    ChangeRequest,
    ChangeView,
    History,
    NoteRequest,
    OverlapList,
    ProjectDetail,
    ProposalInput,
    Proposed,
    RejectRequest,
    RestoreRequest,
    RevisionList,
    SavedChange,
    SendBackRequest,
    TickRequest,
    TooLateBody,
    ValidationView,
)
from bottega.board.changes.states import Actor
from bottega.board.projects.schemas import ProjectRequest
from bottega.core.operations import Get, Post, Put, operation
from bottega.core.roles import Right
from bottega.core.rooms import Caller

if TYPE_CHECKING:
    from bottega.board.changes.service import Changes

PATH = "/board/changes/{id}"
#: Arguments that stand in the query of every request about one change.
QUERY = ("project_id",)


@operation(Get("/board/changes"))
async def list_changes(changes: "Changes", asked: ChangeListRequest) -> ChangeList:
    """Without their texts; urgent ones first, then the newest."""
    found = await changes.list(asked.project_id, asked.status, asked.search)
    return ChangeList(changes=list(found), total=len(found))


@operation(Post("/board/changes", status=201), needs=Right.EDIT)
async def propose_change(changes: "Changes", asked: ProposalInput, caller: Caller) -> Proposed:
    """Write a new change to the project, for a person to decide on; overlaps are shown."""
    return await changes.propose(
        asked.project_id,
        asked.draft(),
        by=Actor.USER,
        user_id=caller.user_id,
        priority=asked.priority,
    )


@operation(Get(PATH))
async def show_change(changes: "Changes", asked: ChangeRequest) -> ChangeView:
    """With its texts, its tasks and where it may go from here."""
    row = await changes.find(asked.id, asked.project_id)
    return await changes.show(row.project_id, row.id)


@operation(Get(f"{PATH}/history"))
async def show_history(changes: "Changes", asked: ChangeRequest) -> History:
    """Every step it took, with who and why."""
    row = await changes.find(asked.id, asked.project_id)
    return History(transitions=list(await changes.history(row.project_id, row.id)))


@operation(Get(f"{PATH}/revisions"))
async def list_revisions(changes: "Changes", asked: ChangeRequest) -> RevisionList:
    """Texts that lost against others, newest first."""
    row = await changes.find(asked.id, asked.project_id)
    return RevisionList(revisions=list(await changes.revisions(row.project_id, row.id)))


@operation(Get(f"{PATH}/validation"))
async def validate_change(changes: "Changes", asked: ChangeRequest) -> ValidationView:
    """Whether it could be approved, and what is in the way."""
    row = await changes.find(asked.id, asked.project_id)
    return await changes.validation(row.project_id, row.id)


@operation(Get(f"{PATH}/overlaps"))
async def list_overlaps(changes: "Changes", asked: ChangeRequest) -> OverlapList:
    """Open changes that alter the same requirement, or name this one."""
    row = await changes.find(asked.id, asked.project_id)
    return OverlapList(overlaps=list(await changes.overlaps(row.project_id, row.id)))


@operation(Put(PATH, query=QUERY, responses={409: TooLateBody}), needs=Right.EDIT)
async def edit_change(changes: "Changes", asked: ChangeEditRequest, caller: Caller) -> SavedChange:
    """Save texts, each with the hash of the text it was made from."""
    row = await changes.find(asked.id, asked.project_id)
    return await changes.edit(row.project_id, row.id, asked, caller.user_id)


@operation(Post(f"{PATH}/revisions/{{revision_id}}/restore", query=QUERY), needs=Right.EDIT)
async def restore_revision(
    changes: "Changes", asked: RestoreRequest, caller: Caller
) -> SavedChange:
    """Bring a kept text back, and with it a change whose directory is gone."""
    row = await changes.find(asked.id, asked.project_id)
    return await changes.restore(row.project_id, row.id, asked.revision_id, caller.user_id)


@operation(Post(f"{PATH}/dismiss", query=QUERY), needs=Right.DECIDE)
async def dismiss_conflict(changes: "Changes", asked: ChangeRequest) -> ChangeView:
    """Take the note away that a text lost against the file's. The revision stays."""
    row = await changes.find(asked.id, asked.project_id)
    return await changes.dismiss(row.project_id, row.id)


@operation(Put(f"{PATH}/tasks", query=QUERY), needs=Right.EDIT)
async def tick_tasks(changes: "Changes", asked: TickRequest, caller: Caller) -> ChangeView:
    """Tick or clear tasks, by id or by number."""
    row = await changes.find(asked.id, asked.project_id)
    user_id = caller.user_id
    return await changes.tick(row.project_id, row.id, asked.tasks, asked.done, user_id=user_id)


@operation(Post(f"{PATH}/approve", query=QUERY, optional_body=True), needs=Right.DECIDE)
async def approve_change(changes: "Changes", asked: ApproveRequest, caller: Caller) -> ChangeView:
    """Let it into the queue, if it is valid."""
    row = await changes.find(asked.id, asked.project_id)
    return await changes.approve(
        row.project_id, row.id, caller.user_id, asked.notes, asked.priority
    )


@operation(Post(f"{PATH}/take_back", query=QUERY, optional_body=True), needs=Right.DECIDE)
async def take_back_change(changes: "Changes", asked: NoteRequest, caller: Caller) -> ChangeView:
    """Undo an approval before an agent has claimed it."""
    row = await changes.find(asked.id, asked.project_id)
    return await changes.take_back(row.project_id, row.id, caller.user_id, asked.notes)


@operation(Post(f"{PATH}/reject", query=QUERY), needs=Right.DECIDE)
async def reject_change(changes: "Changes", asked: RejectRequest, caller: Caller) -> ChangeView:
    """Archive a proposal with the reason, leaving the specs as they are."""
    row = await changes.find(asked.id, asked.project_id)
    return await changes.reject(row.project_id, row.id, caller.user_id, asked.reason)


@operation(Post(f"{PATH}/send_back", query=QUERY), needs=Right.DECIDE)
async def send_back_change(
    changes: "Changes", asked: SendBackRequest, caller: Caller
) -> ChangeView:
    """From review into the queue again, with what is missing."""
    row = await changes.find(asked.id, asked.project_id)
    return await changes.send_back(row.project_id, row.id, caller.user_id, asked.notes)


@operation(Post(f"{PATH}/apply", query=QUERY, optional_body=True), needs=Right.DECIDE)
async def apply_change(changes: "Changes", asked: NoteRequest, caller: Caller) -> ChangeView:
    """Confirm that the work in review does what it should."""
    row = await changes.find(asked.id, asked.project_id)
    return await changes.apply(row.project_id, row.id, caller.user_id, asked.notes)


@operation(Post(f"{PATH}/archive", query=QUERY, optional_body=True), needs=Right.DECIDE)
async def archive_change(changes: "Changes", asked: NoteRequest, caller: Caller) -> ChangeView:
    """Merge an applied change into the main specs, with the OpenSpec program."""
    row = await changes.find(asked.id, asked.project_id)
    return await changes.archive(row.project_id, row.id, caller.user_id, asked.notes)


@operation(Get("/projects/{project_id}"))
async def show_project(changes: "Changes", asked: ProjectRequest) -> ProjectDetail:
    """One project, its changes counted, and whether OpenSpec's program is there."""
    return await changes.project(asked.project_id)


@operation(Get("/projects/{project_id}/applied"))
async def list_applied(changes: "Changes", asked: ProjectRequest) -> AppliedList:
    """Which changes brought what into the specs, newest first."""
    rows = await changes.applied(asked.project_id)
    return AppliedList(applied=[AppliedView.model_validate(row) for row in rows])
