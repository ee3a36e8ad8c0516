"""The filter language of every vector store, checked and taken apart once.

`{"project": "x"}`, `{"year": {"$gte": 2020}}`, the operators `$eq $ne $gt $gte $lt $lte $in $nin`,
joined by `{"$and": […]}` and `{"$or": […]}`; several keys or operators side by side all have to
hold. `1` and `1.0` are the same, `1` and `true` are not. An item that lacks the key fails every
test but `$ne` and `$nin`. That is what Chroma does, and the other two stores follow it.
"""

import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TypeAlias

from bottega.core.vectors.store import Metadata, Scalar, Where
from bottega.errors import InvalidInput


class Operator(StrEnum):
    EQ = "$eq"
    NE = "$ne"
    GT = "$gt"
    GTE = "$gte"
    LT = "$lt"
    LTE = "$lte"
    IN = "$in"
    NIN = "$nin"


NEGATED = {Operator.NE: Operator.EQ, Operator.NIN: Operator.IN}
RANGES: Mapping[Operator, Callable[[Any, Any], bool]] = {
    Operator.GT: operator.gt,
    Operator.GTE: operator.ge,
    Operator.LT: operator.lt,
    Operator.LTE: operator.le,
}


@dataclass(frozen=True, slots=True)
class Comparison:
    key: str
    operator: Operator
    #: One value, or the members of `$in` and `$nin`.
    values: tuple[Scalar, ...]


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
    parts = [part for key, value in where.items() for part in _parts(key, value)]
    return parts[0] if len(parts) == 1 else Group(tuple(parts), all=True)


def _parts(key: object, value: object) -> list[Condition]:
    if key in ("$and", "$or"):
        return [_group(str(key), value)]
    if not isinstance(key, str) or key.startswith("$"):
        raise InvalidInput(f"{key!r} is no key of a filter. Use a metadata key, $and or $or.")
    if not isinstance(value, Mapping):
        return [_comparison(key, Operator.EQ, value)]
    if not value:
        raise InvalidInput(f"The filter on {key!r} is empty. Give it a value or an operator.")
    return [_comparison(key, name, operand) for name, operand in value.items()]


def _group(name: str, value: object) -> Condition:
    if not isinstance(value, list | tuple) or not value:
        raise InvalidInput(f"{name} takes a list of one or more filters, not {value!r}.")
    parts = [parse(part) for part in value]
    if None in parts:
        raise InvalidInput(f"{name} holds an empty filter. Leave it out.")
    return Group(tuple(part for part in parts if part is not None), all=name == "$and")


def _comparison(key: str, name: object, operand: object) -> Comparison:
    try:
        op = Operator(name)  # type: ignore[arg-type]
    except ValueError:
        raise InvalidInput(
            f"{name!r} is no operator of a filter. Use one of {', '.join(Operator)}."
        ) from None
    values = (operand,)
    if op in (Operator.IN, Operator.NIN):
        if not isinstance(operand, list | tuple) or not operand:
            raise InvalidInput(f"{op} on {key!r} takes a list of one or more values.")
        values = tuple(operand)
    return Comparison(key, op, tuple(_checked(key, op, value) for value in values))


def _checked(key: str, op: Operator, value: object) -> Scalar:
    if not isinstance(value, str | int | float | bool) or (
        isinstance(value, float) and not math.isfinite(value)
    ):
        raise InvalidInput(f"The filter on {key!r} cannot compare with {value!r}.")
    if op in RANGES and (isinstance(value, str | bool)):
        raise InvalidInput(f"{op} on {key!r} compares numbers, not {value!r}.")
    return value


def matches(condition: Condition | None, metadata: Metadata) -> bool:
    """Whether an item with this metadata meets the condition."""
    if condition is None:
        return True
    if isinstance(condition, Group):
        verdicts = (matches(part, metadata) for part in condition.parts)
        return all(verdicts) if condition.all else any(verdicts)
    return holds(condition, metadata.get(condition.key))


def holds(comparison: Comparison, value: Scalar | None) -> bool:
    """Whether one value, or its absence, passes the comparison."""
    if comparison.operator in NEGATED:
        return not any(_same(value, other) for other in comparison.values)
    if value is None:
        return False
    if comparison.operator in RANGES:
        if isinstance(value, str | bool):
            return False
        return RANGES[comparison.operator](value, comparison.values[0])
    return any(_same(value, other) for other in comparison.values)


def _same(one: Scalar | None, other: Scalar) -> bool:
    # To Python True == 1; to every store they are two things.
    return one == other and isinstance(one, bool) == isinstance(other, bool)
