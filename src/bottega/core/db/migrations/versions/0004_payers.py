"""Model calls know for whom they were made."""

import sqlalchemy as sa
from alembic import op

revision = "0004_payers"
down_revision = "0003_sign_ins"


def upgrade() -> None:
    op.add_column("api_call_log", sa.Column("user_id", sa.String(), nullable=True))
    op.create_index("ix_api_call_log_user_created", "api_call_log", ["user_id", "created_at"])
