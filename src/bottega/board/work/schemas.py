"""Changes and failures as one kind of row: what there is to do, planned or broken."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, Field

from bottega.board.changes.states import ChangeStatus
from bottega.board.failures.triage import FailureClass
from bottega.board.projects.schemas import RowView
from bottega.core.operations import Instant


class WorkKind(StrEnum):
    CHANGE = "change"
    FAILURE = "failure"


class WorkFilter(StrEnum):
    ALL = "all"
    SPECS = "specs"
    ERRORS = "errors"
    #: Neither archived nor fixed.
    OPEN = "open"


class WorkOrder(StrEnum):
    #: The newest first.
    ACTIVITY = "activity"
    PRIORITY = "priority"


class FailureStatus(StrEnum):
    """How far a failure is on its way."""

    NEW = "new"
    TRIAGED = "triaged"
    #: A change for it is approved, under way or applied.
    IN_REMEDIATION = "in_remediation"
    FIXED = "fixed"


class WorkItem(RowView):
    kind: WorkKind
    project_id: str
    #: Of the change, or of the failure.
    id: str
    title: str
    #: A change's, or a failure's.
    status: ChangeStatus | FailureStatus
    priority: int
    classification: FailureClass | None
    #: The change made for a failure.
    change_id: str | None
    tasks_done: int | None
    tasks_total: int | None
    assigned_session_id: str | None
    created_at: datetime
    #: When something last happened to it.
    active_at: datetime


class WorkPage(BaseModel):
    items: list[WorkItem]
    total: int


class Recommended(BaseModel):
    """How many sessions a project's queue could keep busy; no `most` for a long one."""

    least: int
    most: int | None


class ProjectLoad(BaseModel):
    project_id: str
    name: str
    #: Approved, and not yet in anybody's hands.
    queue_depth: int
    under_way: int
    active_sessions: int
    recommended_sessions: Recommended


class BoardStats(BaseModel):
    changes: dict[ChangeStatus, int]
    #: Those that fail now, by class.
    failures: dict[FailureClass, int]
    failing: int
    green: int
    queue_depth: int
    active_sessions: int
    waiting_for_approval: int
    waiting_for_review: int
    projects: list[ProjectLoad]


class WorkRequest(BaseModel):
    project_id: str | None = None
    filter: WorkFilter = WorkFilter.ALL
    status: list[ChangeStatus | FailureStatus] | None = None
    search: Annotated[str, Field(max_length=200)] | None = None
    #: Active since, and until.
    since: Instant | None = None
    until: Instant | None = None
    order: WorkOrder = WorkOrder.ACTIVITY
    limit: int = Field(50, ge=1, le=200)
    offset: int = Field(0, ge=0, le=1_000_000)


class StatsRequest(BaseModel):
    project_id: str | None = None
