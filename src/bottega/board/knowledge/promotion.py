"""From a task to its project, from projects to all of them.

Task → project, when the change is applied: its solutions, and the decisions of the session that
brought it to its end (those of attempts that were given up were not confirmed).

Project → global, when the same stands in a second project, or has helped three times in its own.
The project keeps its item, and the global one names every source.
"""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.knowledge import outcomes, repository
from bottega.board.knowledge.recorder import (
    Recorder,
    again_if_another_was_first,
    first_of,
    gain_evidence,
)
from bottega.board.knowledge.schemas import (
    BoardTier,
    GlobalCategory,
    GlobalItem,
    NewKnowledge,
    ProjectCategory,
    ProjectItem,
    TaskCategory,
)
from bottega.board.knowledge.tables import (
    HANDED_OVER_FROM,
    GlobalKnowledge,
    ProjectMemory,
    TaskMemory,
)
from bottega.board.knowledge.texts import (
    longer_key_of,
    says_the_same,
    similarities,
    subjects_in,
    title_of,
)
from bottega.core.db.database import Database
from bottega.core.readers.embedder import Embedder
from bottega.memory.admission import add_evidence, is_trivial, refuse_trivia
from bottega.memory.index import MemoryIndex

#: Helped this often in its project, it is worth knowing elsewhere.
HELPS_FOR_GLOBAL = 3
#: What came of a change that was applied starts where it is handed over.
RELEVANCE_OF_LESSONS = HANDED_OVER_FROM

PROJECT_CATEGORY = {
    TaskCategory.DECISION: ProjectCategory.ARCHITECTURE,
    TaskCategory.FILE_CHANGE: ProjectCategory.FILE_STRUCTURE,
}
GLOBAL_CATEGORY = {
    ProjectCategory.ARCHITECTURE: GlobalCategory.PATTERN,
    ProjectCategory.NAMING: GlobalCategory.CONVENTION,
    ProjectCategory.BUSINESS_LOGIC: GlobalCategory.LESSON,
    ProjectCategory.FILE_STRUCTURE: GlobalCategory.CONVENTION,
    ProjectCategory.DEPENDENCIES: GlobalCategory.SOLUTION,
}


class Promotion:
    def __init__(
        self, database: Database, index: MemoryIndex, recorder: Recorder, embedder: Embedder
    ) -> None:
        self._database = database
        self._index = index
        self._recorder = recorder
        self._embedder = embedder

    async def of_change(self, project_id: str, change_id: str) -> list[ProjectItem]:
        """What an applied change teaches its project; a second time it teaches nothing new."""
        async with self._database.read() as session:
            rows = await repository.attempts(
                session,
                project_id,
                change_id,
                categories=(TaskCategory.SOLUTION, TaskCategory.DECISION),
            )
        worth = [row for row in confirmed(rows) if not is_trivial(row.content)]
        return [await self.of_task(row) for row in reversed(worth)]

    async def of_task(self, row: TaskMemory) -> ProjectItem:
        refuse_trivia(row.content)
        recorded = await self._recorder.project(
            NewKnowledge(
                tier=BoardTier.PROJECT,
                category=PROJECT_CATEGORY.get(
                    TaskCategory(row.category), ProjectCategory.BUSINESS_LOGIC
                ),
                content=row.content,
                project_id=row.project_id,
                change_id=row.change_id,
                session_id=row.session_id,
                relevance=RELEVANCE_OF_LESSONS,
            )
        )
        assert isinstance(recorded.item, ProjectItem)
        await self.consider(recorded.item.id)
        return recorded.item

    async def consider(self, item_id: str) -> GlobalItem | None:
        """Promote a project's item if it has earned it."""
        async with self._database.read() as session:
            row = await repository.find(session, BoardTier.PROJECT, item_id)
            helped, _ = await repository.decided(session, BoardTier.PROJECT, item_id)
        if not isinstance(row, ProjectMemory):
            return None
        twins = await self._twins(row)
        if not twins and helped < HELPS_FOR_GLOBAL:
            return None
        return await self.to_global(row, twins, helped)

    async def to_global(
        self,
        row: ProjectMemory,
        twins: Sequence[ProjectMemory] = (),
        helped: int = 0,
        confidence: int | None = None,
    ) -> GlobalItem:
        evidence: list[str] = []
        for each in (row, *twins):
            evidence = add_evidence(evidence, each.evidence, outcomes.source_of)
        alike = await self._recorder.alike(GlobalKnowledge, row.content)

        async def write() -> GlobalKnowledge:
            async with self._database.write() as session:
                known = await first_of(session, GlobalKnowledge, alike)
                if known is not None:
                    await gain_evidence(session, known, evidence)
                else:
                    known = await _promoted(session, row, evidence, helped)
                    session.add(known)
                known.weight = max(known.weight, confidence or 0)
            return known

        promoted = await again_if_another_was_first(write)
        await self._index.try_settle("promote")
        return GlobalItem.model_validate(promoted)

    async def _twins(self, row: ProjectMemory) -> list[ProjectMemory]:
        """What says the same in other projects."""
        elsewhere = {"project_id": {"$ne": row.project_id}}
        near = await self._index.near(
            row.content, where={"$and": [{"kind": ProjectMemory.store}, elsewhere]}
        )
        async with self._database.read() as session:
            others = await repository.elsewhere(session, row, near)
        scores = await similarities(self._embedder, row.content, [each.content for each in others])
        return [
            each
            for each, score in zip(others, scores, strict=True)
            if says_the_same(row.content, each.content, score, same_key=each.key == row.key)
        ]


def confirmed(rows: Sequence[TaskMemory]) -> list[TaskMemory]:
    """Of a change's memory, newest first: what being applied has confirmed."""
    last = rows[0].session_id if rows else None
    return [row for row in rows if row.category == TaskCategory.SOLUTION or row.session_id == last]


async def _promoted(
    session: AsyncSession, row: ProjectMemory, evidence: list[str], helped: int
) -> GlobalKnowledge:
    return GlobalKnowledge(
        category=GLOBAL_CATEGORY[ProjectCategory(row.category)],
        key=await _free_key(session, row),
        title=title_of(row.content),
        content=row.content,
        tags=sorted(subjects_in([row.content])),
        source_project=row.project_id,
        evidence=evidence,
        confidence=outcomes.starting(len(evidence), helped),
    )


async def _free_key(session: AsyncSession, row: ProjectMemory) -> str:
    """Its own key, unless that is taken by something else."""
    taken = await repository.by_key(session, GlobalKnowledge, row.key)
    return row.key if taken is None else longer_key_of(row.content)
