"""How many rows and bytes each table has, with its indexes and its words for search."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import reduce
from operator import add

from sqlalchemy import Table, func, select, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core.db.database import Base, Database

#: Growth is what the last days brought, a day.
WINDOW = timedelta(days=7)
#: The column that says since when a row is there, in tables that are no logs.
TIMES = ("created_at", "started_at", "shown_at", "transitioned_at", "ingested_at", "assessed_at")

#: What no table of ours accounts for: the words of libraries, the schema.
OTHERS = "others"

SQLITE_BYTES = """
SELECT master.tbl_name, SUM(pages.pgsize) FROM dbstat AS pages
JOIN sqlite_master AS master ON master.name = pages.name
WHERE pages.aggregate = TRUE GROUP BY master.tbl_name
"""
POSTGRES_BYTES = """
SELECT relname, pg_total_relation_size(oid) FROM pg_class
WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
"""


@dataclass(frozen=True, slots=True)
class TableSize:
    rows: int
    bytes: int
    #: Since the window began, and how many days that are.
    recent_rows: int
    recent_days: float

    @property
    def bytes_per_row(self) -> float:
        return self.bytes / self.rows if self.rows else 0.0

    @property
    def bytes_per_day(self) -> float:
        return self.recent_rows * self.bytes_per_row / self.recent_days


async def measure(database: Database, now: datetime) -> dict[str, TableSize]:
    """Of every table that there is."""
    async with database.read() as session:
        sizes = await _bytes(session, database.dialect)
        known = {
            table.name: await _size(session, table, sizes.get(table.name, 0), now)
            for table in Base.metadata.sorted_tables
            if table.name in sizes
        }
    rest = sum(sizes.values()) - sum(size.bytes for size in known.values())
    return {**known, OTHERS: TableSize(0, max(rest, 0), 0, WINDOW.days)}


async def _size(session: AsyncSession, table: Table, size: int, now: datetime) -> TableSize:
    rows = await session.scalar(select(func.count()).select_from(table)) or 0
    time = next((table.c[name] for name in TIMES if name in table.c), None)
    if time is None or not rows:
        return TableSize(rows, size, 0, WINDOW.days)
    query = select(func.min(time, type_=time.type), func.count().filter(time >= now - WINDOW))
    first, recent = (await session.execute(query)).one()
    seen = min(max(now - first, timedelta(days=1)), WINDOW)
    return TableSize(rows, size, recent, seen / timedelta(days=1))


async def _bytes(session: AsyncSession, dialect: str) -> Mapping[str, int]:
    if dialect == "postgresql":
        return dict((await session.execute(text(POSTGRES_BYTES))).all())
    try:
        found: dict[str, int] = dict((await session.execute(text(SQLITE_BYTES))).all())
    except OperationalError:  # this SQLite was built without `dbstat`
        return await _estimates(session)
    for name in [name for name in found if "_text_" in name]:
        # FTS5 keeps the words of `events` in `events_text_data` and its like.
        owner = name.partition("_text_")[0]
        found[owner] = found.get(owner, 0) + found.pop(name)
    return found


async def _estimates(session: AsyncSession) -> dict[str, int]:
    """By the length of some rows."""
    there = set(await session.scalars(text("SELECT name FROM sqlite_master WHERE type = 'table'")))
    sizes = {}
    for table in Base.metadata.sorted_tables:
        if table.name in there:
            lengths = [func.coalesce(func.length(column), 0) for column in table.c]
            some = select(reduce(add, lengths).label("length")).limit(1_000).subquery()
            mean = await session.scalar(select(func.avg(some.c.length))) or 0
            rows = await session.scalar(select(func.count()).select_from(table)) or 0
            sizes[table.name] = int(rows * mean * 1.3)  # pages are never quite full
    return sizes
