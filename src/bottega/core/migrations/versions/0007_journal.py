"""The journal: experiences, values, clusters, and what was shown."""

import sqlalchemy as sa
from alembic import op

from bottega.core.database import Json, Timestamp

revision = "0007_journal"
down_revision = "0006_memory"


def upgrade() -> None:
    op.create_table(
        "journal_experiences",
        sa.Column("id", sa.String(), primary_key=True),
        _user(),
        sa.Column("project", sa.String(), nullable=False),
        sa.Column("session_id", sa.String()),
        sa.Column("domain", sa.String(), nullable=False),
        sa.Column("strategy", sa.String(), nullable=False),
        sa.Column("goal", sa.String(), nullable=False),
        sa.Column("hypothesis", sa.String(), nullable=False),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("prediction", sa.String(), nullable=False),
        sa.Column("confidence", sa.Float()),
        sa.Column("outcome_status", sa.String(), nullable=False),
        sa.Column("outcome_result", sa.String(), nullable=False),
        sa.Column("surprise", sa.String()),
        sa.Column("root_cause", Json),
        sa.Column("lesson", Json),
        sa.Column("confidence_tier", sa.String(), nullable=False),
        sa.Column("iteration_count", sa.Integer(), nullable=False),
        sa.Column("history", Json, nullable=False),
        sa.Column("evidence", Json, nullable=False),
        sa.Column("created_at", Timestamp(), nullable=False),
        sa.Column("resolved_at", Timestamp(), nullable=False),
        sa.Column("updated_at", Timestamp(), nullable=False),
    )
    for moment in ("created", "updated"):
        op.create_index(
            f"ix_journal_experiences_{moment}",
            "journal_experiences",
            ["user_id", "project", f"{moment}_at"],
        )
    op.create_table(
        "journal_values",
        sa.Column("id", sa.String(), primary_key=True),
        _user(),
        sa.Column("project", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("axis", sa.String(), nullable=False),
        sa.Column("cluster_id", sa.String(), nullable=False),
        sa.Column("cluster_size", sa.Integer(), nullable=False),
        sa.Column("similarity_to_centroid", sa.Float(), nullable=False),
        sa.Column("evidence", Json, nullable=False),
        sa.Column("created_at", Timestamp(), nullable=False),
    )
    op.create_index("ix_journal_values_owner", "journal_values", ["user_id", "project", "axis"])
    op.create_table(
        "journal_clusters",
        _user(primary_key=True),
        sa.Column("project", sa.String(), primary_key=True),
        sa.Column("axis", sa.String(), primary_key=True),
        sa.Column("fingerprint", sa.String(), nullable=False),
        sa.Column("members", Json, nullable=False),
        sa.Column("next_label", sa.Integer(), nullable=False),
    )
    op.create_table(
        "journal_showings",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("item_id", sa.String(), nullable=False),
        _user(nullable=True),
        sa.Column("query", sa.String()),
        sa.Column("session_id", sa.String()),
        sa.Column("shown_at", Timestamp(), nullable=False),
    )
    op.create_index("ix_journal_showings_item", "journal_showings", ["item_id", "shown_at"])


def _user(*, primary_key: bool = False, nullable: bool = False) -> sa.Column[str]:
    owner = sa.ForeignKey("users.id", ondelete="CASCADE")
    return sa.Column("user_id", sa.String(), owner, primary_key=primary_key, nullable=nullable)
