"""Stores resolved entries in the database and on each axis, without losing one.

An entry stays in its local file until all is stored. A failure is retried after 1, 2 and 4 seconds,
and then by the next start or by `bottega journal sync`; every step may run twice.

The row is written last, with the texts, in one transaction: a row means a complete experience.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import structlog
from sqlalchemy.exc import SQLAlchemyError

from bottega.core.db.database import Database
from bottega.errors import BottegaError, Conflict
from bottega.journal.entries import repository
from bottega.journal.entries.index import JournalIndex
from bottega.journal.entries.model import Entry
from bottega.journal.entries.open_entries import OpenEntries
from bottega.journal.entries.repository import Owner

RETRY_PAUSES = (1.0, 2.0, 4.0)
FAILURES = (BottegaError, SQLAlchemyError, OSError)

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Persister:
    database: Database
    index: JournalIndex
    open_entries: OpenEntries
    project: str
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def persist(self, user_id: str, entry: Entry) -> None:
        """Store a resolved entry, with retries; raises `BottegaError` if all of them fail."""
        for pause in (*RETRY_PAUSES, None):
            try:
                await self._persist(user_id, entry)
            except FAILURES as error:
                log.warning("journal.persist_failed", id=entry.id, error=str(error), again_in=pause)
                if pause is None:
                    raise BottegaError(
                        f"{entry.id} is resolved and safe in a file of the journal, but "
                        f"could not be stored after {len(RETRY_PAUSES) + 1} tries: {error} The "
                        "next start, or `bottega journal sync`, stores it.",
                        id=entry.id,
                    ) from error
                await self.sleep(pause)
            else:
                return

    async def add(self, owner: Owner, entries: Sequence[Entry]) -> int:
        """Store those with unknown ids; returns their number."""
        known = await self.database.ask(repository.owners_of, [entry.id for entry in entries])
        new = list({entry.id: entry for entry in entries if entry.id not in known}.values())
        if not new:
            return 0
        await self.index.put_vectors(owner, new)
        async with self.database.write() as session:
            session.add_all(repository.as_row(owner, entry) for entry in new)
            await self.index.put_texts(owner, new, session)
        return len(new)

    async def store_waiting(
        self, user_ids: Sequence[str] | None = None, failed: dict[str, str] | None = None
    ) -> int:
        """Store what waits in files, of these users or of all; returns the number stored.

        The reason of each failure is put into `failed`, by entry id.
        """
        stored = 0
        for user_id in user_ids if user_ids is not None else await self.open_entries.users():
            await self.open_entries.tidy(user_id)
            for entry in await self.open_entries.waiting(user_id):
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
        if not await self.add(Owner(user_id, self.project), [entry]):
            async with self.database.read() as session:
                holder = (await repository.owners_of(session, [entry.id])).get(entry.id)
            if holder != user_id:
                raise Conflict(f"{entry.id} is another's experience. Give the entry another id.")
        await self.open_entries.remove_stored(user_id, entry.id)
