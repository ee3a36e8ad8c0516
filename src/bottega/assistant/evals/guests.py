"""Somebody who is there for one case, so that cases know nothing of each other.

Runs and traces belong to a person and are kept, so guests are: there are as many as cases are
played at once, and each comes back as if for the first time.
"""

import asyncio
import itertools
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sqlalchemy import delete, select

from bottega.assistant.sessions import AssistantSessions
from bottega.assistant.tables import MemoryEvent, MemoryFile
from bottega.core.services import Core
from bottega.core.users import User

#: Guests of this process that are in a case.
_busy: set[str] = set()


class Guests:
    def __init__(self, core: Core, sessions: AssistantSessions) -> None:
        self._core = core
        self._sessions = sessions

    @asynccontextmanager
    async def welcome(self) -> AsyncIterator[str]:
        """A guest's user id; what they leave behind is gone afterwards."""
        names = (f"eval guest {number}" for number in itertools.count(1))
        name = next(name for name in names if name not in _busy)
        _busy.add(name)
        try:
            user = await self._find(name) or await self._core.users.create(name)
            await self._forget(user.id)
            yield user.id
            await self._forget(user.id)
        finally:
            _busy.discard(name)

    async def _find(self, name: str) -> User | None:
        async with self._core.database.read() as reading:
            found: User | None = await reading.scalar(select(User).where(User.name == name))
        return found

    async def _forget(self, user_id: str) -> None:
        for session in await self._sessions.list(user_id=user_id, limit=1000):
            for run in await self._core.runs.list(session_id=session.id):
                if not run.status.is_final:  # of a process that was stopped
                    await self._core.runs.cancel(run.id)
            await self._sessions.delete(session.id, user_id=user_id)
        async with self._core.database.write() as writing:
            for table in (MemoryEvent, MemoryFile):
                await writing.execute(delete(table).where(table.user_id == user_id))
        folder = self._core.choices.data_dir / "workspaces" / user_id
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
