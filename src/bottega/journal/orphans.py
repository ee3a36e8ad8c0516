"""Open entries that nobody works on any more: found, then adopted or abandoned.

An entry is an orphan if a newer one took its place, or if its session is over. Of a session that
is none of ours nobody knows; its entry is an orphan when it has not been touched for a day.
"""

from datetime import timedelta

from bottega.core import clock
from bottega.core.sessions import LIVE, Sessions
from bottega.errors import Conflict, NotFound
from bottega.journal.collector import Collector, OpenEntry, Slot
from bottega.journal.entry import Entry

SILENT = timedelta(days=1)


class Orphans:
    def __init__(self, collector: Collector, sessions: Sessions) -> None:
        self._collector = collector
        self._sessions = sessions

    async def find(self, user_id: str) -> list[Entry]:
        found = self._collector.open_entries(user_id)
        return [each.entry async for each in found if await self._is_orphan(user_id, each)]

    async def adopt(self, slot: Slot, entry_id: str) -> Entry:
        await self._check(slot.user_id, entry_id)
        return await self._collector.adopt(slot, entry_id)

    async def abandon(self, user_id: str, entry_id: str, why: str) -> Entry:
        await self._check(user_id, entry_id)
        return await self._collector.abandon(user_id, entry_id, why)

    async def _check(self, user_id: str, entry_id: str) -> None:
        found = await self._collector.find_open(user_id, entry_id)
        if not await self._is_orphan(user_id, found):
            whose = found.entry.session_id or "all who name none"
            raise Conflict(
                f"{entry_id} is the open entry of a session at work ({whose}). Resolve it there, "
                "or end that session first."
            )

    async def _is_orphan(self, user_id: str, found: OpenEntry) -> bool:
        if found.was_displaced:
            return True
        session_id = found.entry.session_id
        if session_id is not None:
            try:
                session = await self._sessions.get(session_id, user_id=user_id)
            except NotFound:
                pass
            else:
                return session.status not in LIVE
        return clock.now() - found.entry.updated_at > SILENT
