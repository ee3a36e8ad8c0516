"""Projects: their rows by id and by path."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.tables import Project
from bottega.errors import NotFound


async def every(session: AsyncSession) -> Sequence[Project]:
    return (await session.scalars(select(Project).order_by(Project.name, Project.path))).all()


async def get(session: AsyncSession, project_id: str) -> Project:
    row = await session.get(Project, project_id)
    if row is None:
        raise NotFound(f"There is no project {project_id!r}. List the projects to see their ids.")
    return row


async def at(session: AsyncSession, path: str) -> Project | None:
    return (await session.scalars(select(Project).where(Project.path == path))).one_or_none()


async def hold(session: AsyncSession, project_id: str) -> Project:
    """One at a time, among all processes, brings a project's files and rows together."""
    held = select(Project).where(Project.id == project_id).with_for_update()
    row = (await session.scalars(held)).one_or_none()
    if row is None:
        raise NotFound(f"There is no project {project_id!r}. List the projects to see their ids.")
    return row
