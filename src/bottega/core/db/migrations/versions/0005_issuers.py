"""Tokens know by which token they were issued."""

import sqlalchemy as sa
from alembic import op

revision = "0005_issuers"
down_revision = "0004_payers"


def upgrade() -> None:
    op.add_column("tokens", sa.Column("issued_by", sa.String(), nullable=True))
    op.create_index("ix_tokens_issued_by", "tokens", ["issued_by"])
