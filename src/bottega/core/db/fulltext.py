"""Full-text conditions for tables that keep their searchable words in a `text` column.

SQLite answers from an FTS5 table named `{table}_text` that triggers keep in step, PostgreSQL from
an index on the column's `tsvector`. Both find rows that contain every word, in any form.
"""

from sqlalchemy import ColumnElement, TextClause, literal_column, select, table, text
from sqlalchemy.orm import InstrumentedAttribute

from bottega.core.text.words import STOP_WORDS
from bottega.core.text.words import words as split_words

#: More words than a person types; a pasted page would only slow the search down.
MAX_WORDS = 32
#: PostgreSQL would take `src/parser.py` for one word; so these are blanks to it, as to FTS5.
DOCUMENT = "to_tsvector('english', translate({column}, './:@_-', '      '))"


def words(query: str) -> list[str]:
    """What a query looks for; empty when it has no word worth finding."""
    return [word for word in split_words(query)[:MAX_WORDS] if word not in STOP_WORDS]


def contains(
    dialect: str, key: InstrumentedAttribute[int], query: str
) -> ColumnElement[bool] | TextClause:
    """The condition that the text of a row, numbered by `key`, contains every word of `query`."""
    terms, name = words(query), key.class_.__tablename__
    if dialect == "postgresql":
        matches = f"{DOCUMENT.format(column=f'{name}.text')} @@ plainto_tsquery('english', :words)"
        return text(matches).bindparams(words=" ".join(terms))
    # Quoted, so that no word is taken for an operator: a person's text is data.
    phrase = " ".join(f'"{term}"' for term in terms)
    found = text(f"{name}_text MATCH :phrase").bindparams(phrase=phrase)
    return key.in_(select(literal_column("rowid")).select_from(table(f"{name}_text")).where(found))


def create_index(table_name: str, key: str) -> None:
    """For migrations: index `table_name.text`, whose rows are numbered by `key`."""
    from alembic import op

    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            f"CREATE INDEX ix_{table_name}_text ON {table_name} "
            f"USING gin ({DOCUMENT.format(column='text')})"
        )
        return
    index = f"{table_name}_text"
    remove = f"INSERT INTO {index} ({index}, rowid, text) VALUES ('delete', old.{key}, old.text)"  # noqa: S608
    add = f"INSERT INTO {index} (rowid, text) VALUES (new.{key}, new.text)"  # noqa: S608
    op.execute(
        f"CREATE VIRTUAL TABLE {index} USING fts5(text, content='{table_name}', "
        f"content_rowid='{key}', tokenize='porter unicode61')"
    )
    for moment, statements in (
        ("INSERT", add),
        ("DELETE", remove),
        ("UPDATE OF text", f"{remove}; {add}"),
    ):
        name = f"{index}_{moment.split()[0].lower()}"
        op.execute(f"CREATE TRIGGER {name} AFTER {moment} ON {table_name} BEGIN {statements}; END")
    op.execute(f"INSERT INTO {index} ({index}) VALUES ('rebuild')")  # noqa: S608
