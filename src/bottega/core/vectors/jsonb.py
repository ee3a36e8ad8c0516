"""A filter as SQL over a `jsonb` column of PostgreSQL."""

import json

from sqlalchemy import Boolean, ColumnElement, and_, cast, func, literal, type_coerce
from sqlalchemy.dialects.postgresql import JSONB

from bottega.core.vectors.sqlwhere import combine
from bottega.core.vectors.store import Scalar
from bottega.core.vectors.where import RANGES, Comparison, Condition


def as_sql(condition: Condition, metadata: ColumnElement[object]) -> ColumnElement[bool]:
    return combine(condition, lambda comparison: _comparison(comparison, metadata))


def _comparison(comparison: Comparison, metadata: ColumnElement[object]) -> ColumnElement[bool]:
    value = metadata.op("->", return_type=JSONB())(literal(comparison.key))
    if compare := RANGES.get(comparison.operator):
        # To jsonb any boolean is greater than any number, and a number than any text.
        return and_(
            func.jsonb_typeof(value) == "number",
            type_coerce(compare(value, _json(comparison.values[0])), Boolean),
        )
    return value.in_([_json(other) for other in comparison.values])


def _json(value: Scalar) -> ColumnElement[object]:
    return cast(literal(json.dumps(value)), JSONB())
