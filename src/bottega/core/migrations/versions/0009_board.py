"""The board: projects and changes, failures, agents' activity, three tiers of memory."""

import sqlalchemy as sa
from alembic import op

from bottega.core.database import Json, Timestamp

revision = "0009_board"
down_revision = "0008_coach"


def upgrade() -> None:
    _changes()
    _failures()
    _activity()
    _knowledge()


def _changes() -> None:
    op.create_table(
        "projects",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("path", sa.String(), nullable=False, unique=True),
        sa.Column("openspec_path", sa.String(), nullable=False),
        sa.Column("has_active_changes", sa.Boolean(), nullable=False),
        sa.Column("spec_count", sa.Integer(), nullable=False),
        sa.Column("scanned_at", Timestamp(), nullable=False),
        sa.Column("missing_since", Timestamp()),
    )
    op.create_table(
        "changes",
        sa.Column(
            "project_id",
            sa.String(),
            sa.ForeignKey("projects.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("proposal_content", sa.String(), nullable=False),
        sa.Column("tasks_content", sa.String(), nullable=False),
        sa.Column("design_content", sa.String()),
        sa.Column("metadata_content", sa.String()),
        sa.Column("specs", Json, nullable=False),
        sa.Column("tasks_done", sa.Integer(), nullable=False),
        sa.Column("tasks_total", sa.Integer(), nullable=False),
        sa.Column("touches", Json, nullable=False),
        sa.Column("references", Json, nullable=False),
        sa.Column("synced_hashes", Json, nullable=False),
        sa.Column("last_synced_at", Timestamp()),
        sa.Column("filesystem_modified_at", Timestamp()),
        sa.Column("db_modified_at", Timestamp()),
        sa.Column("sync_error", sa.String()),
        sa.Column("missing_since", Timestamp()),
        sa.Column("archive_name", sa.String()),
        sa.Column("rejection_reason", sa.String()),
        sa.Column("fingerprint", sa.String()),
        sa.Column(
            "assigned_session_id", sa.String(), sa.ForeignKey("sessions.id", ondelete="SET NULL")
        ),
        sa.Column("lease_token", sa.Integer(), nullable=False),
        sa.Column("assigned_at", Timestamp()),
        sa.Column("agent_type", sa.String()),
        sa.Column("result", sa.String()),
        sa.Column("created_at", Timestamp(), nullable=False),
        sa.Column("approved_at", Timestamp()),
        sa.Column("completed_at", Timestamp()),
        sa.Column("updated_at", Timestamp(), nullable=False),
    )
    op.create_index("ix_changes_fingerprint", "changes", ["project_id", "fingerprint"])
    op.create_index(
        "ix_changes_queue", "changes", ["project_id", "status", "priority", "approved_at"]
    )
    op.create_index("ix_changes_session", "changes", ["assigned_session_id"])
    op.create_table(
        "change_transitions",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("project_id", sa.String(), nullable=False),
        sa.Column("change_id", sa.String(), nullable=False),
        sa.Column("from_state", sa.String()),
        sa.Column("to_state", sa.String(), nullable=False),
        sa.Column("triggered_by", sa.String(), nullable=False),
        sa.Column("trigger_user_id", sa.String()),
        sa.Column("trigger_session_id", sa.String()),
        sa.Column("notes", sa.String()),
        sa.Column("transitioned_at", Timestamp(), nullable=False),
        _of_change(),
    )
    op.create_index(
        "ix_change_transitions_change",
        "change_transitions",
        ["project_id", "change_id", "transitioned_at"],
    )
    op.create_table(
        "change_revisions",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("project_id", sa.String(), nullable=False),
        sa.Column("change_id", sa.String(), nullable=False),
        sa.Column("file", sa.String(), nullable=False),
        sa.Column("content", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("author", sa.String()),
        sa.Column("created_at", Timestamp(), nullable=False),
        _of_change(),
    )
    op.create_index(
        "ix_change_revisions_change", "change_revisions", ["project_id", "change_id", "created_at"]
    )
    op.create_table(
        "applied_specs",
        sa.Column("project_id", sa.String(), primary_key=True),
        sa.Column("change_id", sa.String(), primary_key=True),
        sa.Column("capability", sa.String(), primary_key=True),
        sa.Column("applied_at", Timestamp(), nullable=False),
        _of_change(),
    )


def _failures() -> None:
    op.create_table(
        "reports",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column(
            "project_id",
            sa.String(),
            sa.ForeignKey("projects.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("started_at", Timestamp()),
        sa.Column("duration_ms", sa.Integer()),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("passed", sa.Integer(), nullable=False),
        sa.Column("failed", sa.Integer(), nullable=False),
        sa.Column("flaked", sa.Integer(), nullable=False),
        sa.Column("skipped", sa.Integer(), nullable=False),
        sa.Column("created_at", Timestamp(), nullable=False),
    )
    op.create_index("ix_reports_project", "reports", ["project_id", "created_at"])
    op.create_table(
        "test_runs",
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=True),
        sa.Column(
            "report_id",
            sa.String(),
            sa.ForeignKey("reports.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("project_id", sa.String(), nullable=False),
        sa.Column("test_id", sa.String(), nullable=False),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.Column("duration_ms", sa.Integer()),
        sa.Column("fingerprint", sa.String()),
    )
    op.create_index("ix_test_runs_report", "test_runs", ["report_id"])
    op.create_index("ix_test_runs_test", "test_runs", ["project_id", "test_id", "number"])
    op.create_table(
        "test_failures",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column(
            "project_id",
            sa.String(),
            sa.ForeignKey("projects.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("fingerprint", sa.String(), nullable=False),
        sa.Column("test_id", sa.String(), nullable=False),
        sa.Column("test_name", sa.String(), nullable=False),
        sa.Column("file", sa.String()),
        sa.Column("line", sa.Integer()),
        sa.Column("error_message", sa.String(), nullable=False),
        sa.Column("stack_trace", sa.String(), nullable=False),
        sa.Column("classification", sa.String(), nullable=False),
        sa.Column("classified_by_person", sa.Boolean(), nullable=False),
        sa.Column("occurrence_count", sa.Integer(), nullable=False),
        sa.Column("consecutive_failures", sa.Integer(), nullable=False),
        sa.Column("is_failing", sa.Boolean(), nullable=False),
        sa.Column("first_seen_at", Timestamp(), nullable=False),
        sa.Column("last_seen_at", Timestamp(), nullable=False),
        sa.Column("last_report_id", sa.String(), sa.ForeignKey("reports.id", ondelete="SET NULL")),
        sa.Column("passed_at", Timestamp()),
        sa.UniqueConstraint("project_id", "fingerprint"),
    )
    op.create_index(
        "ix_test_failures_class", "test_failures", ["project_id", "classification", "last_seen_at"]
    )
    op.create_index("ix_test_failures_test", "test_failures", ["project_id", "test_id"])
    op.create_table(
        "error_triage",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column(
            "test_failure_id",
            sa.String(),
            sa.ForeignKey("test_failures.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("decision", sa.String(), nullable=False),
        sa.Column("rationale", sa.String()),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("rule_decision", sa.String()),
        sa.Column("person_decision", sa.String()),
        sa.Column(
            "assigned_session_id", sa.String(), sa.ForeignKey("sessions.id", ondelete="SET NULL")
        ),
        sa.Column("change_id", sa.String()),
        sa.Column("created_at", Timestamp(), nullable=False),
        sa.Column("updated_at", Timestamp(), nullable=False),
        sa.UniqueConstraint("test_failure_id"),
    )
    op.create_index("ix_error_triage_decision", "error_triage", ["decision", "priority"])


def _activity() -> None:
    op.create_table(
        "hooks",
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=True),
        sa.Column(
            "session_id",
            sa.String(),
            sa.ForeignKey("sessions.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("event", sa.String(), nullable=False),
        sa.Column("tool_name", sa.String()),
        sa.Column("tool_use_id", sa.String()),
        sa.Column("success", sa.Boolean()),
        sa.Column("duration_ms", sa.Integer()),
        sa.Column("payload", Json, nullable=False),
        sa.Column("created_at", Timestamp(), nullable=False),
    )
    op.create_index("ix_hooks_session", "hooks", ["session_id", "number"])
    op.create_table(
        "agent_activity",
        sa.Column(
            "session_id",
            sa.String(),
            sa.ForeignKey("sessions.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("current_tool", sa.String()),
        sa.Column("tool_started_at", Timestamp()),
        sa.Column("last_activity_at", Timestamp(), nullable=False),
        sa.Column("events", sa.Integer(), nullable=False),
        sa.Column("total_tools", sa.Integer(), nullable=False),
        sa.Column("succeeded", sa.Integer(), nullable=False),
        sa.Column("failed", sa.Integer(), nullable=False),
        sa.Column("timed", sa.Integer(), nullable=False),
        sa.Column("total_duration_ms", sa.Integer(), nullable=False),
    )
    op.create_index("ix_agent_activity_last_activity_at", "agent_activity", ["last_activity_at"])
    op.create_table(
        "clarifications",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column(
            "session_id",
            sa.String(),
            sa.ForeignKey("sessions.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("project_id", sa.String(), sa.ForeignKey("projects.id", ondelete="CASCADE")),
        sa.Column("change_id", sa.String()),
        sa.Column("question", sa.String(), nullable=False),
        sa.Column("options", Json, nullable=False),
        sa.Column("blocking", sa.Boolean(), nullable=False),
        sa.Column("answer", sa.String()),
        sa.Column("answered_by", sa.String()),
        sa.Column("delivered_at", Timestamp()),
        sa.Column("created_at", Timestamp(), nullable=False),
        sa.Column("answered_at", Timestamp()),
    )
    op.create_index("ix_clarifications_session", "clarifications", ["session_id", "answered_at"])


def _knowledge() -> None:
    op.create_table(
        "global_knowledge",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("category", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False, unique=True),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("content", sa.String(), nullable=False),
        sa.Column("tags", Json, nullable=False),
        sa.Column("source_project", sa.String(), sa.ForeignKey("projects.id", ondelete="SET NULL")),
        sa.Column("source_change", sa.String()),
        sa.Column("evidence", Json, nullable=False),
        sa.Column("confidence", sa.Integer(), nullable=False),
        sa.Column("usage_count", sa.Integer(), nullable=False),
        sa.Column("success_rate", sa.Integer(), nullable=False),
        sa.Column("created_at", Timestamp(), nullable=False),
        sa.Column("updated_at", Timestamp(), nullable=False),
    )
    op.create_index("ix_global_knowledge_category", "global_knowledge", ["category"])
    op.create_index(
        "ix_global_knowledge_injected",
        "global_knowledge",
        ["confidence", "success_rate", "usage_count"],
    )
    op.create_table(
        "project_memory",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column(
            "project_id",
            sa.String(),
            sa.ForeignKey("projects.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("category", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("content", sa.String(), nullable=False),
        sa.Column("evidence", Json, nullable=False),
        sa.Column("relevance", sa.Integer(), nullable=False),
        sa.Column("usage_count", sa.Integer(), nullable=False),
        sa.Column("last_used", Timestamp()),
        sa.Column("created_at", Timestamp(), nullable=False),
        sa.Column("updated_at", Timestamp(), nullable=False),
        sa.UniqueConstraint("project_id", "category", "key"),
    )
    op.create_index("ix_project_memory_relevance", "project_memory", ["project_id", "relevance"])
    op.create_table(
        "task_memory",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("project_id", sa.String(), nullable=False),
        sa.Column("change_id", sa.String(), nullable=False),
        sa.Column("session_id", sa.String(), sa.ForeignKey("sessions.id", ondelete="SET NULL")),
        sa.Column("category", sa.String(), nullable=False),
        sa.Column("content", sa.String(), nullable=False),
        sa.Column("created_at", Timestamp(), nullable=False),
        _of_change(),
    )
    op.create_index(
        "ix_task_memory_change", "task_memory", ["project_id", "change_id", "created_at"]
    )
    op.create_table(
        "knowledge_uses",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("tier", sa.String(), nullable=False),
        sa.Column("item_id", sa.String(), nullable=False),
        sa.Column("project_id", sa.String(), nullable=False),
        sa.Column("change_id", sa.String(), nullable=False),
        sa.Column("helped", sa.Boolean()),
        sa.Column("created_at", Timestamp(), nullable=False),
        _of_change(),
        sa.UniqueConstraint("tier", "item_id", "project_id", "change_id"),
    )
    op.create_index("ix_knowledge_uses_change", "knowledge_uses", ["project_id", "change_id"])


def _of_change() -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["project_id", "change_id"], ["changes.project_id", "changes.id"], ondelete="CASCADE"
    )
