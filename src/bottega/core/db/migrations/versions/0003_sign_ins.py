"""Browsers that are signed in."""

import sqlalchemy as sa
from alembic import op

from bottega.core.db.database import Timestamp

revision = "0003_sign_ins"
down_revision = "0002_roles"


def upgrade() -> None:
    op.create_table(
        "sign_ins",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column(
            "user_id", sa.String(), sa.ForeignKey("users.id", ondelete="CASCADE"), nullable=False
        ),
        sa.Column("cookie_hash", sa.String(), nullable=False, unique=True),
        sa.Column("proof", sa.String(), nullable=False),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("agent", sa.String(), nullable=False),
        sa.Column("created_at", Timestamp(), nullable=False),
        sa.Column("seen_at", Timestamp(), nullable=False),
        sa.Column("expires_at", Timestamp(), nullable=False),
        sa.Column("ended_at", Timestamp()),
        sa.Index("ix_sign_ins_user_id", "user_id"),
    )
