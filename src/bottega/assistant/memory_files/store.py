"""Memory files as one of the stores that recall asks."""

from collections import Counter
from collections.abc import Collection, Sequence
from datetime import datetime

from bottega.assistant.memory_files import repository
from bottega.assistant.memory_files.remembered import STORE, remembered
from bottega.core.database import Database
from bottega.core.embeddings import Embedder
from bottega.core.write_behind import WriteBehind
from bottega.memory.stores import Question, RecalledItem, Scope


class MemoryFileStore:
    name = STORE
    scopes: Collection[Scope] = frozenset({Scope.PERSONAL, Scope.CLASS})

    def __init__(self, database: Database, embedder: Embedder) -> None:
        self._database = database
        self._embedder = embedder
        self._uses: WriteBehind[tuple[str, datetime]] = WriteBehind(
            self._write_uses, name="memory file uses"
        )

    async def start(self) -> None:
        await self._uses.start()

    async def stop(self) -> None:
        await self._uses.stop()

    async def flush(self) -> None:
        """Return when every use counted so far is written."""
        await self._uses.flush()

    async def search(self, question: Question, limit: int) -> Sequence[RecalledItem]:
        async with self._database.read() as session:
            rows = await repository.files_of(session, question.user_id)
        found = await remembered(self._embedder, question.text, rows)
        items = [each.item for each in found if each.item.scope in question.scopes]
        return sorted(items, key=lambda item: (-item.relevance, item.id))[:limit]

    def count_use(self, ids: Sequence[str], at: datetime) -> None:
        for note_id in ids:
            # A note's id is its file's and its line.
            self._uses.put((note_id.rsplit(":", 1)[0], at))

    async def _write_uses(self, uses: list[tuple[str, datetime]]) -> None:
        times = Counter(file_id for file_id, _ in uses)
        async with self._database.write(durable=False) as session:
            await repository.count_uses(session, times, max(at for _, at in uses))
