"""Finding texts by their words: FTS5 on SQLite, tsvector on PostgreSQL, one behaviour."""

from bottega.core.database import Database
from bottega.core.textindex.fts5 import Fts5Index
from bottega.core.textindex.index import TextDocument, TextHit, TextIndex
from bottega.core.textindex.tsvector import TsvectorIndex

__all__ = ["TextDocument", "TextHit", "TextIndex", "make_text_index"]


def make_text_index(database: Database) -> TextIndex:
    return Fts5Index(database) if database.dialect == "sqlite" else TsvectorIndex(database)
