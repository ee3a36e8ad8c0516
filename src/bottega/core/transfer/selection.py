"""Which rows go out: of every table that is not derived, those that are a user's or everybody's."""

from collections.abc import Iterator

from sqlalchemy import ColumnElement, Table, and_, or_, select, tuple_

from bottega.core.database import Base

#: Made again from the other rows, by the rooms they belong to.
DERIVED = frozenset({"vectors", "vector_collections", "text_collections", "text_documents"})
#: Keys to one house; another gives out its own.
KEYS = frozenset({"tokens"})


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
