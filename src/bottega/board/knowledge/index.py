"""Projects' memory and global knowledge by meaning.

The rows are the truth. A vector store that is away costs nothing but the search: what it missed is
kept in mind and put in before the next search, or found missing at the next start (`restore`).
"""

from collections.abc import Sequence

import structlog

from bottega.board.enums import Tier
from bottega.board.repository import knowledge as repository
from bottega.board.repository.knowledge import Used
from bottega.board.tables import GlobalKnowledge, ProjectMemory
from bottega.core.database import Database
from bottega.core.embeddings import Embedder
from bottega.core.vectors.index import VectorIndex
from bottega.core.vectors.store import Metadata, VectorHit, VectorStore, Where
from bottega.errors import NotFound, Unavailable

COLLECTIONS = {Tier.PROJECT: "project_memory", Tier.GLOBAL: "global_knowledge"}

log = structlog.get_logger()


class KnowledgeIndex:
    def __init__(self, database: Database, vectors: VectorStore, embedder: Embedder) -> None:
        self._database = database
        self._vectors = vectors
        self._embedder = embedder
        self._missed: set[tuple[Tier, str]] = set()
        self._open()

    def _open(self) -> None:
        self._indexes = {
            tier: VectorIndex(self._vectors, self._embedder, name)
            for tier, name in COLLECTIONS.items()
        }

    async def put(self, row: Used) -> None:
        """Make a row findable, now or, if the store is away, later."""
        tier = tier_of(row)
        try:
            await self._add(tier, [row])
        except Unavailable as error:
            self._missed.add((tier, row.id))
            log.warning("board.knowledge_not_indexed", id=row.id, error=error.message)

    async def remove(self, tier: Tier, item_id: str) -> None:
        """What is left in a store that is away is found no more: its row is gone."""
        try:
            await self._indexes[tier].delete(ids=[item_id])
        except (Unavailable, NotFound) as error:
            log.warning("board.knowledge_not_unindexed", id=item_id, error=error.message)

    async def search(
        self, tier: Tier, text: str, *, limit: int, where: Where | None = None
    ) -> Sequence[VectorHit]:
        await self._catch_up()
        try:
            return await self._indexes[tier].search(text, limit=limit, where=where)
        except NotFound as error:
            self._open()
            raise Unavailable(f"Knowledge cannot be searched now: {error.message}") from error

    async def near(
        self, tier: Tier, text: str, *, where: Where | None = None, limit: int = 5
    ) -> list[str]:
        """The ids of the nearest, and none while the store is away."""
        try:
            return [hit.id for hit in await self.search(tier, text, limit=limit, where=where)]
        except Unavailable as error:
            log.warning("board.knowledge_not_searched", error=error.message)
            return []

    async def restore(self) -> int:
        """Make again the vectors that are missing; returns how many."""
        made = 0
        for tier in COLLECTIONS:
            async with self._database.read() as session:
                expected = await repository.count(session, tier)
            # Counted second: what another process adds in between is no loss.
            if await self._held(tier) < expected:
                async with self._database.read() as session:
                    rows = await repository.all_rows(session, tier)
                log.warning("board.knowledge_vectors_lost", tier=tier, expected=expected)
                await self._add(tier, rows)
                made += len(rows)
        return made

    async def _held(self, tier: Tier) -> int:
        name = COLLECTIONS[tier]
        if await self._vectors.collection(name) is None:
            self._open()
            return 0
        return await self._vectors.count(name)

    async def _catch_up(self) -> None:
        for tier, item_id in tuple(self._missed):
            async with self._database.read() as session:
                row = await repository.find(session, tier, item_id)
            if isinstance(row, ProjectMemory | GlobalKnowledge):
                await self._add(tier, [row])
            self._missed.discard((tier, item_id))

    async def _add(self, tier: Tier, rows: Sequence[Used]) -> None:
        owners = {row.project_id for row in rows if isinstance(row, ProjectMemory)}
        async with self._database.read() as session:
            paths = await repository.paths(session, owners)
        details: list[Metadata] = [
            {"project_id": row.project_id, "project": paths.get(row.project_id, "")}
            if isinstance(row, ProjectMemory)
            else {"category": row.category}
            for row in rows
        ]
        try:
            await self._indexes[tier].add(
                [row.id for row in rows], [text_of(row) for row in rows], details
            )
        except NotFound as error:
            # Somebody deleted the collection; the next call makes it anew.
            self._open()
            raise Unavailable(error.message) from error


def tier_of(row: Used) -> Tier:
    return Tier.PROJECT if isinstance(row, ProjectMemory) else Tier.GLOBAL


def text_of(row: Used) -> str:
    if isinstance(row, GlobalKnowledge) and not row.content.startswith(row.title.rstrip("…")):
        return f"{row.title}\n{row.content}"
    return row.content
