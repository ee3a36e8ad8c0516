"""What was handed over with a change, and whether it helped.

It helped if the change was applied, or if the test that the change is to fix turned green. It did
not if the change was given back because it failed, was rejected after work on it, or was reopened.
A session that merely died says nothing about what it had been told.
"""

from collections.abc import Iterable

from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.enums import Tier
from bottega.board.knowledge import scoring
from bottega.board.knowledge.context import ContextItem
from bottega.board.knowledge.evidence import confirmations
from bottega.board.repository import knowledge as repository
from bottega.board.tables import Change, GlobalKnowledge, KnowledgeUse, ProjectMemory
from bottega.core import clock
from bottega.core.database import Database


class Outcomes:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def used(self, change: Change, items: Iterable[ContextItem]) -> None:
        """Note what was handed over; a change that is handed over again counts once."""
        async with self._database.write() as session:
            for item in sorted(items, key=lambda each: (each.tier, each.id)):
                row = await repository.find(session, item.tier, item.id, for_update=True)
                if not isinstance(row, ProjectMemory | GlobalKnowledge):
                    continue
                where = (item.tier, item.id, change.project_id, change.id)
                if await repository.use_of(session, *where) is not None:
                    continue
                session.add(
                    KnowledgeUse(
                        tier=item.tier,
                        item_id=item.id,
                        project_id=change.project_id,
                        change_id=change.id,
                    )
                )
                row.usage_count += 1
                if isinstance(row, ProjectMemory):
                    row.last_used = clock.now()

    async def outcome(self, project_id: str, change_id: str, helped: bool) -> list[str]:
        """Move what was handed over with the change; the ids of the project's items that moved."""
        moved: list[str] = []
        async with self._database.write() as session:
            for use in await repository.uses_with(session, project_id, change_id):
                if use.helped is helped:
                    continue
                use.helped = helped
                await session.flush()
                row = await repository.find(session, Tier(use.tier), use.item_id, for_update=True)
                if isinstance(row, ProjectMemory | GlobalKnowledge):
                    await _move(session, row, helped)
                    if isinstance(row, ProjectMemory):
                        moved.append(row.id)
        return moved


async def _move(
    session: AsyncSession, row: ProjectMemory | GlobalKnowledge, helped_now: bool
) -> None:
    tier = Tier.PROJECT if isinstance(row, ProjectMemory) else Tier.GLOBAL
    helped, failed = await repository.decided(session, tier, row.id)
    weight = row.relevance if isinstance(row, ProjectMemory) else row.confidence
    weight = scoring.after_help(weight, helped) if helped_now else scoring.after_failure(weight)
    if isinstance(row, ProjectMemory):
        row.relevance = weight
    else:
        row.confidence = weight
        row.success_rate = scoring.success_rate(helped, failed, confirmations(row.evidence))
    row.updated_at = clock.now()
