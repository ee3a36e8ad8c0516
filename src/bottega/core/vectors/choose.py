"""Which vector store a house uses."""

from bottega.core.database import Database
from bottega.core.vectors.chroma import ChromaVectorStore
from bottega.core.vectors.embedded import EmbeddedVectorStore
from bottega.core.vectors.pgvector import PgVectorStore
from bottega.core.vectors.store import VectorStore


def choose_store(
    database: Database, chromadb_url: str | None = None, *, embedded: bool = False
) -> VectorStore:
    """Chroma if it has an address, pgvector on PostgreSQL, else in the database itself.

    `embedded` does without pgvector where a PostgreSQL lacks it.
    """
    if chromadb_url:
        return ChromaVectorStore(chromadb_url)
    if database.dialect == "postgresql" and not embedded:
        return PgVectorStore(database)
    return EmbeddedVectorStore(database)
