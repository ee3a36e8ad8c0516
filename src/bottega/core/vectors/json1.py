"""A filter as SQL over a JSON text of SQLite."""

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, SQLColumnExpression, and_, func, literal, or_

from bottega.core.vectors.sqlwhere import combine
from bottega.core.vectors.store import Scalar
from bottega.core.vectors.where import RANGES, Comparison, Condition

NUMBERS = ("integer", "real")


def as_sql(condition: Condition, metadata: SQLColumnExpression[Any]) -> ColumnElement[bool]:
    return combine(condition, lambda comparison: _comparison(comparison, metadata))


def _comparison(comparison: Comparison, metadata: SQLColumnExpression[Any]) -> ColumnElement[bool]:
    # In quotes a key is only a key: dots and brackets mean nothing.
    path = f"$.{json.dumps(comparison.key, ensure_ascii=False)}"
    kind = func.json_type(metadata, path)
    value = func.json_extract(metadata, path)
    if compare := RANGES.get(comparison.operator):
        limit = literal(comparison.values[0])
        return and_(kind.in_(NUMBERS), compare(value, limit))  # type: ignore[arg-type]
    return or_(*(and_(kind.in_(_kinds(one)), value == literal(one)) for one in comparison.values))


def _kinds(value: Scalar) -> Sequence[str]:
    """To SQLite `true` is 1; to a filter it is not."""
    if isinstance(value, bool):
        return ("true",) if value else ("false",)
    return ("text",) if isinstance(value, str) else NUMBERS
