"""Research: stages and notes of agents from outside, and what they asked people."""

import sqlalchemy as sa
from alembic import op

from bottega.core.database import Json, Timestamp

revision = "0012_research"
down_revision = "0011_library_uploads"


def upgrade() -> None:
    op.create_table(
        "research_stage_gates",
        _session(primary_key=True),
        sa.Column("agent", sa.String(), primary_key=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("events", Json, nullable=False),
        sa.Column("updated_at", Timestamp(), nullable=False),
    )
    op.create_table(
        "research_agent_state",
        _session(primary_key=True),
        sa.Column("agent", sa.String(), primary_key=True),
        sa.Column("key", sa.String(), primary_key=True),
        sa.Column("value", Json, nullable=False),
        sa.Column("updated_at", Timestamp(), nullable=False),
    )
    op.create_table(
        "research_requests",
        sa.Column("id", sa.String(), primary_key=True),
        _session(primary_key=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("asked", Json, nullable=False),
        sa.Column("answer", Json),
        sa.Column("created_at", Timestamp(), nullable=False),
        sa.Column("answered_at", Timestamp()),
    )
    op.create_index("ix_research_requests_session", "research_requests", ["session_id", "status"])


def _session(*, primary_key: bool) -> sa.Column[str]:
    return sa.Column(
        "session_id",
        sa.String(),
        sa.ForeignKey("sessions.id", ondelete="CASCADE"),
        primary_key=primary_key,
        nullable=False,
    )
