"""Rows out, as they all are at one moment."""

import json
from collections.abc import AsyncIterator
from typing import Any

from sqlalchemy import select

from bottega import __version__
from bottega.core import clock
from bottega.core.database import Database
from bottega.core.migrations import head
from bottega.core.transfer.rows import carried, encode
from bottega.core.transfer.selection import tables, wanted
from bottega.core.users import User
from bottega.errors import NotFound

FORMAT = 1
FIRST = "bottega.export"
LAST = "bottega.end"
ROWS_AT_ONCE = 500


async def export_lines(
    database: Database, *, user_id: str | None
) -> AsyncIterator[tuple[int, str]]:
    """Lines with their numbers; of no user is everything, with the keys of the house."""
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
                number += 1
                yield number, _line({"kind": table.name, "row": values})
        yield number + 1, _line({"kind": LAST, "rows": number - 1})


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"
