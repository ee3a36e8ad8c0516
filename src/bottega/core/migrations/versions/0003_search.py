"""Vector collections and the text index."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TSVECTOR

from bottega.core.database import Json

revision = "0003_search"
down_revision = "0002_events"

byte_ordered = sa.String().with_variant(sa.String(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "vector_collections",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("name", sa.String(), nullable=False, unique=True),
        sa.Column("dimension", sa.Integer(), nullable=False),
        sa.Column("embedder", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "vectors",
        sa.Column(
            "collection_id",
            sa.Integer(),
            sa.ForeignKey("vector_collections.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("id", byte_ordered, primary_key=True),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.Column("document", sa.String(), nullable=False),
        sa.Column("metadata", Json, nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
    )
    op.create_index("ix_vectors_collection_revision", "vectors", ["collection_id", "revision"])
    op.create_table(
        "text_collections",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("name", sa.String(), nullable=False, unique=True),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "text_documents",
        sa.Column("key", sa.Integer(), primary_key=True),
        sa.Column(
            "collection_id",
            sa.Integer(),
            sa.ForeignKey("text_collections.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("id", byte_ordered, nullable=False),
        sa.Column("metadata", Json, nullable=False),
        sa.UniqueConstraint("collection_id", "id"),
        sqlite_autoincrement=True,
    )
    if op.get_bind().dialect.name == "postgresql":
        op.add_column("text_documents", sa.Column("lexemes", TSVECTOR()))
        op.add_column("text_documents", sa.Column("length", sa.Integer()))
        op.create_index(
            "ix_text_documents_lexemes", "text_documents", ["lexemes"], postgresql_using="gin"
        )
