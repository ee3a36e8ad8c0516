"""Queries on projects."""

from collections.abc import Sequence

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.projects.tables import Project
from bottega.errors import NotFound


async def every(session: AsyncSession) -> Sequence[Project]:
    return (await session.scalars(select(Project).order_by(Project.name, Project.path))).all()


async def get(session: AsyncSession, project_id: str, *, lock: bool = False) -> Project:
    row = await session.get(Project, project_id, with_for_update=lock or None)
    if row is None:
        raise NotFound(
            f"There is no project {project_id!r}. `GET /api/projects` lists them; a project is a "
            "folder with `openspec` in it."
        )
    return row


async def hold(session: AsyncSession, project_id: str) -> Project:
    """The project, locked: one process at a time syncs its files and rows."""
    return await get(session, project_id, lock=True)


async def innermost(session: AsyncSession, folders: Sequence[str]) -> Project | None:
    """The innermost project among these folders."""
    among = select(Project).where(Project.path.in_(folders))
    return await session.scalar(among.order_by(func.length(Project.path).desc()).limit(1))
