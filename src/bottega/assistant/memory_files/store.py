"""Memory files as one of the stores that recall asks."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from bottega.assistant.memory_files import repository
from bottega.assistant.memory_files.remembered import STORE, remembered
from bottega.core.database import Database
from bottega.core.embeddings import Embedder
from bottega.memory.counting import CountingStore
from bottega.memory.stores import Question, RecalledItem, Scope


class MemoryFileStore(CountingStore):
    name = STORE
    scopes: Collection[Scope] = frozenset({Scope.PERSONAL, Scope.CLASS})

    def __init__(self, database: Database, embedder: Embedder) -> None:
        super().__init__(database, "memory file uses")
        self._embedder = embedder

    async def search(self, question: Question, limit: int) -> Sequence[RecalledItem]:
        async with self._database.read() as session:
            rows = await repository.files_of(session, question.user_id)
        found = await remembered(self._embedder, question.text, rows)
        items = [each.item for each in found if each.item.scope in question.scopes]
        return sorted(items, key=lambda item: (-item.relevance, item.id))[:limit]

    def count_use(self, ids: Sequence[str], at: datetime) -> None:
        # A note's id is its file's and its line.
        super().count_use([note_id.rsplit(":", 1)[0] for note_id in ids], at)

    async def _count(self, session: AsyncSession, times: Mapping[str, int], last: datetime) -> None:
        await repository.count_uses(session, times, last)
