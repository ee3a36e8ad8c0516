"""Libraries: documents, numbered paragraphs, defined terms, and what leads from one to another.

The words and vectors by which paragraphs are found are in the core's indexes; they can be made
again from these rows.
"""

import hashlib
from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core import clock
from bottega.core.clock import new_id
from bottega.core.db.database import Base, Json
from bottega.core.users import LOCAL_USER

#: What begins the path of a document that was uploaded: no folder's ingest removes it.
UPLOADED = "upload:"


def paragraph_id(library_id: str, ref: str) -> str:
    """The same for every edition of a document, so that what leads to a paragraph stays."""
    return "par_" + hashlib.sha256(f"{library_id}\0{ref}".encode()).hexdigest()[:24]


class Library(Base):
    __tablename__ = "libraries"
    # Of each user by itself: a name that is taken would tell of another's library.
    __table_args__ = (UniqueConstraint("user_id", "name"),)

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    #: What its tools are named after: `isa` has `isa_hybrid_search`.
    name: Mapped[str]
    title: Mapped[str]
    user_id: Mapped[str] = mapped_column(
        ForeignKey("users.id", ondelete="CASCADE"), default=LOCAL_USER
    )
    #: The folder it is made from; uploads have none.
    root: Mapped[str | None]
    #: Grows with every change of its documents: what was computed from an earlier one is stale.
    version: Mapped[int] = mapped_column(default=0)
    #: The version for which edges by meaning were computed.
    linked_version: Mapped[int | None]
    created_at: Mapped[datetime] = mapped_column(default=clock.now)
    updated_at: Mapped[datetime] = mapped_column(default=clock.now)


class LibraryDocument(Base):
    __tablename__ = "library_documents"
    __table_args__ = (UniqueConstraint("library_id", "path"),)

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    library_id: Mapped[str] = mapped_column(ForeignKey("libraries.id", ondelete="CASCADE"))
    #: Where it came from: relative to the library's root, or the uploaded file's name.
    path: Mapped[str]
    title: Mapped[str]
    #: standard or guide
    kind: Mapped[str]
    #: What its references begin with: `315`.
    prefix: Mapped[str | None]
    content_hash: Mapped[str]
    size: Mapped[int]
    paragraph_count: Mapped[int]
    #: What was odd about it: duplicate references, a guessed encoding.
    problems: Mapped[list[Any]] = mapped_column(Json, default=list)
    ingested_at: Mapped[datetime] = mapped_column(default=clock.now)


class LibraryParagraph(Base):
    __tablename__ = "library_paragraphs"
    __table_args__ = (
        UniqueConstraint("library_id", "ref"),
        Index("ix_library_paragraphs_document", "document_id", "position"),
    )

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    library_id: Mapped[str] = mapped_column(ForeignKey("libraries.id", ondelete="CASCADE"))
    document_id: Mapped[str] = mapped_column(ForeignKey("library_documents.id", ondelete="CASCADE"))
    #: How a person cites it: `315.12(a)`, `4.9.1`, `Deploying › Rollback ¶2`.
    ref: Mapped[str]
    position: Mapped[int]
    headings: Mapped[list[str]] = mapped_column(Json, default=list)
    text: Mapped[str]
    #: Line, page or block in its document.
    start: Mapped[str | None]


class LibraryTerm(Base):
    __tablename__ = "library_terms"
    __table_args__ = (Index("ix_library_terms_term", "library_id", "term"),)

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    library_id: Mapped[str] = mapped_column(ForeignKey("libraries.id", ondelete="CASCADE"))
    paragraph_id: Mapped[str] = mapped_column(
        ForeignKey("library_paragraphs.id", ondelete="CASCADE"), index=True
    )
    #: In lower case.
    term: Mapped[str]
    definition: Mapped[str]


class LibraryEdge(Base):
    """From a paragraph to a paragraph: cites, maps_to (from a guide), hop (near in meaning)."""

    __tablename__ = "library_edges"
    __table_args__ = (Index("ix_library_edges_target", "target_id"),)

    source_id: Mapped[str] = mapped_column(
        ForeignKey("library_paragraphs.id", ondelete="CASCADE"), primary_key=True
    )
    target_id: Mapped[str] = mapped_column(
        ForeignKey("library_paragraphs.id", ondelete="CASCADE"), primary_key=True
    )
    kind: Mapped[str] = mapped_column(primary_key=True)
    library_id: Mapped[str] = mapped_column(
        ForeignKey("libraries.id", ondelete="CASCADE"), index=True
    )
    weight: Mapped[float]


class LibraryRejection(Base):
    """A file that could not be read, and why."""

    __tablename__ = "library_rejections"
    __table_args__ = (UniqueConstraint("library_id", "path"),)

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    library_id: Mapped[str] = mapped_column(ForeignKey("libraries.id", ondelete="CASCADE"))
    path: Mapped[str]
    reason: Mapped[str]
    content_hash: Mapped[str | None]
    rejected_at: Mapped[datetime] = mapped_column(default=clock.now)


class LibraryUpload(Base):
    """A file that came over the wire and waits for the ingest that takes it."""

    __tablename__ = "library_uploads"

    #: The files of one upload go in together.
    batch: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(primary_key=True)
    library_id: Mapped[str] = mapped_column(ForeignKey("libraries.id", ondelete="CASCADE"))
    content: Mapped[bytes]
    created_at: Mapped[datetime] = mapped_column(default=clock.now)
