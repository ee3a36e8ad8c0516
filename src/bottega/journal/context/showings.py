"""Records which experiences and values were shown, when, to whom and for which query.

Written after the response; it changes no ranking.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ForeignKey, Index, func, select
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core.clock import new_id
from bottega.core.db.database import Base, Database
from bottega.core.db.write_behind import WriteBehind


class Showing(Base):
    """An experience or value that was shown to somebody."""

    __tablename__ = "journal_showings"
    __table_args__ = (Index("ix_journal_showings_item", "item_id", "shown_at"),)

    id: Mapped[str] = mapped_column(primary_key=True, default=new_id)
    item_id: Mapped[str]
    #: To whom and on which question; recall keeps both to itself.
    user_id: Mapped[str | None] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    query: Mapped[str | None]
    session_id: Mapped[str | None]
    shown_at: Mapped[datetime]


@dataclass(frozen=True, slots=True)
class Use:
    count: int
    last: datetime | None


NEVER = Use(0, None)


class Showings:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._behind: WriteBehind[Showing] = WriteBehind(self._write, name="journal showings")

    async def start(self) -> None:
        await self._behind.start()

    async def stop(self) -> None:
        await self._behind.stop()

    async def flush(self) -> None:
        """Wait until everything noted so far is written."""
        await self._behind.flush()

    def note(
        self,
        item_ids: Iterable[str],
        at: datetime,
        *,
        user_id: str | None = None,
        query: str | None = None,
        session_id: str | None = None,
    ) -> None:
        for item_id in item_ids:
            self._behind.put(
                Showing(
                    id=new_id(),
                    item_id=item_id,
                    user_id=user_id,
                    query=query,
                    session_id=session_id,
                    shown_at=at,
                )
            )

    async def uses(self, item_ids: Sequence[str]) -> dict[str, Use]:
        statement = (
            select(Showing.item_id, func.count(), func.max(Showing.shown_at))
            .where(Showing.item_id.in_(item_ids))
            .group_by(Showing.item_id)
        )
        async with self._database.read() as session:
            return {row[0]: Use(row[1], row[2]) for row in await session.execute(statement)}

    async def _write(self, showings: list[Showing]) -> None:
        async with self._database.write(durable=False) as session:
            for showing in showings:
                await session.merge(showing)
