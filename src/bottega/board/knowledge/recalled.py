"""Projects' memory and global knowledge as stores that recall asks, beside memories."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.enums import Tier
from bottega.board.knowledge.index import KnowledgeIndex, text_of
from bottega.board.knowledge.scoring import HANDED_OVER_FROM, START
from bottega.board.repository import knowledge as repository
from bottega.board.tables import GlobalKnowledge, ProjectMemory
from bottega.core.database import Database
from bottega.core.vectors.store import VectorHit
from bottega.memory.counting import CountingStore
from bottega.memory.stores import Importance, Question, RecalledItem, Scope


class KnowledgeStore(CountingStore):
    name: str
    tier: Tier
    scopes: Collection[Scope]

    def __init__(self, database: Database, index: KnowledgeIndex) -> None:
        super().__init__(database, f"{self.tier} knowledge recalls")
        self._index = index

    async def _count(self, session: AsyncSession, times: Mapping[str, int], last: datetime) -> None:
        await repository.count_recalls(session, self.tier, times, last)


class ProjectMemoryStore(KnowledgeStore):
    name = "project_memory"
    tier = Tier.PROJECT
    scopes: Collection[Scope] = frozenset({Scope.PROJECT})

    async def search(self, question: Question, limit: int) -> Sequence[RecalledItem]:
        where = None if question.project is None else {"project": question.project}
        hits = await self._index.search(self.tier, question.text, limit=limit, where=where)
        nearness = _nearness(hits)
        async with self._database.read() as session:
            rows = await repository.project_rows(session, list(nearness))
            paths = await repository.paths(session, {row.project_id for row in rows})
        return [self._item(row, nearness[row.id], paths[row.project_id]) for row in rows]

    def _item(self, row: ProjectMemory, relevance: float, project: str) -> RecalledItem:
        return RecalledItem(
            id=row.id,
            store=self.name,
            content=row.content,
            scope=Scope.PROJECT,
            owner=None,
            relevance=relevance,
            importance=importance_of(row.relevance),
            created_at=row.created_at,
            updated_at=row.updated_at,
            last_used_at=row.last_used,
            use_count=row.usage_count,
            project=project,
            evidence="; ".join(row.evidence),
        )


class GlobalKnowledgeStore(KnowledgeStore):
    name = "global_knowledge"
    tier = Tier.GLOBAL
    scopes: Collection[Scope] = frozenset({Scope.GLOBAL})

    async def search(self, question: Question, limit: int) -> Sequence[RecalledItem]:
        hits = await self._index.search(self.tier, question.text, limit=limit)
        nearness = _nearness(hits)
        async with self._database.read() as session:
            rows = await repository.global_rows(session, list(nearness))
            last = await repository.last_uses(session, self.tier, list(nearness))
        return [self._item(row, nearness[row.id], last) for row in rows]

    def _item(
        self, row: GlobalKnowledge, relevance: float, last: Mapping[str, datetime]
    ) -> RecalledItem:
        return RecalledItem(
            id=row.id,
            store=self.name,
            content=text_of(row),
            scope=Scope.GLOBAL,
            owner=None,
            relevance=relevance,
            importance=importance_of(row.confidence),
            created_at=row.created_at,
            updated_at=row.updated_at,
            last_used_at=last.get(row.id),
            use_count=row.usage_count,
            evidence="; ".join([*row.evidence, f"{row.success_rate} % of its uses helped"]),
        )


def importance_of(weight: int) -> Importance:
    if weight >= HANDED_OVER_FROM:
        return Importance.HIGH
    return Importance.MEDIUM if weight >= START else Importance.LOW


def _nearness(hits: Sequence[VectorHit]) -> dict[str, float]:
    return {hit.id: min(1.0, max(0.0, 1.0 - hit.distance)) for hit in hits}
