"""Runs and their events."""

import sqlalchemy as sa
from alembic import op

from bottega.core.database import Json, Timestamp

revision = "0005_runs"
down_revision = "0004_traces"


def upgrade() -> None:
    op.create_table(
        "runs",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("input", Json, nullable=False),
        sa.Column("user_id", sa.String(), sa.ForeignKey("users.id"), nullable=False),
        sa.Column("session_id", sa.String(), sa.ForeignKey("sessions.id", ondelete="SET NULL")),
        sa.Column("queue", sa.String()),
        sa.Column("created_at", Timestamp(), nullable=False),
        sa.Column("updated_at", Timestamp(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("waiting_for", Json),
        sa.Column("output", Json),
        sa.Column("error", Json),
        sa.Column("ended_at", Timestamp()),
        sa.Column("recoveries", sa.Integer(), nullable=False),
    )
    op.create_index("ix_runs_status", "runs", ["status"])
    op.create_index("ix_runs_user_created", "runs", ["user_id", "created_at"])
    op.create_table(
        "run_events",
        sa.Column(
            "run_id",
            sa.String(),
            sa.ForeignKey("runs.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("position", sa.Integer(), primary_key=True),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("payload", Json, nullable=False),
        sa.Column("created_at", Timestamp(), nullable=False),
        sa.UniqueConstraint("run_id", "key"),
    )
