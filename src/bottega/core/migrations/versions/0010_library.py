"""Libraries: documents, paragraphs, terms and edges."""

import sqlalchemy as sa
from alembic import op

from bottega.core.database import Json, Timestamp

revision = "0010_library"
down_revision = "0009_board"


def upgrade() -> None:
    op.create_table(
        "libraries",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("name", sa.String(), nullable=False, unique=True),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column(
            "user_id", sa.String(), sa.ForeignKey("users.id", ondelete="CASCADE"), nullable=False
        ),
        sa.Column("root", sa.String()),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("linked_version", sa.Integer()),
        sa.Column("created_at", Timestamp(), nullable=False),
        sa.Column("updated_at", Timestamp(), nullable=False),
    )
    op.create_table(
        "library_documents",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column(
            "library_id",
            sa.String(),
            sa.ForeignKey("libraries.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("prefix", sa.String()),
        sa.Column("content_hash", sa.String(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("paragraph_count", sa.Integer(), nullable=False),
        sa.Column("problems", Json, nullable=False),
        sa.Column("ingested_at", Timestamp(), nullable=False),
        sa.UniqueConstraint("library_id", "path"),
    )
    op.create_table(
        "library_paragraphs",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column(
            "library_id",
            sa.String(),
            sa.ForeignKey("libraries.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column(
            "document_id",
            sa.String(),
            sa.ForeignKey("library_documents.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("ref", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("headings", Json, nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("start", sa.String()),
        sa.UniqueConstraint("library_id", "ref"),
    )
    op.create_index(
        "ix_library_paragraphs_document", "library_paragraphs", ["document_id", "position"]
    )
    op.create_table(
        "library_terms",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column(
            "library_id",
            sa.String(),
            sa.ForeignKey("libraries.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column(
            "paragraph_id",
            sa.String(),
            sa.ForeignKey("library_paragraphs.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("term", sa.String(), nullable=False),
        sa.Column("definition", sa.String(), nullable=False),
    )
    op.create_index("ix_library_terms_paragraph_id", "library_terms", ["paragraph_id"])
    op.create_index("ix_library_terms_term", "library_terms", ["library_id", "term"])
    op.create_table(
        "library_edges",
        sa.Column(
            "source_id",
            sa.String(),
            sa.ForeignKey("library_paragraphs.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column(
            "target_id",
            sa.String(),
            sa.ForeignKey("library_paragraphs.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("kind", sa.String(), primary_key=True),
        sa.Column(
            "library_id",
            sa.String(),
            sa.ForeignKey("libraries.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("weight", sa.Float(), nullable=False),
    )
    op.create_index("ix_library_edges_library_id", "library_edges", ["library_id"])
    op.create_index("ix_library_edges_target", "library_edges", ["target_id"])
    op.create_table(
        "library_rejections",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column(
            "library_id",
            sa.String(),
            sa.ForeignKey("libraries.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("content_hash", sa.String()),
        sa.Column("rejected_at", Timestamp(), nullable=False),
        sa.UniqueConstraint("library_id", "path"),
    )
