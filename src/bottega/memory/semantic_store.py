"""Semantic memories as one of the stores that recall asks."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core.database import Database
from bottega.memory import repository
from bottega.memory.counting import CountingStore
from bottega.memory.service import SemanticMemories
from bottega.memory.stores import Importance, Question, RecalledItem, Scope
from bottega.memory.tables import Memory


class SemanticStore(CountingStore):
    name = "memories"
    scopes: Collection[Scope] = frozenset({Scope.PERSONAL, Scope.PROJECT})

    def __init__(self, memories: SemanticMemories, database: Database) -> None:
        super().__init__(database, "memory uses")
        self._memories = memories

    async def search(self, question: Question, limit: int) -> Sequence[RecalledItem]:
        found = await self._memories.nearest(
            question.text, limit, visible(question), question.user_id
        )
        return [self._item(row, distance) for row, distance in found]

    async def _count(self, session: AsyncSession, times: Mapping[str, int], last: datetime) -> None:
        await repository.count_uses(session, times, last)

    def _item(self, row: Memory, distance: float) -> RecalledItem:
        return RecalledItem(
            id=row.id,
            store=self.name,
            content=row.content,
            scope=Scope(row.scope),
            owner=row.user_id,
            relevance=max(0.0, 1.0 - distance),
            importance=Importance(row.importance),
            created_at=row.created_at,
            updated_at=row.updated_at,
            last_used_at=row.last_used_at,
            use_count=row.use_count,
            project=row.project,
            evidence=row.evidence,
        )


def visible(question: Question) -> dict[str, Any]:
    """The user's memories of the scopes asked for; project-wide ones of that project only."""
    reaches: list[dict[str, Any]] = []
    if Scope.PERSONAL in question.scopes:
        reaches.append({"scope": Scope.PERSONAL.value})
    if Scope.PROJECT in question.scopes and question.project is None:
        reaches.append({"scope": Scope.PROJECT.value})
    elif Scope.PROJECT in question.scopes:
        here = {"project": question.project}
        reaches.append({"$and": [{"scope": Scope.PROJECT.value}, here]})
    # Chroma wants at least two members in `$or`.
    reach = reaches[0] if len(reaches) == 1 else {"$or": reaches}
    return {"$and": [{"user_id": question.user_id}, reach]}
