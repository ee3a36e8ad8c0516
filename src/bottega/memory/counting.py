"""What a store of memories has in common with others: it counts what recall made use of.

Uses are written behind the call in small batches; recall waits for none of it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core.db.database import Database
from bottega.core.db.write_behind import WriteBehind


class CountingStore:
    def __init__(self, database: Database, uses: str) -> None:
        """`uses` names what is counted, for logs."""
        self._database = database
        self._uses: WriteBehind[tuple[str, datetime]] = WriteBehind(self._write_uses, name=uses)

    async def start(self) -> None:
        await self._uses.start()

    async def stop(self) -> None:
        await self._uses.stop()

    async def flush(self) -> None:
        """Return when every use counted so far is written."""
        await self._uses.flush()

    def count_use(self, ids: Sequence[str], at: datetime) -> None:
        for item_id in ids:
            self._uses.put((item_id, at))

    async def _write_uses(self, uses: list[tuple[str, datetime]]) -> None:
        times = Counter(item_id for item_id, _ in uses)
        last = max(at for _, at in uses)
        async with self._database.write(durable=False) as session:
            await self._count(session, times, last)

    async def _count(self, session: AsyncSession, times: Mapping[str, int], last: datetime) -> None:
        """Add how often each was used, and when last."""
        raise NotImplementedError
