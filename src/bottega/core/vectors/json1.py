"""A filter as SQL over a JSON text of SQLite."""

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, SQLColumnExpression, and_, func, literal, not_, or_

from bottega.core.vectors.store import Scalar
from bottega.core.vectors.where import NEGATED, RANGES, Comparison, Condition, Group

NUMBERS = ("integer", "real")


def as_sql(condition: Condition, metadata: SQLColumnExpression[Any]) -> ColumnElement[bool]:
    if isinstance(condition, Group):
        parts = [as_sql(part, metadata) for part in condition.parts]
        return and_(*parts) if condition.all else or_(*parts)
    # An absent key is NULL, and what compares with NULL is unknown; here it fails, plainly.
    passes = func.coalesce(_comparison(condition, metadata), False)
    return not_(passes) if condition.operator in NEGATED else passes


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
