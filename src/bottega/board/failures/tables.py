"""Test runs, what failed in them, and what was made of it."""

from datetime import datetime

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from bottega.board.failures.triage import Decision, FailureClass
from bottega.core import clock
from bottega.core.clock import new_id
from bottega.core.db.database import Base


class Report(Base):
    """One posted report: a run of a suite."""

    __tablename__ = "reports"
    __table_args__ = (Index("ix_reports_project", "project_id", "created_at"),)

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[str] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    #: playwright or junit
    source: Mapped[str]
    started_at: Mapped[datetime | None]
    duration_ms: Mapped[int | None]
    total: Mapped[int]
    passed: Mapped[int]
    failed: Mapped[int]
    flaked: Mapped[int]
    skipped: Mapped[int]
    created_at: Mapped[datetime] = mapped_column(default=clock.now)


class TestRun(Base):
    """One test in one run. Passes too: a pass is what tells flaky from broken."""

    __test__ = False  # pytest takes the name for a class of tests
    __tablename__ = "test_runs"
    __table_args__ = (
        Index("ix_test_runs_test", "project_id", "test_id", "number"),
        Index("ix_test_runs_report", "report_id"),
    )

    #: In the order of reports and, within one, of the report.
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=True)
    report_id: Mapped[str] = mapped_column(ForeignKey("reports.id", ondelete="CASCADE"))
    project_id: Mapped[str]
    test_id: Mapped[str]
    outcome: Mapped[str]
    duration_ms: Mapped[int | None]
    #: Of the failure, if it was one.
    fingerprint: Mapped[str | None]


class TestFailure(Base):
    """One failure by its fingerprint, however often it was met."""

    __test__ = False
    __tablename__ = "test_failures"
    __table_args__ = (
        UniqueConstraint("project_id", "fingerprint"),
        Index("ix_test_failures_class", "project_id", "classification", "last_seen_at"),
        Index("ix_test_failures_test", "project_id", "test_id"),
    )

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    project_id: Mapped[str] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    fingerprint: Mapped[str]
    test_id: Mapped[str]
    test_name: Mapped[str]
    file: Mapped[str | None]
    line: Mapped[int | None]
    error_message: Mapped[str]
    stack_trace: Mapped[str]
    classification: Mapped[str] = mapped_column(default=FailureClass.NEW)
    #: A person's word on the class, which then stands.
    classified_by_person: Mapped[bool] = mapped_column(default=False)
    occurrence_count: Mapped[int] = mapped_column(default=1)
    consecutive_failures: Mapped[int] = mapped_column(default=1)
    #: failing, or passing again.
    is_failing: Mapped[bool] = mapped_column(default=True)
    first_seen_at: Mapped[datetime] = mapped_column(default=clock.now)
    last_seen_at: Mapped[datetime] = mapped_column(default=clock.now)
    last_report_id: Mapped[str | None] = mapped_column(
        ForeignKey("reports.id", ondelete="SET NULL")
    )
    passed_at: Mapped[datetime | None]


class ErrorTriage(Base):
    """What was decided about a failure, by rule and by people."""

    __tablename__ = "error_triage"
    __table_args__ = (
        UniqueConstraint("test_failure_id"),
        Index("ix_error_triage_decision", "decision", "priority"),
    )

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    test_failure_id: Mapped[str] = mapped_column(ForeignKey("test_failures.id", ondelete="CASCADE"))
    decision: Mapped[str] = mapped_column(default=Decision.PENDING)
    rationale: Mapped[str | None]
    confidence: Mapped[float] = mapped_column(default=0.5)
    #: 1 to 5.
    priority: Mapped[int] = mapped_column(default=3)
    #: What the rules said first, and what a person said: their agreement is tracked.
    rule_decision: Mapped[str | None]
    person_decision: Mapped[str | None]
    assigned_session_id: Mapped[str | None] = mapped_column(
        ForeignKey("sessions.id", ondelete="SET NULL")
    )
    #: The change made for it, in the failure's project.
    change_id: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(default=clock.now)
    updated_at: Mapped[datetime] = mapped_column(default=clock.now)
