"""A row as JSON and back, by the types of its columns."""

import base64
from collections.abc import Mapping
from typing import Any

from sqlalchemy import JSON, Column, LargeBinary, Table, null

from bottega.core import clock
from bottega.core.database import Timestamp


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
