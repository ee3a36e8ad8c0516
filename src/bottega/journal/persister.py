"""Resolved entries into the database and onto each axis, surely.

The entry is in its local file before any of this begins and leaves it only when all is done, so
that nothing is lost: whatever fails is tried again after 1, 2 and 4 seconds, and if that fails
too, by the next start or by `bottega journal sync`. Everything may be done twice.

The row comes last, with the words, in one transaction: a row means that the experience is whole.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import structlog
from sqlalchemy.exc import SQLAlchemyError

from bottega.core.database import Database
from bottega.errors import BottegaError, Conflict
from bottega.journal import repository
from bottega.journal.collector import Collector
from bottega.journal.entry import Entry
from bottega.journal.index import JournalIndex
from bottega.journal.repository import Owner
from bottega.journal.rows import as_row
from bottega.journal.views import Synced

RETRY_PAUSES = (1.0, 2.0, 4.0)
FAILURES = (BottegaError, SQLAlchemyError, OSError)

log = structlog.get_logger()


class Persister:
    def __init__(
        self,
        database: Database,
        index: JournalIndex,
        collector: Collector,
        project: str,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._database = database
        self._index = index
        self._collector = collector
        self._project = project
        self._sleep = sleep

    async def persist(self, user_id: str, entry: Entry) -> None:
        """Return when the entry is safe in the database; raise if it could not be brought there."""
        for pause in (*RETRY_PAUSES, None):
            try:
                await self._persist(user_id, entry)
            except FAILURES as error:
                log.warning("journal.persist_failed", id=entry.id, error=str(error), again_in=pause)
                if pause is None:
                    raise BottegaError(
                        f"{entry.id} is resolved and safe in the project's .claude/journal, but "
                        f"could not be stored after {len(RETRY_PAUSES) + 1} tries: {error} The "
                        "next start, or `bottega journal sync`, stores it.",
                        id=entry.id,
                    ) from error
                await self._sleep(pause)
            else:
                return

    async def add(self, owner: Owner, entries: Sequence[Entry]) -> int:
        """Store those whose ids are new; returns how many they were."""
        async with self._database.read() as session:
            known = await repository.owners_of(session, [entry.id for entry in entries])
        new = list({entry.id: entry for entry in entries if entry.id not in known}.values())
        if not new:
            return 0
        await self._index.put_vectors(owner, new)
        async with self._database.write() as session:
            session.add_all(as_row(owner, entry) for entry in new)
            await self._index.put_texts(owner, new, session)
        return len(new)

    async def sync(self, user_ids: Sequence[str] | None = None) -> Synced:
        """Finish what was resolved but not stored, and make lost vectors again."""
        failed: dict[str, str] = {}
        stored = await self.store_waiting(user_ids, failed)
        reindexed = await self._index.restore() + await self._index.restore_values()
        return Synced(stored=stored, failed=failed, reindexed=reindexed)

    async def store_waiting(
        self, user_ids: Sequence[str] | None = None, failed: dict[str, str] | None = None
    ) -> int:
        """How many were stored, of these users or of all; what failed is noted, with the reason."""
        stored = 0
        for user_id in user_ids if user_ids is not None else await self._collector.users():
            await self._collector.tidy(user_id)
            for entry in await self._collector.waiting(user_id):
                try:
                    await self._persist(user_id, entry)
                except FAILURES as error:
                    log.warning("journal.sync_failed", id=entry.id, error=str(error))
                    if failed is not None:
                        failed[entry.id] = str(error)
                else:
                    stored += 1
        return stored

    async def _persist(self, user_id: str, entry: Entry) -> None:
        if not await self.add(Owner(user_id, self._project), [entry]):
            async with self._database.read() as session:
                holder = (await repository.owners_of(session, [entry.id])).get(entry.id)
            if holder != user_id:
                raise Conflict(f"{entry.id} is another's experience. Give the entry another id.")
        await self._collector.settled(user_id, entry.id)
