"""Users, tokens, sessions, messages, the action log and the model-call ledger."""

import sqlalchemy as sa
from alembic import op

from bottega.core.database import Json, Timestamp

revision = "0001_core"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "users",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("name", sa.String(), nullable=False, unique=True),
        sa.Column("created_at", Timestamp(), nullable=False),
    )
    op.create_table(
        "tokens",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column(
            "user_id", sa.String(), sa.ForeignKey("users.id", ondelete="CASCADE"), nullable=False
        ),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("token_hash", sa.String(), nullable=False, unique=True),
        sa.Column("created_at", Timestamp(), nullable=False),
        sa.Column("last_used_at", Timestamp()),
        sa.Column("revoked_at", Timestamp()),
    )
    op.create_index("ix_tokens_user_id", "tokens", ["user_id"])
    op.create_table(
        "sessions",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("type", sa.String()),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), sa.ForeignKey("users.id"), nullable=False),
        sa.Column("project_dir", sa.String(), nullable=False),
        sa.Column("title", sa.String()),
        sa.Column("issue_number", sa.Integer()),
        sa.Column("issue_title", sa.String()),
        sa.Column("data", Json, nullable=False),
        sa.Column("started_at", Timestamp(), nullable=False),
        sa.Column("seen_at", Timestamp(), nullable=False),
        sa.Column("ended_at", Timestamp()),
    )
    op.create_index("ix_sessions_user_kind_status", "sessions", ["user_id", "kind", "status"])
    op.create_index("ix_sessions_project_started", "sessions", ["project_dir", "started_at"])
    op.create_table(
        "messages",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column(
            "session_id",
            sa.String(),
            sa.ForeignKey("sessions.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("content", Json, nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("created_at", Timestamp(), nullable=False),
        sa.UniqueConstraint("session_id", "position"),
    )
    op.create_table(
        "action_log",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column(
            "session_id",
            sa.String(),
            sa.ForeignKey("sessions.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("action_type", sa.String(), nullable=False),
        sa.Column("data", Json),
        sa.Column("created_at", Timestamp(), nullable=False),
    )
    op.create_index("ix_action_log_action_type", "action_log", ["action_type"])
    op.create_index("ix_action_log_session_created", "action_log", ["session_id", "created_at"])
    op.create_table(
        "api_call_log",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("session_id", sa.String(), sa.ForeignKey("sessions.id", ondelete="SET NULL")),
        sa.Column("call_type", sa.String(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("input_hash", sa.String(), nullable=False),
        sa.Column("latency_ms", sa.Integer(), nullable=False),
        sa.Column("input_tokens", sa.Integer(), nullable=False),
        sa.Column("output_tokens", sa.Integer(), nullable=False),
        sa.Column("cost_estimate", sa.Float(), nullable=False),
        sa.Column("error", sa.String()),
        sa.Column("created_at", Timestamp(), nullable=False),
    )
    op.create_index("ix_api_call_log_created_at", "api_call_log", ["created_at"])
    op.create_index("ix_api_call_log_session_created", "api_call_log", ["session_id", "created_at"])
    op.execute(
        "INSERT INTO users (id, name, created_at) "
        "VALUES ('local', 'local', '2026-01-01T00:00:00.000000Z')"
    )
