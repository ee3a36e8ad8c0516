"""Rows out, as they all are at one moment: which of which tables, and each as JSON and back."""

import base64
import json
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

from sqlalchemy import (
    JSON,
    Column,
    ColumnElement,
    LargeBinary,
    Table,
    and_,
    null,
    or_,
    select,
    tuple_,
)

from bottega import __version__
from bottega.core import clock
from bottega.core.db.database import Base, Database, Timestamp
from bottega.core.db.migrations import head
from bottega.core.trust.admission import scrub_all
from bottega.core.users import User
from bottega.errors import NotFound

FORMAT = 1
FIRST = "bottega.export"
LAST = "bottega.end"
ROWS_AT_ONCE = 500


#: Made again from the other rows, by the rooms they belong to.
DERIVED = frozenset({"vectors", "vector_collections", "text_collections", "text_documents"})
#: Mirrors of people's own files, which an import writes back as they are.
DOCUMENTS = frozenset({"changes", "change_revisions", "memory_files", "library_uploads"})
#: Keys to one house; another gives out its own.
KEYS = frozenset({"tokens", "sign_ins"})


def carried(table: Table) -> list[Column[Any]]:
    """Without numbers that mean something in one database only."""
    return [column for column in table.columns if column.autoincrement is not True]


def encode(column: Column[Any], value: Any) -> Any:
    if value is None:
        return None
    if isinstance(column.type, Timestamp):
        return clock.iso(value)
    if isinstance(column.type, LargeBinary):
        return base64.b64encode(value).decode()
    return value


def decode(table: Table, row: Mapping[str, Any]) -> dict[str, Any]:
    """`ValueError` says what is wrong with it."""
    columns = {column.name: column for column in carried(table)}
    if unknown := row.keys() - columns.keys():
        raise ValueError(f"{table.name} has no {', '.join(sorted(unknown))}")
    return {name: _decoded(columns[name], value) for name, value in row.items()}


def _decoded(column: Column[Any], value: Any) -> Any:
    if value is None:
        # Left to itself, a JSON column would take it for JSON's own `null`.
        return null() if isinstance(column.type, JSON) and column.nullable else None
    if isinstance(column.type, Timestamp):
        return clock.parse(_text(column, value))
    if isinstance(column.type, LargeBinary):
        return base64.b64decode(_text(column, value), validate=True)
    return value


def _text(column: Column[Any], value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{column.name} is {value!r}, not text")  # noqa: TRY004 - one error for all
    return value


def tables(*, with_keys: bool) -> list[Table]:
    """What is referred to comes before what refers to it."""
    left_out = DERIVED if with_keys else DERIVED | KEYS
    return [table for table in Base.metadata.sorted_tables if table.name not in left_out]


def wanted(table: Table, user_id: str | None) -> ColumnElement[bool]:
    """Rows of the user and of nobody; all of them for no user."""
    conditions = list(_conditions(table, user_id))
    return and_(True, *conditions)


def _conditions(table: Table, user_id: str | None) -> Iterator[ColumnElement[bool]]:
    if table.name == "runs":
        # The steps of an unfinished one are elsewhere: another house would do and pay them again.
        yield table.c.ended_at.is_not(None)
    if user_id is not None and table.name == "users":
        yield table.c.id == user_id
    if user_id is not None and "user_id" in table.c:
        owner = table.c.user_id
        yield or_(owner == user_id, owner.is_(None)) if owner.nullable else owner == user_id
    for constraint in table.foreign_key_constraints:
        parent = constraint.referred_table
        columns = [element.parent for element in constraint.elements]
        if parent.name == "users" or any(column.nullable for column in columns):
            continue
        above = list(_conditions(parent, user_id))
        if above:
            keys = [element.column for element in constraint.elements]
            yield tuple_(*columns).in_(select(*keys).where(*above))


async def export_lines(
    database: Database, *, user_id: str | None
) -> AsyncIterator[tuple[int, str]]:
    """Numbered lines: the rows of one user, or all of them with everybody's tokens."""
    async with database.read() as session:
        user = await session.get(User, user_id) if user_id is not None else None
        if user_id is not None and user is None:
            raise NotFound(f"There is no user {user_id!r}.")
        first = {
            "kind": FIRST,
            "format": FORMAT,
            "version": __version__,
            "revision": head(),
            "exported_at": clock.iso(),
            "user": {"id": user.id, "name": user.name} if user is not None else None,
        }
        number = 1
        yield number, _line(first)
        for table in tables(with_keys=user_id is None):
            columns = carried(table)
            # Ordered by all of the key, so that rows which are numbered keep their order.
            query = select(*columns).where(wanted(table, user_id)).order_by(*table.primary_key)
            rows = await session.stream(query.execution_options(yield_per=ROWS_AT_ONCE))
            async for row in rows:
                values = {
                    column.name: encode(column, value)
                    for column, value in zip(columns, row, strict=True)
                }
                if user_id is not None and table.name not in DOCUMENTS:
                    values |= {
                        column.name: scrub_all(values[column.name])
                        for column in columns
                        if not (column.primary_key or column.foreign_keys)
                    }
                number += 1
                yield number, _line({"kind": table.name, "row": values})
        yield number + 1, _line({"kind": LAST, "rows": number - 1})


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"
