"""The event log, which is also the outbox; full-text search of events and messages."""

import sqlalchemy as sa
from alembic import op

from bottega.core import fulltext
from bottega.core.database import Json, Timestamp

revision = "0002_events"
down_revision = "0001_core"

Number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "events",
        sa.Column("seq", Number, primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(), nullable=False, unique=True),
        sa.Column("topic", sa.String(), nullable=False),
        sa.Column("project", sa.String()),
        sa.Column("user_id", sa.String()),
        sa.Column("session_id", sa.String()),
        sa.Column("payload", Json, nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("created_at", Timestamp(), nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_events_topic_seq", "events", ["topic", "seq"])
    op.create_index("ix_events_session_seq", "events", ["session_id", "seq"])
    fulltext.create_index("events", key="seq")
    number_messages()
    fulltext.create_index("messages", key="seq")
    # A revoked token's name is free again.
    live = sa.text("revoked_at IS NULL")
    op.create_index(
        "uq_tokens_user_name_live",
        "tokens",
        ["user_id", "name"],
        unique=True,
        sqlite_where=live,
        postgresql_where=live,
    )


def number_messages() -> None:
    """Give messages a number of their own to be indexed by: SQLite may renumber bare rows."""
    op.create_table(
        "numbered_messages",
        sa.Column("seq", Number, primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(), nullable=False, unique=True),
        sa.Column(
            "session_id",
            sa.String(),
            sa.ForeignKey("sessions.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("content", Json, nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("created_at", Timestamp(), nullable=False),
        sa.UniqueConstraint("session_id", "position"),
        sqlite_autoincrement=True,
    )
    columns = "id, session_id, position, role, content, text, created_at"
    op.execute(
        f"INSERT INTO numbered_messages ({columns}) "  # noqa: S608 - names of ours
        f"SELECT {columns} FROM messages ORDER BY created_at, position"
    )
    op.drop_table("messages")
    op.rename_table("numbered_messages", "messages")
