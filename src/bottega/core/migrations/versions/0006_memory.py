"""Semantic memories."""

import sqlalchemy as sa
from alembic import op

from bottega.core.database import Json, Timestamp

revision = "0006_memory"
down_revision = "0005_runs"


def upgrade() -> None:
    op.create_table(
        "memories",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column(
            "user_id", sa.String(), sa.ForeignKey("users.id", ondelete="CASCADE"), nullable=False
        ),
        sa.Column("scope", sa.String(), nullable=False),
        sa.Column("project", sa.String()),
        sa.Column("session_id", sa.String()),
        sa.Column("content", sa.String(), nullable=False),
        sa.Column("tags", Json, nullable=False),
        sa.Column("importance", sa.String(), nullable=False),
        sa.Column("evidence", sa.String()),
        sa.Column("created_at", Timestamp(), nullable=False),
        sa.Column("updated_at", Timestamp(), nullable=False),
        sa.Column("last_used_at", Timestamp()),
        sa.Column("use_count", sa.Integer(), nullable=False),
        sa.Column("forgotten_at", Timestamp()),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("indexed_version", sa.Integer(), nullable=False),
    )
    op.create_index("ix_memories_user_created", "memories", ["user_id", "created_at"])
    op.create_index(
        "ix_memories_unindexed",
        "memories",
        ["id"],
        sqlite_where=sa.text("version <> indexed_version"),
        postgresql_where=sa.text("version <> indexed_version"),
    )
    op.create_table(
        "memory_counters",
        sa.Column("session_id", sa.String(), primary_key=True),
        sa.Column("next_index", sa.Integer(), nullable=False),
    )
