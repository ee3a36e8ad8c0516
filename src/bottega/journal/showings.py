"""Which experiences and values were put before somebody, when and for which question.

Written behind the answer. How often something was shown is how recall knows what is used.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select

from bottega.core.database import Database
from bottega.core.ids import new_id
from bottega.core.write_behind import WriteBehind
from bottega.journal.tables import Showing


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
        """Return when everything noted so far is written."""
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
