"""From a task to its project, from projects to all of them.

Task → project, when the change is applied: its solutions, and the decisions of the session that
brought it to its end (those of attempts that were given up were not confirmed).

Project → global, when the same stands in a second project, or has helped three times in its own.
The project keeps its item, and the global one names every source.
"""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.enums import GlobalCategory, ProjectCategory, TaskCategory, Tier
from bottega.board.knowledge import scoring
from bottega.board.knowledge.audience import subjects_in
from bottega.board.knowledge.evidence import added
from bottega.board.knowledge.index import KnowledgeIndex
from bottega.board.knowledge.items import GlobalItem, NewKnowledge, ProjectItem
from bottega.board.knowledge.likeness import says_the_same, similarities
from bottega.board.knowledge.naming import longer_key_of, title_of
from bottega.board.knowledge.recording import (
    Recording,
    add_evidence,
    again_if_another_was_first,
)
from bottega.board.repository import knowledge as repository
from bottega.board.tables import GlobalKnowledge, ProjectMemory, TaskMemory
from bottega.core.database import Database
from bottega.core.embeddings import Embedder

#: Helped this often in its project, it is worth knowing elsewhere.
HELPS_FOR_GLOBAL = 3
#: What came of a change that was applied starts where it is handed over.
RELEVANCE_OF_LESSONS = scoring.HANDED_OVER_FROM

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
        self, database: Database, index: KnowledgeIndex, recording: Recording, embedder: Embedder
    ) -> None:
        self._database = database
        self._index = index
        self._recording = recording
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
        return [await self.of_task(row) for row in reversed(confirmed(rows))]

    async def of_task(self, row: TaskMemory) -> ProjectItem:
        recorded = await self._recording.project(
            NewKnowledge(
                tier=Tier.PROJECT,
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
            row = await repository.find(session, Tier.PROJECT, item_id)
            helped, _ = await repository.decided(session, Tier.PROJECT, item_id)
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
            evidence = added(evidence, each.evidence)
        alike = await self._recording.alike(Tier.GLOBAL, row.content)

        async def write() -> GlobalKnowledge:
            async with self._database.write() as session:
                known = await _known(session, alike)
                if known is not None:
                    await add_evidence(session, known, evidence)
                else:
                    known = await _promoted(session, row, evidence, helped)
                    session.add(known)
                known.confidence = max(known.confidence, confidence or 0)
            return known

        promoted = await again_if_another_was_first(write)
        await self._index.put(promoted)
        return GlobalItem.model_validate(promoted)

    async def _twins(self, row: ProjectMemory) -> list[ProjectMemory]:
        """What says the same in other projects."""
        where = {"project_id": {"$ne": row.project_id}}
        near = await self._index.near(Tier.PROJECT, row.content, where=where)
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


async def _known(session: AsyncSession, alike: Sequence[str]) -> GlobalKnowledge | None:
    for item_id in alike:
        known = await repository.find(session, Tier.GLOBAL, item_id, for_update=True)
        if isinstance(known, GlobalKnowledge):
            return known
    return None


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
        confidence=scoring.starting(len(evidence), helped),
    )


async def _free_key(session: AsyncSession, row: ProjectMemory) -> str:
    """Its own key, unless that is taken by something else."""
    taken = await repository.global_knowledge(session, row.key)
    return row.key if taken is None else longer_key_of(row.content)
