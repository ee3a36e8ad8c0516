"""Knowledge in a person's hands: looked through, corrected, moved between tiers, deleted.

A deleted item is returned whole, and given back to `restore` it is there again as it was.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.changes import repository as changes
from bottega.board.knowledge import repository
from bottega.board.knowledge.promotion import Promotion
from bottega.board.knowledge.recorder import Recorder, check_category, first_of
from bottega.board.knowledge.schemas import (
    BoardTier,
    GlobalCategory,
    GlobalItem,
    Item,
    ItemPage,
    KnowledgeEdit,
    KnowledgeListRequest,
    ProjectCategory,
    ProjectItem,
    TaskItem,
)
from bottega.board.knowledge.tables import (
    HANDED_OVER_FROM,
    BoardItem,
    GlobalKnowledge,
    ProjectMemory,
    SharedKnowledge,
    TaskMemory,
)
from bottega.board.projects import repository as projects
from bottega.core.db.database import Database
from bottega.core.trust.admission import admit
from bottega.errors import Conflict, InvalidInput, NotFound
from bottega.memory.admission import refuse_trivia
from bottega.memory.index import MemoryIndex
from bottega.memory.projects import identify

ITEMS: dict[BoardTier, type[TaskItem | ProjectItem | GlobalItem]] = {
    BoardTier.TASK: TaskItem,
    BoardTier.PROJECT: ProjectItem,
    BoardTier.GLOBAL: GlobalItem,
}
EDITABLE = {
    BoardTier.TASK: frozenset({"category", "content"}),
    BoardTier.PROJECT: frozenset({"category", "content", "relevance"}),
    BoardTier.GLOBAL: frozenset({"category", "content", "title", "tags", "confidence"}),
}
#: Where global knowledge goes in a project.
PROJECT_CATEGORY = {
    GlobalCategory.PATTERN: ProjectCategory.ARCHITECTURE,
    GlobalCategory.LESSON: ProjectCategory.BUSINESS_LOGIC,
    GlobalCategory.CONVENTION: ProjectCategory.NAMING,
    GlobalCategory.SOLUTION: ProjectCategory.BUSINESS_LOGIC,
    GlobalCategory.ANTI_PATTERN: ProjectCategory.BUSINESS_LOGIC,
}


class Curation:
    def __init__(
        self,
        database: Database,
        index: MemoryIndex,
        recorder: Recorder,
        promotion: Promotion,
    ) -> None:
        self._database = database
        self._index = index
        self._recorder = recorder
        self._promotion = promotion

    async def list(self, asked: KnowledgeListRequest) -> ItemPage:
        """The newest first, of a search those with all its words; `after` is a page's `next`."""
        if asked.category is not None:
            check_category(asked.tier, asked.category)
        async with self._database.read() as session:
            rows = await repository.page(session, asked)
        more = rows[asked.limit - 1].id if len(rows) > asked.limit else None
        return ItemPage(items=[view(asked.tier, row) for row in rows[: asked.limit]], next=more)

    async def get(self, tier: BoardTier, item_id: str) -> Item:
        return view(tier, await self._row(tier, item_id))

    async def edit(self, tier: BoardTier, item_id: str, change: KnowledgeEdit) -> Item:
        change = admit(change, "knowledge")
        changes: dict[str, Any] = change.model_dump(exclude_none=True)
        if unknown := changes.keys() - EDITABLE[tier]:
            raise InvalidInput(
                f"An item of the {tier} tier has no {', '.join(sorted(unknown))} to edit.",
                valid_options=sorted(EDITABLE[tier]),
            )
        if change.category is not None:
            check_category(tier, change.category)
        if change.content is not None and tier is not BoardTier.TASK:
            refuse_trivia(change.content)
        async with self._database.write() as session:
            row = await repository.find(session, tier, item_id, for_update=True)
            if row is None:
                raise _unknown(tier, item_id)
            if isinstance(row, ProjectMemory) and change.category not in (None, row.category):
                await _check_free(session, row, str(change.category))
            for name, value in changes.items():
                setattr(row, name, value)
            if isinstance(row, SharedKnowledge):
                row.touch()
        await self._index.try_settle("edit")
        return view(tier, row)

    async def promote(self, tier: BoardTier, item_id: str) -> Item:
        """One tier up, at a person's word: there it is handed over at once."""
        row = await self._row(tier, item_id)
        if isinstance(row, TaskMemory):
            return await self._promotion.of_task(row)
        if isinstance(row, ProjectMemory):
            return await self._promotion.to_global(row, confidence=HANDED_OVER_FROM)
        raise Conflict(f"{row.key!r} is known everywhere already; there is no tier above.")

    async def demote(self, item_id: str, project_id: str | None = None) -> Item:
        """Global knowledge becomes a project's again: that of its source, unless one is named."""
        found = await self._row(BoardTier.GLOBAL, item_id)
        assert isinstance(found, GlobalKnowledge)
        home = project_id or found.source_project
        if home is None:
            raise InvalidInput(
                f"{found.key!r} came from no project. Name the one that it belongs to (project_id)."
            )
        alike = await self._recorder.alike(ProjectMemory, found.content, project_id=home)
        async with self._database.write() as session:
            await projects.get(session, home)
            row = await repository.find(session, BoardTier.GLOBAL, item_id, for_update=True)
            if not isinstance(row, GlobalKnowledge):
                raise _unknown(BoardTier.GLOBAL, item_id)
            kept = await _kept_at_home(session, row, home, alike)
            await session.delete(row)
        await self._index.remove(item_id)
        await self._index.try_settle("demote")
        return view(BoardTier.PROJECT, kept)

    async def delete(self, tier: BoardTier, item_id: str) -> Item:
        """The item as it was, for `restore`."""
        async with self._database.write() as session:
            row = await repository.find(session, tier, item_id, for_update=True)
            if row is None:
                raise _unknown(tier, item_id)
            deleted = view(tier, row)
            await session.delete(row)
        if tier is not BoardTier.TASK:
            await self._index.remove(item_id)
        return deleted

    async def restore(self, item: Item) -> Item:
        tier = item.tier
        row = repository.KINDS[tier](**item.model_dump(exclude={"tier"}))
        async with self._database.write() as session:
            if await repository.find(session, tier, item.id) is not None:
                raise Conflict(f"{item.id!r} is there: there is nothing to restore.")
            await _check_place(session, row)
            session.add(row)
        await self._index.try_settle("restore")
        return view(tier, row)

    async def _row(self, tier: BoardTier, item_id: str) -> BoardItem:
        async with self._database.read() as session:
            row = await repository.find(session, tier, item_id)
        if row is None:
            raise _unknown(tier, item_id)
        return row


async def _kept_at_home(
    session: AsyncSession, row: GlobalKnowledge, home: str, alike: Sequence[str]
) -> ProjectMemory:
    """What the project has of it already, or else a copy."""
    category = PROJECT_CATEGORY[GlobalCategory(row.category)]
    place = {"project_id": home, "category": category}
    known = await repository.by_key(session, ProjectMemory, row.key, **place)
    known = known or await first_of(session, ProjectMemory, alike)
    if known is None:
        known = ProjectMemory(
            **place,
            project=await identify((await projects.get(session, home)).path),
            key=row.key,
            content=row.content,
            evidence=row.evidence,
            relevance=row.confidence,
        )
        session.add(known)
    return known


def view(tier: BoardTier, row: BoardItem) -> Item:
    return ITEMS[tier].model_validate(row)


async def _check_free(session: AsyncSession, row: ProjectMemory, category: str) -> None:
    place = {"project_id": row.project_id, "category": category}
    if await repository.by_key(session, ProjectMemory, row.key, **place) is not None:
        raise _taken(row.key)


async def _check_place(session: AsyncSession, row: BoardItem) -> None:
    """That what it belongs to is still there, and its key still free."""
    if isinstance(row, TaskMemory):
        await changes.get(session, row.project_id, row.change_id)
        if row.session_id is not None:
            await repository.known_session(session, row.session_id)
    elif isinstance(row, ProjectMemory):
        row.project = await identify((await projects.get(session, row.project_id)).path)
        await _check_free(session, row, row.category)
    elif isinstance(row, GlobalKnowledge):
        if row.source_project is not None:
            await projects.get(session, row.source_project)
        if await repository.by_key(session, GlobalKnowledge, row.key) is not None:
            raise _taken(row.key)


def _taken(key: str) -> Conflict:
    return Conflict(f"Another item has the key {key!r} by now. Edit that one instead.")


def _unknown(tier: BoardTier, item_id: str) -> NotFound:
    return NotFound(
        f"There is no {item_id!r} in the {tier} tier. "
        f"`GET /api/board/knowledge?tier={tier}` lists what is."
    )
