"""Reports and failures as every door shows them, and what people say about them."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, Field

from bottega.board.changes.schemas import Input, Priority, Reason
from bottega.board.changes.states import ChangeStatus
from bottega.board.failures.reports.report import BoardOutcome
from bottega.board.failures.triage import Decision, FailureClass
from bottega.board.openspec.drafts import Name
from bottega.board.projects.schemas import RowView
from bottega.core.operations import Instant


class ReportView(RowView):
    id: str
    project_id: str
    source: str
    started_at: datetime | None
    duration_ms: int | None
    total: int
    passed: int
    failed: int
    flaked: int
    skipped: int
    created_at: datetime


class ReportList(BaseModel):
    reports: list[ReportView]
    total: int


class GreenTest(BaseModel):
    """A test that fails no more."""

    failure_id: str
    test_name: str
    #: The change that was to mend it and waits for this very news.
    change_id: str | None


class ImportResult(BaseModel):
    """What a report brought."""

    report: ReportView
    new_failures: int
    #: Changes that were proposed, and proposals that were brought up to date.
    proposed: list[str]
    updated: list[str]
    #: Failures that deserve a proposal but would have been one too many in one report.
    held_back: int
    #: Failures that are to happen again before they are proposed.
    waiting: int
    green: list[GreenTest]
    #: Changes whose test failed again.
    reopened: list[str]
    #: What could not be done, and errors that belong to no test.
    notes: list[str]


class FailureSummary(RowView):
    id: str
    project_id: str
    fingerprint: str
    test_id: str
    test_name: str
    file: str | None
    line: int | None
    #: The beginning of the error.
    error: str
    classification: FailureClass
    classified_by_person: bool
    occurrence_count: int
    consecutive_failures: int
    is_failing: bool
    first_seen_at: datetime
    last_seen_at: datetime
    passed_at: datetime | None
    decision: Decision
    rationale: str | None
    confidence: float
    priority: int
    rule_decision: Decision | None
    person_decision: Decision | None
    assigned_session_id: str | None
    change_id: str | None
    change_status: ChangeStatus | None


class FailurePage(BaseModel):
    failures: list[FailureSummary]
    total: int


class RunView(BaseModel):
    """One run of the failure's test."""

    report_id: str
    outcome: BoardOutcome
    duration_ms: int | None
    #: It failed with this very error.
    same_error: bool
    reported_at: datetime


class FailureView(FailureSummary):
    error_message: str
    stack_trace: str
    #: Newest first.
    runs: list[RunView]


class Agreement(BaseModel):
    """How often people decided as the rules had suggested."""

    decided: int
    agreed: int
    #: Null while nobody has decided anything.
    share: float | None


class TriageInput(Input):
    decision: Decision
    rationale: Reason | None = None
    priority: Priority | None = None


class ClassInput(Input):
    classification: FailureClass | None = Field(
        default=None, description="Left out, the rules classify it again."
    )


class BoardSessionInput(Input):
    session_id: Name | None = Field(description="Null: nobody any more.")


class Shown(StrEnum):
    FAILING = "failing"
    GREEN = "green"


class FailuresRequest(BaseModel):
    project_id: str | None = None
    classification: FailureClass | None = None
    status: Shown | None = None
    decision: Decision | None = None
    #: Met since then.
    since: Instant | None = None
    #: Words of its test or its error, all of them.
    search: Annotated[str, Field(max_length=200)] | None = None
    fingerprint: str | None = Field(None, description="As a change names it.")
    limit: int = Field(50, ge=1, le=200)
    offset: int = Field(0, ge=0, le=1_000_000)


class ReportsRequest(BaseModel):
    project_id: str | None = None
    limit: int = Field(50, ge=1, le=200)
    offset: int = Field(0, ge=0, le=1_000_000)


class AgreementRequest(BaseModel):
    project_id: str | None = None


class FailureRequest(BaseModel):
    failure_id: str


class TriageRequest(TriageInput, FailureRequest): ...


class ClassifyRequest(ClassInput, FailureRequest): ...


class AssignRequest(BoardSessionInput, FailureRequest): ...
