"""Tokens have a role, and may be for some rooms and projects only."""

import sqlalchemy as sa
from alembic import op

from bottega.core.db.database import Json

revision = "0002_roles"
down_revision = "0001_initial"


def upgrade() -> None:
    op.add_column("tokens", sa.Column("role", sa.String(), nullable=False, server_default="member"))
    op.add_column("tokens", sa.Column("rooms", Json, nullable=True))
    op.add_column("tokens", sa.Column("projects", Json, nullable=True))
