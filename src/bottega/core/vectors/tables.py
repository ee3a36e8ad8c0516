"""Where the embedded store and pgvector keep their vectors."""

from typing import Any

from sqlalchemy import ForeignKey, Index, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core.database import Base

#: Text that sorts by its bytes on PostgreSQL too, whatever its locale.
ByteOrdered = String().with_variant(String(collation="C"), "postgresql")


class VectorCollection(Base):
    __tablename__ = "vector_collections"
    # An id is never used twice, so that a copy in memory cannot be taken for its successor.
    __table_args__ = {"sqlite_autoincrement": True}  # noqa: RUF012 - SQLAlchemy reads it so

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    dimension: Mapped[int]
    embedder: Mapped[str]
    #: Goes up with every write; a process that has seen less reads what it missed.
    revision: Mapped[int] = mapped_column(default=0)


class StoredVector(Base):
    __tablename__ = "vectors"
    __table_args__ = (Index("ix_vectors_collection_revision", "collection_id", "revision"),)

    collection_id: Mapped[int] = mapped_column(
        ForeignKey("vector_collections.id", ondelete="CASCADE"), primary_key=True
    )
    id: Mapped[str] = mapped_column(ByteOrdered, primary_key=True)
    #: Little-endian float32 at unit length.
    vector: Mapped[bytes] = mapped_column(LargeBinary)
    document: Mapped[str]
    #: `metadata` is a word that SQLAlchemy keeps for itself.
    details: Mapped[dict[str, Any]] = mapped_column("metadata")
    #: The collection's revision in which it was last written.
    revision: Mapped[int]
