"""Changes as callers send them (edits, decisions, proposals) and as every door shows them."""

from dataclasses import fields
from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from bottega.board.changes.states import Actor, ChangeStatus
from bottega.board.openspec.drafts import DeltaInput, Name, NewChange, TaskGroupInput, Text
from bottega.board.openspec.texts import Level
from bottega.board.projects.schemas import ProjectView, RowView

Priority = Annotated[int, Field(ge=1, le=5, description="5 is the most urgent.")]
Reason = Annotated[str, Field(min_length=1, max_length=5_000, pattern=r"\S")]


class Input(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ChangeEdit(Input):
    """What an editor changed, and what it had before it."""

    #: `proposal.md`, `tasks.md`, `design.md` or `specs/{capability}/spec.md` → its new text.
    texts: dict[Name, Text] = Field(default_factory=dict, max_length=100)
    #: The hash of the text each edit was made from; none for a file that was not there.
    base_hashes: dict[Name, str | None] = Field(default_factory=dict, max_length=100)
    priority: Priority | None = None


class Approval(Input):
    notes: Reason | None = None
    priority: Priority | None = None


class Rejection(Input):
    reason: Reason


class Note(Input):
    notes: Reason


class MaybeNote(Input):
    notes: Reason | None = None


class Ticks(Input):
    #: A task's id, or its number in the list from 1 on.
    tasks: list[Name] = Field(min_length=1, max_length=500)
    done: bool = True


class ProposalInput(Input):
    """A change to propose. Without deltas it says of itself that no behaviour changes."""

    project_id: Name
    title: Name
    why: Text
    what_changes: Text
    impact: Text = ""
    tasks: list[TaskGroupInput] = Field(min_length=1, max_length=50)
    deltas: list[DeltaInput] = Field(default_factory=list, max_length=50)
    design: Text | None = None
    id: Name | None = None
    priority: Priority = 3

    def draft(self) -> NewChange:
        return NewChange(**{each.name: getattr(self, each.name) for each in fields(NewChange)})


class ChangeSummary(RowView):
    """A change without its texts."""

    project_id: str
    id: str
    title: str
    status: ChangeStatus
    priority: int
    tasks_done: int
    tasks_total: int
    touches: list[str]
    references: list[str]
    sync_error: str | None
    missing_since: datetime | None
    archive_name: str | None
    rejection_reason: str | None
    fingerprint: str | None
    assigned_session_id: str | None
    assigned_at: datetime | None
    agent_type: str | None
    result: str | None
    created_at: datetime
    approved_at: datetime | None
    completed_at: datetime | None
    updated_at: datetime
    last_synced_at: datetime | None
    #: Shown only: hashes decide what is newer.
    filesystem_modified_at: datetime | None


class ChangeList(BaseModel):
    changes: list[ChangeSummary]
    total: int


class TaskView(RowView):
    id: str
    text: str
    done: bool
    group: str
    depth: int
    line: int


class ChangeView(ChangeSummary):
    proposal_content: str
    tasks_content: str
    design_content: str | None
    #: Delta specs: capability → text.
    specs: dict[str, str]
    tasks: list[TaskView]
    #: File → hash of its text, to send back as `base_hashes` with an edit.
    hashes: dict[str, str]
    #: Where a person may move it from here.
    moves: list[ChangeStatus]


class Overlap(BaseModel):
    """Another open change that meets this one; they are not handed out together."""

    change_id: str
    title: str
    status: ChangeStatus
    #: `capability/requirement` that both change.
    requirements: list[str]
    #: One of the two names the other.
    named: bool


class OverlapList(BaseModel):
    overlaps: list[Overlap]


class Proposed(ChangeView):
    overlaps: list[Overlap]


class IssueView(RowView):
    level: Level
    path: str
    line: int | None
    message: str


class ValidationView(BaseModel):
    valid: bool
    issues: list[IssueView]
    #: Whether the OpenSpec program has judged it too.
    checked_by_openspec: bool
    #: Why not, and what to do about it.
    note: str | None = None


class SavedChange(BaseModel):
    change: ChangeView
    validation: ValidationView


class LateText(BaseModel):
    """A text that was made from one that is not there any more."""

    file: str
    yours: str
    #: Null: the file is gone.
    theirs: str | None
    #: Of theirs, to send as `base_hashes` with what a person made of both.
    hash: str | None
    #: Where yours is kept.
    revision_id: str


class TooLate(BaseModel):
    type: str
    message: str
    #: Left out where the change's state is what forbids the edit.
    conflicts: list[LateText] = Field(default_factory=list)


class TooLateBody(BaseModel):
    error: TooLate


class TransitionView(RowView):
    id: str
    from_state: ChangeStatus | None
    to_state: ChangeStatus
    triggered_by: Actor
    trigger_user_id: str | None
    trigger_session_id: str | None
    notes: str | None
    transitioned_at: datetime


class History(BaseModel):
    transitions: list[TransitionView]


class RevisionView(RowView):
    id: str
    file: str
    content: str
    reason: str
    author: str | None
    created_at: datetime


class RevisionList(BaseModel):
    revisions: list[RevisionView]


class AppliedView(RowView):
    change_id: str
    capability: str
    applied_at: datetime


class AppliedList(BaseModel):
    applied: list[AppliedView]


class ProjectDetail(ProjectView):
    #: Changes by status.
    changes: dict[ChangeStatus, int]
    openspec_installed: bool
    #: How to install the OpenSpec program, where it is missing.
    note: str | None


InProject = Annotated[
    str | None, Field(description="May be left out where no other project has that id.")
]


class ChangeListRequest(BaseModel):
    project_id: str | None = None
    status: list[ChangeStatus] | None = None
    search: Annotated[str, Field(max_length=200)] | None = None


class ChangeRequest(BaseModel):
    id: str
    project_id: InProject = None


class ChangeEditRequest(ChangeEdit, ChangeRequest): ...


class RestoreRequest(ChangeRequest):
    revision_id: str


class TickRequest(Ticks, ChangeRequest): ...


class ApproveRequest(Approval, ChangeRequest): ...


class RejectRequest(Rejection, ChangeRequest): ...


class NoteRequest(MaybeNote, ChangeRequest): ...


class SendBackRequest(Note, ChangeRequest): ...
