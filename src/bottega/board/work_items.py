"""Changes and failures as one kind of row: what there is to do, planned or broken."""

from datetime import datetime
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from bottega.board.enums import ChangeStatus, FailureClass


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


class WorkItem(BaseModel):
    model_config = ConfigDict(from_attributes=True)

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


class Stats(BaseModel):
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
