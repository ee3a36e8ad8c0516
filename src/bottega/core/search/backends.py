"""Which implementations of search a database gets."""

from bottega.core.db.database import Database
from bottega.core.readers.embedding_models import DEFAULT
from bottega.core.readers.granite import GraniteEmbedder, is_installed
from bottega.core.search.chroma import ChromaVectorStore
from bottega.core.search.embedded import EmbeddedVectorStore
from bottega.core.search.fts5 import Fts5Index
from bottega.core.search.pgvector import PgVectorStore
from bottega.core.search.refinement import Refiner
from bottega.core.search.text_index import TextIndex
from bottega.core.search.tsvector import TsvectorIndex
from bottega.core.search.vector_store import VectorStore


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


def make_refiner(embedder: str, store: VectorStore) -> Refiner | None:
    """What makes finer vectors than the static ones, if the setting asks for any."""
    if embedder != DEFAULT or not is_installed():
        return None
    return Refiner(store, GraniteEmbedder())


def make_text_index(database: Database) -> TextIndex:
    """FTS5 on SQLite, tsvector on PostgreSQL."""
    return Fts5Index(database) if database.dialect == "sqlite" else TsvectorIndex(database)
