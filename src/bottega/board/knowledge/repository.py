"""Queries on the three tiers of knowledge and their uses."""

from collections.abc import Collection, Mapping, Sequence
from typing import TypeVar

from sqlalchemy import case, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.knowledge.schemas import BoardTier, KnowledgeListRequest, TaskCategory
from bottega.board.knowledge.tables import (
    BoardItem,
    GlobalKnowledge,
    KnowledgeUse,
    ProjectMemory,
    SharedKnowledge,
    TaskMemory,
)
from bottega.core.sessions.session import Session
from bottega.errors import NotFound
from bottega.memory.admission import fingerprint

KINDS: Mapping[BoardTier, type[BoardItem]] = {
    BoardTier.TASK: TaskMemory,
    BoardTier.PROJECT: ProjectMemory,
    BoardTier.GLOBAL: GlobalKnowledge,
}
T = TypeVar("T", bound=SharedKnowledge)


async def known_session(session: AsyncSession, session_id: str) -> str:
    if await session.get(Session, session_id) is None:
        raise NotFound(f"There is no session {session_id!r}. Register it first, or leave it out.")
    return session_id


async def find(
    session: AsyncSession, tier: BoardTier, item_id: str, *, for_update: bool = False
) -> BoardItem | None:
    row: BoardItem | None = await session.get(
        KINDS[tier], item_id, with_for_update=for_update or None
    )
    return row


async def by_key(session: AsyncSession, kind: type[T], key: str, **place: str) -> T | None:
    """The one with this key: of all global knowledge, or of a project's category."""
    return await session.scalar(select(kind).filter_by(key=key, **place).with_for_update())


async def same_text(
    session: AsyncSession, kind: type[T], content: str, **place: str
) -> Sequence[T]:
    query = select(kind).filter_by(fingerprint=fingerprint(content), **place)
    return (await session.scalars(query.order_by(kind.created_at))).all()


async def shared(session: AsyncSession, kind: type[T], ids: Collection[str]) -> Sequence[T]:
    return (await session.scalars(select(kind).where(kind.id.in_(ids)))).all()


async def elsewhere(
    session: AsyncSession, row: ProjectMemory, ids: Collection[str]
) -> Sequence[ProjectMemory]:
    """Other projects' memory under the same key, or among `ids`."""
    query = select(ProjectMemory).where(
        ProjectMemory.project_id != row.project_id,
        or_(ProjectMemory.key == row.key, ProjectMemory.id.in_(ids)),
    )
    return (await session.scalars(query.order_by(ProjectMemory.created_at))).all()


async def worth_knowing_everywhere(
    session: AsyncSession, confidence: int, success_rate: int, limit: int
) -> Sequence[GlobalKnowledge]:
    """The most used first."""
    query = (
        select(GlobalKnowledge)
        .where(GlobalKnowledge.weight >= confidence)
        .where(GlobalKnowledge.success_rate >= success_rate)
        .order_by(
            GlobalKnowledge.use_count.desc(),
            GlobalKnowledge.weight.desc(),
            GlobalKnowledge.id,
        )
        .limit(limit)
    )
    return (await session.scalars(query)).all()


async def worth_knowing_here(
    session: AsyncSession, project_id: str, relevance: int, limit: int
) -> Sequence[ProjectMemory]:
    """The most relevant first."""
    query = (
        select(ProjectMemory)
        .where(ProjectMemory.project_id == project_id, ProjectMemory.weight >= relevance)
        .order_by(ProjectMemory.weight.desc(), ProjectMemory.updated_at.desc(), ProjectMemory.id)
        .limit(limit)
    )
    return (await session.scalars(query)).all()


async def attempts(
    session: AsyncSession,
    project_id: str,
    change_id: str,
    *,
    categories: Collection[TaskCategory] | None = None,
    limit: int | None = None,
) -> Sequence[TaskMemory]:
    """The newest first."""
    query = select(TaskMemory).filter_by(project_id=project_id, change_id=change_id)
    if categories is not None:
        query = query.where(TaskMemory.category.in_(categories))
    newest = query.order_by(TaskMemory.created_at.desc(), TaskMemory.id.desc())
    return (await session.scalars(newest.limit(limit))).all()


#: All the words of an item, whichever of these it has.
_WORDS = (
    func.coalesce(BoardItem.key, "")
    + " "
    + func.coalesce(BoardItem.title, "")
    + " "
    + BoardItem.content
)


async def page(session: AsyncSession, asked: KnowledgeListRequest) -> Sequence[BoardItem]:
    """The newest first, and one more than the page holds; ids sort by the time they were made."""
    kind = KINDS[asked.tier]
    query = select(kind)
    if asked.project_id is not None and asked.tier is not BoardTier.GLOBAL:
        query = query.filter_by(project_id=asked.project_id)
    if asked.change_id is not None and asked.tier is BoardTier.TASK:
        query = query.filter_by(change_id=asked.change_id)
    if asked.category is not None:
        query = query.filter_by(category=asked.category)
    for word in (asked.search or "").split():
        query = query.where(_WORDS.icontains(word, autoescape=True))
    if asked.after is not None:
        query = query.where(kind.id < asked.after)
    return (await session.scalars(query.order_by(kind.id.desc()).limit(asked.limit + 1))).all()


async def use_of(
    session: AsyncSession, tier: BoardTier, item_id: str, project_id: str, change_id: str
) -> KnowledgeUse | None:
    query = select(KnowledgeUse).filter_by(
        tier=tier, item_id=item_id, project_id=project_id, change_id=change_id
    )
    return await session.scalar(query)


async def uses_with(
    session: AsyncSession, project_id: str, change_id: str
) -> Sequence[KnowledgeUse]:
    """What was handed over with a change; held, in one order for everybody."""
    query = (
        select(KnowledgeUse)
        .filter_by(project_id=project_id, change_id=change_id)
        .order_by(KnowledgeUse.tier, KnowledgeUse.item_id)
        .with_for_update()
    )
    return (await session.scalars(query)).all()


async def decided(session: AsyncSession, tier: BoardTier, item_id: str) -> tuple[int, int]:
    """How many uses helped, and how many did not."""
    query = select(
        func.coalesce(func.sum(case((KnowledgeUse.helped.is_(True), 1), else_=0)), 0),
        func.coalesce(func.sum(case((KnowledgeUse.helped.is_(False), 1), else_=0)), 0),
    ).filter_by(tier=tier, item_id=item_id)
    helped, failed = (await session.execute(query)).one()
    return int(helped), int(failed)
