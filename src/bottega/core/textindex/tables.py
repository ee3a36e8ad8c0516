"""What both text indexes keep beside their index: which document is which."""

from typing import Any

from sqlalchemy import ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core.database import Base
from bottega.core.vectors.tables import ByteOrdered


class TextCollection(Base):
    __tablename__ = "text_collections"
    __table_args__ = {"sqlite_autoincrement": True}  # noqa: RUF012 - SQLAlchemy reads it so

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)


class IndexedText(Base):
    __tablename__ = "text_documents"
    __table_args__ = (UniqueConstraint("collection_id", "id"), {"sqlite_autoincrement": True})

    #: FTS5 knows a document by a number.
    key: Mapped[int] = mapped_column(primary_key=True)
    collection_id: Mapped[int] = mapped_column(
        ForeignKey("text_collections.id", ondelete="CASCADE")
    )
    id: Mapped[str] = mapped_column(ByteOrdered)
    #: `metadata` is a word that SQLAlchemy keeps for itself.
    details: Mapped[dict[str, Any]] = mapped_column("metadata")
