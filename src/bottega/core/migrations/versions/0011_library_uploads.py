"""Uploaded files wait in the database for the ingest that takes them, wherever it runs."""

import sqlalchemy as sa
from alembic import op

from bottega.core.database import Timestamp

revision = "0011_library_uploads"
down_revision = "0010_library"


def upgrade() -> None:
    op.create_table(
        "library_uploads",
        sa.Column("batch", sa.String(), primary_key=True),
        sa.Column("name", sa.String(), primary_key=True),
        sa.Column(
            "library_id",
            sa.String(),
            sa.ForeignKey("libraries.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", Timestamp(), nullable=False),
    )
