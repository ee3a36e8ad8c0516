"""The assistant: its sessions, what people decided, and the memory files."""

import sqlalchemy as sa
from alembic import op

from bottega.core.database import Json, Timestamp

revision = "0013_assistant"
down_revision = "0012_research"


def upgrade() -> None:
    op.create_table(
        "assistant_sessions",
        sa.Column(
            "session_id",
            sa.String(),
            sa.ForeignKey("sessions.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("user_id", sa.String(), sa.ForeignKey("users.id"), nullable=False),
        sa.Column("plugin", sa.String(), nullable=False),
        sa.Column("command", sa.String()),
        sa.Column("agent", sa.String(), nullable=False),
        sa.Column("class_id", sa.String()),
        sa.Column("tasks", Json, nullable=False),
        sa.Column("artefact", sa.String(), nullable=False),
        sa.Column("created_at", Timestamp(), nullable=False),
        sa.Column("updated_at", Timestamp(), nullable=False),
    )
    op.create_index(
        "ix_assistant_sessions_user_class", "assistant_sessions", ["user_id", "class_id"]
    )
    op.create_index(
        "ix_assistant_sessions_user_updated", "assistant_sessions", ["user_id", "updated_at"]
    )
    op.create_table(
        "assistant_decisions",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column(
            "session_id",
            sa.String(),
            sa.ForeignKey("sessions.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("run_id", sa.String()),
        sa.Column("trace_id", sa.String()),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("item", sa.String()),
        sa.Column("decision", sa.String(), nullable=False),
        sa.Column("text", sa.String()),
        sa.Column("data", Json, nullable=False),
        sa.Column("created_at", Timestamp(), nullable=False),
    )
    op.create_index(
        "ix_assistant_decisions_session", "assistant_decisions", ["session_id", "created_at"]
    )
    op.create_table(
        "memory_files",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("user_id", sa.String(), sa.ForeignKey("users.id"), nullable=False),
        sa.Column("scope", sa.String(), nullable=False),
        sa.Column("class_id", sa.String(), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("content", sa.String(), nullable=False),
        sa.Column("importance", sa.Float(), nullable=False),
        sa.Column("access_count", sa.Integer(), nullable=False),
        sa.Column("accessed_at", Timestamp()),
        sa.Column("created_at", Timestamp(), nullable=False),
        sa.Column("updated_at", Timestamp(), nullable=False),
        sa.UniqueConstraint("user_id", "scope", "class_id", "path"),
    )
    op.create_table(
        "memory_events",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("trace_id", sa.String()),
        sa.Column("session_id", sa.String(), sa.ForeignKey("sessions.id", ondelete="SET NULL")),
        sa.Column("user_id", sa.String(), sa.ForeignKey("users.id"), nullable=False),
        sa.Column(
            "memory_file_id", sa.String(), sa.ForeignKey("memory_files.id", ondelete="SET NULL")
        ),
        sa.Column("event_type", sa.String(), nullable=False),
        sa.Column("proposed_text", sa.String()),
        sa.Column("final_text", sa.String()),
        sa.Column("scope", sa.String(), nullable=False),
        sa.Column("class_id", sa.String()),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("created_at", Timestamp(), nullable=False),
    )
    op.create_index("ix_memory_events_session", "memory_events", ["session_id"])
    op.create_index("ix_memory_events_trace", "memory_events", ["trace_id"])
