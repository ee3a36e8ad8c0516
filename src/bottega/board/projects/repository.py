"""Queries on projects."""

from collections.abc import Sequence

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.projects.tables import Project
from bottega.errors import NotFound


async def every(session: AsyncSession) -> Sequence[Project]:
    return (await session.scalars(select(Project).order_by(Project.name, Project.path))).all()


async def get(session: AsyncSession, project_id: str) -> Project:
    row = await session.get(Project, project_id)
    if row is None:
        raise _unknown(project_id)
    return row


async def hold(session: AsyncSession, project_id: str) -> Project:
    """The project, locked: one process at a time syncs its files and rows."""
    held = select(Project).where(Project.id == project_id).with_for_update()
    row = (await session.scalars(held)).one_or_none()
    if row is None:
        raise _unknown(project_id)
    return row


async def innermost(session: AsyncSession, folders: Sequence[str]) -> Project | None:
    """The innermost project among these folders."""
    found = await session.scalars(
        select(Project)
        .where(Project.path.in_(folders))
        .order_by(func.length(Project.path).desc())
        .limit(1)
    )
    return found.one_or_none()


def _unknown(project_id: str) -> NotFound:
    return NotFound(
        f"There is no project {project_id!r}. `GET /api/projects` lists them; a project is a "
        "folder with `openspec` in it."
    )
