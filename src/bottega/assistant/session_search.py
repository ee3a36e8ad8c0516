"""Finds sessions by what was said in them, newest first.

A common word stands in nearly every session, so that the way to the newest of them matters; it is
another one on each database.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import TypeVarTuple

from sqlalchemy import ColumnElement, Select, TextClause, func, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.assistant.tables import AssistantSession
from bottega.core import fulltext
from bottega.core.conversations import Message

#: Matching messages that are read at once.
PAGE = 200
#: Matching messages among which so many sessions mostly are.
NEWEST = 2000

Columns = TypeVarTuple("Columns")
Condition = ColumnElement[bool] | TextClause


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which sessions to look among; without a user, everybody's."""

    user_id: str | None = None
    class_id: str | None = None
    #: When something last happened there.
    since: datetime | None = None
    until: datetime | None = None

    def among(self, query: Select[*Columns]) -> Select[*Columns]:
        if self.user_id is not None:
            query = query.where(AssistantSession.user_id == self.user_id)
        if self.class_id is not None:
            # As people write it; not by a function of the column, which no index would help with.
            spellings = {self.class_id, self.class_id.upper(), self.class_id.lower()}
            query = query.where(AssistantSession.class_id.in_(spellings))
        if self.since is not None:
            query = query.where(AssistantSession.updated_at >= self.since)
        if self.until is not None:
            query = query.where(AssistantSession.updated_at < self.until)
        return query


async def newest_said(
    reading: AsyncSession, dialect: str, query: str, wanted: Wanted, limit: int
) -> dict[str, str]:
    """So many sessions with the newest message of each that has every word of the query."""
    newest = _newest_by_index if dialect == "postgresql" else _newest_by_page
    places = await newest(reading, fulltext.contains(dialect, Message.seq, query), wanted, limit)
    texts = select(Message.session_id, Message.text).where(Message.seq.in_(places.values()))
    return {row.session_id: row.text for row in await reading.execute(texts)}


async def _newest_by_page(
    reading: AsyncSession, contains: Condition, wanted: Wanted, limit: int
) -> dict[str, int]:
    """SQLite reads what matches in order, so that the first pages are there at once."""
    found: dict[str, int] = {}
    page = wanted.among(
        select(Message.session_id, Message.seq)
        .join(AssistantSession, AssistantSession.session_id == Message.session_id)
        .where(contains)
        .order_by(Message.seq.desc())
        .limit(PAGE)
    )
    older = page
    while len(found) < limit:
        rows = (await reading.execute(older)).all()
        for session_id, seq in rows:
            if len(found) < limit:
                found.setdefault(session_id, seq)
        if len(rows) < PAGE:
            break
        older = page.where(Message.seq < rows[-1].seq)
    return found


async def _newest_by_index(
    reading: AsyncSession, contains: Condition, wanted: Wanted, limit: int
) -> dict[str, int]:
    """PostgreSQL is made to use its index: it takes it for cheap to take every text to pieces,
    which is a hundred times slower. Of all that matches the newest are looked at first."""
    await reading.execute(text("SET LOCAL enable_seqscan = off"))
    matching = select(Message.session_id, Message.seq).where(contains)
    hits = matching.cte("hits").prefix_with("MATERIALIZED")
    found: dict[str, int] = {}
    for most in (NEWEST, None):
        newest = select(hits).order_by(hits.c.seq.desc()).limit(most).subquery()
        last = func.max(newest.c.seq).label("last")
        query = wanted.among(
            select(newest.c.session_id, last)
            .join(AssistantSession, AssistantSession.session_id == newest.c.session_id)
            .group_by(newest.c.session_id)
            .order_by(last.desc())
            .limit(limit)
        )
        found = {row.session_id: row.last for row in await reading.execute(query)}
        if len(found) == limit:
            break
    return found
