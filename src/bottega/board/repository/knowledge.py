"""Three tiers of memory and how they were used, in queries."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Select, case, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.enums import TaskCategory, Tier
from bottega.board.tables import (
    Change,
    GlobalKnowledge,
    KnowledgeUse,
    Project,
    ProjectMemory,
    TaskMemory,
)
from bottega.core.sessions import Session
from bottega.errors import NotFound

Row = TaskMemory | ProjectMemory | GlobalKnowledge
#: What can be handed over, and so used.
Used = ProjectMemory | GlobalKnowledge

TABLES: Mapping[Tier, type[Row]] = {
    Tier.TASK: TaskMemory,
    Tier.PROJECT: ProjectMemory,
    Tier.GLOBAL: GlobalKnowledge,
}


async def project(session: AsyncSession, project_id: str) -> Project:
    row = await session.get(Project, project_id)
    if row is None:
        raise NotFound(f"There is no project {project_id!r}. `GET /api/projects` lists them.")
    return row


async def change(session: AsyncSession, project_id: str, change_id: str) -> Change:
    row = await session.get(Change, (project_id, change_id))
    if row is None:
        raise NotFound(f"There is no change {change_id!r} in the project {project_id!r}.")
    return row


async def known_session(session: AsyncSession, session_id: str) -> str:
    if await session.get(Session, session_id) is None:
        raise NotFound(f"There is no session {session_id!r}. Register it first, or leave it out.")
    return session_id


async def find(
    session: AsyncSession, tier: Tier, item_id: str, *, for_update: bool = False
) -> Row | None:
    row: Row | None = await session.get(TABLES[tier], item_id, with_for_update=for_update or None)
    return row


async def project_memory(
    session: AsyncSession, project_id: str, category: str, key: str
) -> ProjectMemory | None:
    query = select(ProjectMemory).filter_by(project_id=project_id, category=category, key=key)
    return await session.scalar(query.with_for_update())


async def global_knowledge(session: AsyncSession, key: str) -> GlobalKnowledge | None:
    return await session.scalar(select(GlobalKnowledge).filter_by(key=key).with_for_update())


async def project_rows(session: AsyncSession, ids: Collection[str]) -> Sequence[ProjectMemory]:
    return (await session.scalars(select(ProjectMemory).where(ProjectMemory.id.in_(ids)))).all()


async def global_rows(session: AsyncSession, ids: Collection[str]) -> Sequence[GlobalKnowledge]:
    return (await session.scalars(select(GlobalKnowledge).where(GlobalKnowledge.id.in_(ids)))).all()


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
        .where(GlobalKnowledge.confidence >= confidence)
        .where(GlobalKnowledge.success_rate >= success_rate)
        .order_by(
            GlobalKnowledge.usage_count.desc(),
            GlobalKnowledge.confidence.desc(),
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
        .where(ProjectMemory.project_id == project_id, ProjectMemory.relevance >= relevance)
        .order_by(ProjectMemory.relevance.desc(), ProjectMemory.updated_at.desc(), ProjectMemory.id)
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


async def page(
    session: AsyncSession,
    tier: Tier,
    *,
    project_id: str | None,
    change_id: str | None,
    category: str | None,
    search: str | None,
    after: str | None,
    limit: int,
) -> Sequence[Row]:
    """The newest first; ids sort by the time they were made."""
    table = TABLES[tier]
    query: Select[Row] = select(table)
    if project_id is not None and table is not GlobalKnowledge:
        query = query.filter_by(project_id=project_id)
    if change_id is not None and table is TaskMemory:
        query = query.filter_by(change_id=change_id)
    if category is not None:
        query = query.filter_by(category=category)
    for word in (search or "").split():
        query = query.where(_text(table).icontains(word, autoescape=True))
    if after is not None:
        query = query.where(table.id < after)
    return (await session.scalars(query.order_by(table.id.desc()).limit(limit))).all()


def _text(table: type[Row]) -> ColumnElement[str]:
    """All the words of an item."""
    if issubclass(table, GlobalKnowledge):
        return table.key + " " + table.title + " " + table.content
    if issubclass(table, ProjectMemory):
        return table.key + " " + table.content
    return table.content + ""


async def use_of(
    session: AsyncSession, tier: Tier, item_id: str, project_id: str, change_id: str
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


async def decided(session: AsyncSession, tier: Tier, item_id: str) -> tuple[int, int]:
    """How many uses helped, and how many did not."""
    query = select(
        func.coalesce(func.sum(case((KnowledgeUse.helped.is_(True), 1), else_=0)), 0),
        func.coalesce(func.sum(case((KnowledgeUse.helped.is_(False), 1), else_=0)), 0),
    ).filter_by(tier=tier, item_id=item_id)
    helped, failed = (await session.execute(query)).one()
    return int(helped), int(failed)


async def last_uses(
    session: AsyncSession, tier: Tier, ids: Collection[str]
) -> Mapping[str, datetime]:
    query = (
        select(KnowledgeUse.item_id, func.max(KnowledgeUse.created_at))
        .where(KnowledgeUse.tier == tier, KnowledgeUse.item_id.in_(ids))
        .group_by(KnowledgeUse.item_id)
    )
    return {row[0]: row[1] for row in await session.execute(query)}


async def count_recalls(
    session: AsyncSession, tier: Tier, times: Mapping[str, int], last: datetime
) -> None:
    for item_id, more in sorted(times.items()):
        if tier is Tier.PROJECT:
            await session.execute(
                update(ProjectMemory)
                .where(ProjectMemory.id == item_id)
                .values(usage_count=ProjectMemory.usage_count + more, last_used=last)
            )
        else:
            await session.execute(
                update(GlobalKnowledge)
                .where(GlobalKnowledge.id == item_id)
                .values(usage_count=GlobalKnowledge.usage_count + more)
            )


async def count(session: AsyncSession, tier: Tier) -> int:
    return await session.scalar(select(func.count()).select_from(TABLES[tier])) or 0


async def all_rows(session: AsyncSession, tier: Tier) -> Sequence[Used]:
    """Of the tiers that can be searched."""
    if tier is Tier.PROJECT:
        return (await session.scalars(select(ProjectMemory))).all()
    return (await session.scalars(select(GlobalKnowledge))).all()


async def paths(session: AsyncSession, project_ids: Collection[str]) -> Mapping[str, str]:
    query = select(Project.id, Project.path).where(Project.id.in_(project_ids))
    return {row[0]: row[1] for row in await session.execute(query)}
