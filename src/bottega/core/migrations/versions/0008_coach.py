"""The coach: plans, phases, hints, progress; assessments, gaps, katas."""

import sqlalchemy as sa
from alembic import op

from bottega.core.database import Json, Timestamp

revision = "0008_coach"
down_revision = "0007_journal"


def upgrade() -> None:
    _plans()
    _learning()


def _plans() -> None:
    op.create_table(
        "plans",
        sa.Column("id", sa.String(), primary_key=True),
        _parent("session_id", "sessions"),
        sa.Column("raw_plan_text", sa.String(), nullable=False),
        sa.Column("memory_connection", sa.String()),
        sa.Column("estimated_difficulty", sa.String(), nullable=False),
        sa.Column("created_at", Timestamp(), nullable=False),
    )
    op.create_table(
        "phases",
        sa.Column("id", sa.String(), primary_key=True),
        _parent("plan_id", "plans", index=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("description", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("hint_level", sa.String(), nullable=False),
        sa.Column("expected_files", Json, nullable=False),
        sa.Column("opportunities", Json, nullable=False),
        sa.Column("started_at", Timestamp()),
        sa.Column("completed_at", Timestamp()),
        sa.UniqueConstraint("plan_id", "number"),
    )
    op.create_table(
        "phase_hints",
        sa.Column("id", sa.String(), primary_key=True),
        _parent("phase_id", "phases"),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("start_line", sa.Integer()),
        sa.Column("end_line", sa.Integer()),
        sa.Column("style", sa.String(), nullable=False),
        sa.Column("hover_text", sa.String()),
    )
    op.create_table(
        "progress_events",
        sa.Column("id", sa.String(), primary_key=True),
        _parent("phase_id", "phases", index=False),
        sa.Column("event_type", sa.String(), nullable=False),
        sa.Column("data", Json),
        sa.Column("created_at", Timestamp(), nullable=False),
    )
    op.create_index(
        "ix_progress_events_phase_created", "progress_events", ["phase_id", "created_at"]
    )


def _learning() -> None:
    op.create_table(
        "dreyfus_assessments",
        sa.Column("id", sa.String(), primary_key=True),
        _parent("user_id", "users", index=False),
        sa.Column("skill_area", sa.String(), nullable=False),
        sa.Column("stage", sa.String(), nullable=False),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("evidence", sa.String(), nullable=False),
        sa.Column("recommendation", sa.String(), nullable=False),
        sa.Column("assessed_at", Timestamp(), nullable=False),
        sa.UniqueConstraint("user_id", "skill_area"),
    )
    op.create_table(
        "knowledge_gaps",
        sa.Column("id", sa.String(), primary_key=True),
        _parent("session_id", "sessions"),
        _parent("user_id", "users", index=False),
        sa.Column("topic", sa.String(), nullable=False),
        sa.Column("severity", sa.String(), nullable=False),
        sa.Column("evidence", sa.String(), nullable=False),
        sa.Column("related_concepts", Json, nullable=False),
        sa.Column("frequency", sa.Integer(), nullable=False),
        sa.Column("last_encountered_at", Timestamp(), nullable=False),
        sa.Column("addressed", sa.Boolean(), nullable=False),
    )
    op.create_index("ix_knowledge_gaps_user_addressed", "knowledge_gaps", ["user_id", "addressed"])
    op.create_table(
        "kata_specs",
        sa.Column("id", sa.String(), primary_key=True),
        _parent("knowledge_gap_id", "knowledge_gaps"),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("description", sa.String(), nullable=False),
        sa.Column("scaffolding_code", sa.String(), nullable=False),
        sa.Column("instructor_notes", sa.String(), nullable=False),
        sa.Column("test_cases", Json, nullable=False),
        sa.Column("constraints", Json, nullable=False),
        sa.Column("user_attempts", Json, nullable=False),
        sa.Column("slug", sa.String()),
        sa.Column("created_at", Timestamp(), nullable=False),
    )


def _parent(name: str, table: str, *, index: bool = True) -> sa.Column[str]:
    parent = sa.ForeignKey(f"{table}.id", ondelete="CASCADE")
    return sa.Column(name, sa.String(), parent, nullable=False, index=index)
