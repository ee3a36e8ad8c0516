"""How what happens to changes moves the knowledge that was handed over with them.

A *use* is one change that an item was handed over with. It is decided once the change is applied
(it helped) or fails (it did not); the last word counts. A *confirmation* is the same thing recorded
again by a change that had not been given it: independent evidence.

    success rate  =  (4 + helped + confirmed) / (4 + helped + confirmed + failed), in per cent
    weight        +1 at every second use that helped, +1 at every confirmation, −1 at every failure

The weight (confidence of global knowledge, relevance of a project's) starts at 5, stays within 1
and 10, and is handed over from 7 on. So four uses that helped or two confirmations lift an item
into the context; and since an item that is not handed over is not used, confirmations are also the
way back for one that fell. The 4 in the success rate is a prior of four successes: one early
failure leaves 80 per cent and the item in play, a second takes it out.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.changes.tables import Change
from bottega.board.knowledge import repository
from bottega.board.knowledge.context import ContextItem
from bottega.board.knowledge.schemas import BoardTier
from bottega.board.knowledge.tables import (
    START_WEIGHT,
    GlobalKnowledge,
    KnowledgeUse,
    ProjectMemory,
    SharedKnowledge,
)
from bottega.core import clock
from bottega.core.db.database import Database

#: Per cent of the uses that must have helped, for global knowledge.
SUCCESS_NEEDED = 80
LOWEST, HIGHEST = 1, 10
PRIOR = 4
HELPS_PER_STEP = 2


def success_rate(helped: int, failed: int, confirmed: int = 0) -> int:
    good = PRIOR + helped + confirmed
    return round(100 * good / (good + failed))


def after_help(weight: int, helped: int) -> int:
    """`helped` counts this one too."""
    return within(weight + (helped % HELPS_PER_STEP == 0))


def after_failure(weight: int) -> int:
    return within(weight - 1)


def after_confirmation(weight: int) -> int:
    return within(weight + 1)


def starting(sources: int, helped: int) -> int:
    """The confidence of knowledge that a project's memory was promoted to."""
    return within(START_WEIGHT + max(0, sources - 1) + helped // HELPS_PER_STEP)


def within(weight: int) -> int:
    return min(HIGHEST, max(LOWEST, weight))


BETWEEN = " · "


@dataclass(frozen=True, slots=True)
class EvidenceSource:
    """Who says so: a change of a project, or somebody who works on none."""

    project_id: str | None
    project: str | None
    change_id: str | None
    session_id: str | None
    at: datetime

    @property
    def name(self) -> str:
        if self.project is None:
            return "recorded by hand"
        return f"{self.project}/{self.change_id}" if self.change_id else self.project

    def line(self) -> str:
        session = [f"session {self.session_id}"] if self.session_id else []
        return BETWEEN.join([self.name, *session, f"{self.at:%Y-%m-%d}"])


def source_of(line: str) -> str:
    return line.partition(BETWEEN)[0]


def confirmations(lines: Sequence[str]) -> int:
    """Sources beyond the first."""
    return max(0, len(lines) - 1)


async def note_uses(database: Database, change: Change, items: Iterable[ContextItem]) -> None:
    """Note what was handed over; a change that is handed over again counts once."""
    async with database.write() as session:
        for item in sorted(items, key=lambda each: (each.tier, each.id)):
            row = await repository.find(session, item.tier, item.id, for_update=True)
            if not isinstance(row, SharedKnowledge):
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
            row.use_count += 1
            row.last_used_at = clock.now()


async def decide_uses(
    database: Database, project_id: str, change_id: str, helped: bool
) -> list[str]:
    """Move what was handed over with the change; the ids of the project's items that moved."""
    moved: list[str] = []
    async with database.write() as session:
        for use in await repository.uses_with(session, project_id, change_id):
            if use.helped is helped:
                continue
            use.helped = helped
            await session.flush()
            row = await repository.find(session, BoardTier(use.tier), use.item_id, for_update=True)
            if isinstance(row, SharedKnowledge):
                await _move(session, row, helped)
            if isinstance(row, ProjectMemory):
                moved.append(row.id)
    return moved


async def _move(session: AsyncSession, row: SharedKnowledge, helped_now: bool) -> None:
    helped, failed = await repository.decided(session, row.tier, row.id)
    row.weight = after_help(row.weight, helped) if helped_now else after_failure(row.weight)
    if isinstance(row, GlobalKnowledge):
        row.success_rate = success_rate(helped, failed, confirmations(row.evidence))
    row.touch()
