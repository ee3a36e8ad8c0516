"""Projects, changes and specs as every door shows them."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field

from bottega.board.enums import Actor, ChangeStatus
from bottega.board.openspec import Level


class View(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class ChangeSummary(View):
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


class TaskView(View):
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


class IssueView(View):
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


class TransitionView(View):
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


class RevisionView(View):
    id: str
    file: str
    content: str
    reason: str
    author: str | None
    created_at: datetime


class RevisionList(BaseModel):
    revisions: list[RevisionView]


class ProjectView(View):
    id: str
    name: str
    path: str
    openspec_path: str
    has_active_changes: bool
    spec_count: int
    scanned_at: datetime
    missing_since: datetime | None


class ProjectList(BaseModel):
    projects: list[ProjectView]


class ScanView(ProjectList):
    found: list[str]
    returned: list[str]
    vanished: list[str]


class ProjectDetail(ProjectView):
    #: Changes by status.
    changes: dict[ChangeStatus, int]
    openspec_installed: bool
    #: How to install the OpenSpec program, where it is missing.
    note: str | None


class ScenarioView(View):
    name: str
    text: str


class RequirementView(View):
    name: str
    text: str
    line: int
    scenarios: list[ScenarioView]


class SpecSummary(BaseModel):
    id: str
    title: str
    purpose: str
    requirement_count: int


class SpecList(BaseModel):
    specs: list[SpecSummary]


class SpecView(SpecSummary):
    content: str
    requirements: list[RequirementView]


class AppliedView(View):
    change_id: str
    capability: str
    applied_at: datetime


class AppliedList(BaseModel):
    applied: list[AppliedView]
