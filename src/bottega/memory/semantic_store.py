"""The table of what is remembered as one of the stores that recall asks: the caller's memories, and
the knowledge that everybody shares."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core.db.database import Database
from bottega.memory import projects, repository
from bottega.memory.counting import CountingStore
from bottega.memory.service import SemanticMemories
from bottega.memory.stores import RecalledItem, RecallQuestion, Scope
from bottega.memory.tables import MemoryItem


class SemanticStore(CountingStore):
    name = "memories"
    scopes: Collection[Scope] = frozenset({Scope.PERSONAL, Scope.PROJECT, Scope.GLOBAL})

    def __init__(self, memories: SemanticMemories, database: Database) -> None:
        super().__init__(database, "memory uses")
        self._memories = memories

    async def search(self, question: RecallQuestion, limit: int) -> Sequence[RecalledItem]:
        where = visible(question, await projects.identify(question.project))
        found = await self._memories.find(question.text, limit, where, question.user_id)
        return [_item(row, relevance) for row, relevance in found]

    async def _count(self, session: AsyncSession, times: Mapping[str, int], last: datetime) -> None:
        await repository.count_uses(session, times, last)


def _item(row: MemoryItem, relevance: float) -> RecalledItem:
    return RecalledItem(
        id=row.id,
        store=row.store,
        content=row.text,
        scope=Scope(row.scope),
        owner=row.user_id,
        relevance=relevance,
        importance=row.rank,
        created_at=row.created_at,
        updated_at=row.updated_at,
        last_used_at=row.last_used_at,
        use_count=row.use_count,
        project=row.project,
        evidence="; ".join(row.evidence_lines) or None,
    )


def visible(question: RecallQuestion, project: str | None) -> dict[str, Any]:
    """What the user may see, in the scopes asked for; with a project, project-wide items of that
    one only."""
    reaches: list[dict[str, Any]] = [
        {"scope": scope.value}
        for scope in (Scope.PERSONAL, Scope.GLOBAL)
        if scope in question.scopes
    ]
    if Scope.PROJECT in question.scopes:
        everywhere = {"scope": Scope.PROJECT.value}
        reaches.append({"$and": [everywhere, projects.is_of(project)]} if project else everywhere)
    # Chroma wants at least two members in `$or`.
    reach = reaches[0] if len(reaches) == 1 else {"$or": reaches}
    return {"$and": [{"user_id": {"$in": [question.user_id, ""]}}, reach]}
