"""The filter language of the vector stores and the text index, checked, parsed once, and as SQL.

`{"project": "x"}`, `{"project": {"$ne": "x"}}`, `{"kind": {"$in": ["a", "b"]}}`, joined by
`{"$and": […]}` and `{"$or": […]}`; several keys side by side all have to hold. A filter compares
with text, whole numbers and booleans: `1` and `1.0` are the same, `1` and `true` are not; a list
is of texts. An item that lacks the key fails every test but `$ne`. That is what Chroma does, and
the other two stores follow it.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from sqlalchemy import ColumnElement, SQLColumnExpression, and_, cast, func, literal, not_, or_
from sqlalchemy.dialects.postgresql import JSONB

from bottega.errors import InvalidInput

Scalar: TypeAlias = str | int | float | bool
Metadata: TypeAlias = Mapping[str, Scalar]
Where: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Comparison:
    """The key's value is one of these; or, negated, none of them."""

    key: str
    values: tuple[Scalar, ...]
    is_negated: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    parts: tuple["Condition", ...]
    #: All of the parts have to hold, or any of them.
    all: bool


Condition: TypeAlias = Comparison | Group


def parse(where: Where | None) -> Condition | None:
    """The condition that a filter states; `None` for an empty one, which everything meets."""
    if not where:
        return None
    if not isinstance(where, Mapping):
        raise InvalidInput(f'A filter is an object such as {{"project": "x"}}, not {where!r}.')
    parts = [_part(key, value) for key, value in where.items()]
    return parts[0] if len(parts) == 1 else Group(tuple(parts), all=True)


def _part(key: object, value: object) -> Condition:
    if key in ("$and", "$or"):
        return _group(str(key), value)
    if not isinstance(key, str) or key.startswith("$"):
        raise InvalidInput(f"{key!r} is no key of a filter. Use a metadata key, $and or $or.")
    if not isinstance(value, Mapping):
        return Comparison(key, (_checked(key, value),))
    match dict(value):
        case {"$ne": other, **more} if not more:
            return Comparison(key, (_checked(key, other),), is_negated=True)
        case {"$in": [*members], **more} if not more and members:
            if all(isinstance(member, str) for member in members):
                return Comparison(key, tuple(members))
    raise InvalidInput(
        f'The filter on {key!r} is {value!r}. Give it a value, {{"$ne": value}} or a list of one '
        'or more texts, {"$in": ["a", "b"]}.'
    )


def _group(name: str, value: object) -> Condition:
    if not isinstance(value, list | tuple) or not value:
        raise InvalidInput(f"{name} takes a list of one or more filters, not {value!r}.")
    parts = [parse(part) for part in value]
    if None in parts:
        raise InvalidInput(f"{name} holds an empty filter. Leave it out.")
    return Group(tuple(part for part in parts if part is not None), all=name == "$and")


def _checked(key: str, value: object) -> Scalar:
    if not isinstance(value, str | int):
        raise InvalidInput(f"The filter on {key!r} cannot compare with {value!r}.")
    return value


def matches(condition: Condition | None, metadata: Metadata) -> bool:
    """Whether an item with this metadata meets the condition."""
    if condition is None:
        return True
    if isinstance(condition, Group):
        verdicts = (matches(part, metadata) for part in condition.parts)
        return all(verdicts) if condition.all else any(verdicts)
    value = metadata.get(condition.key)
    # To Python True == 1; to every store they are two things.
    is_one_of_them = any(
        value == other and isinstance(value, bool) == isinstance(other, bool)
        for other in condition.values
    )
    return is_one_of_them != condition.is_negated


Compare = Callable[[Comparison], ColumnElement[bool]]


def sqlite_condition(
    condition: Condition, metadata: SQLColumnExpression[Any]
) -> ColumnElement[bool]:
    """Over JSON text, by SQLite's `json_extract`."""
    return _combine(condition, lambda comparison: _on_json_text(comparison, metadata))


def postgresql_condition(
    condition: Condition, metadata: ColumnElement[object]
) -> ColumnElement[bool]:
    """Over a `jsonb` column."""
    return _combine(condition, lambda comparison: _on_jsonb(comparison, metadata))


def _combine(condition: Condition, compare: Compare) -> ColumnElement[bool]:
    """`compare` says when a value is one of those named; negation is turned round here."""
    if isinstance(condition, Group):
        parts = [_combine(part, compare) for part in condition.parts]
        return and_(*parts) if condition.all else or_(*parts)
    # An absent key is NULL, and what compares with NULL is unknown; here it fails, plainly.
    passes = func.coalesce(compare(condition), False)
    return not_(passes) if condition.is_negated else passes


def _on_json_text(
    comparison: Comparison, metadata: SQLColumnExpression[Any]
) -> ColumnElement[bool]:
    # In quotes a key is only a key: dots and brackets mean nothing.
    path = f"$.{json.dumps(comparison.key, ensure_ascii=False)}"
    kind = func.json_type(metadata, path)
    value = func.json_extract(metadata, path)
    return or_(*(and_(kind.in_(_kinds(one)), value == literal(one)) for one in comparison.values))


def _kinds(value: Scalar) -> Sequence[str]:
    """As SQLite names them. To it `true` is 1; to a filter it is not."""
    if isinstance(value, bool):
        return ("true",) if value else ("false",)
    return ("text",) if isinstance(value, str) else ("integer", "real")


def _on_jsonb(comparison: Comparison, metadata: ColumnElement[object]) -> ColumnElement[bool]:
    value = metadata.op("->", return_type=JSONB())(literal(comparison.key))
    return value.in_([cast(literal(json.dumps(other)), JSONB()) for other in comparison.values])
