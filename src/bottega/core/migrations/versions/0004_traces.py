"""Spans."""

import sqlalchemy as sa
from alembic import op

from bottega.core.database import Json, Timestamp

revision = "0004_traces"
down_revision = "0003_search"


def upgrade() -> None:
    op.create_table(
        "spans",
        sa.Column("trace_id", sa.String(), primary_key=True),
        sa.Column("span_id", sa.String(), primary_key=True),
        sa.Column("parent_id", sa.String()),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("session_id", sa.String()),
        sa.Column("user_id", sa.String()),
        sa.Column("run_id", sa.String()),
        sa.Column("started_at", Timestamp(), nullable=False),
        sa.Column("ended_at", Timestamp(), nullable=False),
        sa.Column("duration_ms", sa.Float(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("attributes", Json, nullable=False),
        sa.Column("events", Json, nullable=False),
    )
    op.create_index("ix_spans_session_started", "spans", ["session_id", "started_at"])
    op.create_index("ix_spans_run_id", "spans", ["run_id"])
    op.create_index("ix_spans_started", "spans", ["started_at"])
