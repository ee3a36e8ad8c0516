"""A filter as SQL, for whichever database compares."""

from collections.abc import Callable

from sqlalchemy import ColumnElement, and_, func, not_, or_

from bottega.core.vectors.where import NEGATED, Comparison, Condition, Group

Compare = Callable[[Comparison], ColumnElement[bool]]


def combine(condition: Condition, compare: Compare) -> ColumnElement[bool]:
    """`compare` says when a value passes; negated operators are turned round here."""
    if isinstance(condition, Group):
        parts = [combine(part, compare) for part in condition.parts]
        return and_(*parts) if condition.all else or_(*parts)
    # An absent key is NULL, and what compares with NULL is unknown; here it fails, plainly.
    passes = func.coalesce(compare(condition), False)
    return not_(passes) if condition.operator in NEGATED else passes
