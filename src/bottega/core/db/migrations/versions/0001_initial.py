"""Every table of the product, as `0001_initial.toml` declares it."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import TSVECTOR

from bottega.core.db import fulltext
from bottega.core.db.database import ByteOrdered, Json, Timestamp

revision = "0001_initial"
down_revision = None

TYPES: dict[str, sa.types.TypeEngine[Any]] = {
    "text": sa.String(),
    "int": sa.Integer(),
    "big": sa.BigInteger().with_variant(sa.Integer(), "sqlite"),
    "real": sa.Float(),
    "flag": sa.Boolean(),
    "bytes": sa.LargeBinary(),
    "json": Json,
    "time": Timestamp(),
    "ordered": ByteOrdered,
}


def upgrade() -> None:
    declared = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    for name, table in declared.items():
        constraints = [sa.UniqueConstraint(*names(table["unique"]))] if "unique" in table else []
        op.create_table(
            name,
            *map(column, names(table["columns"])),
            *([of_change()] if table.get("of_change") else []),
            *constraints,
            *(index(each, options) for each, options in table.get("index", {}).items()),
            sqlite_autoincrement=table.get("autoincrement", False),
        )
        if "fulltext" in table:
            fulltext.create_index(name, key=table["fulltext"])
    op.execute(
        "INSERT INTO users (id, name, created_at) "
        "VALUES ('local', 'local', '2026-01-01T00:00:00.000000Z')"
    )
    if op.get_bind().dialect.name == "postgresql":
        op.add_column("text_documents", sa.Column("lexemes", TSVECTOR()))
        op.add_column("text_documents", sa.Column("length", sa.Integer()))
        op.create_index(
            "ix_text_documents_lexemes", "text_documents", ["lexemes"], postgresql_using="gin"
        )


def names(declared: str) -> list[str]:
    return [part.strip() for part in declared.split(",")]


def column(declaration: str) -> sa.Column[Any]:
    declared, _, reference = declaration.partition("->")
    name, *words = declared.split()
    target, _, ondelete = reference.strip().partition(" ")
    return sa.Column(
        name.removesuffix("?"),
        next((TYPES[word] for word in words if word in TYPES), TYPES["text"]),
        *([sa.ForeignKey(target, ondelete=ondelete or None)] if target else []),
        nullable=name.endswith("?"),
        primary_key="key" in words,
        unique="unique" in words or None,
    )


def index(name: str, options: Mapping[str, Any]) -> sa.Index:
    where = sa.text(options["where"]) if "where" in options else None
    return sa.Index(
        name,
        *names(options["on"]),
        unique=options.get("unique", False),
        sqlite_where=where,
        postgresql_where=where,
    )


def of_change() -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["project_id", "change_id"], ["changes.project_id", "changes.id"], ondelete="CASCADE"
    )
