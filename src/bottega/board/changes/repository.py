"""Queries on changes, their history, their revisions and the specs they were applied to."""

from collections.abc import Collection, Sequence

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import defer

from bottega.board.changes.states import ChangeStatus
from bottega.board.changes.tables import AppliedSpec, Change, ChangeRevision, ChangeTransition
from bottega.errors import NotFound

#: The texts of a change are a hundred times the rest of it.
WITHOUT_TEXTS = tuple(
    defer(column, raiseload=True)
    for column in (
        Change.proposal_content,
        Change.tasks_content,
        Change.design_content,
        Change.specs,
        Change.synced_hashes,
    )
)


async def get(session: AsyncSession, project_id: str, id: str, *, lock: bool = False) -> Change:
    """With `lock` the row as it is now, held until the transaction ends."""
    key = project_id, id
    row = await session.get(Change, key, with_for_update=lock or None, populate_existing=lock)
    if row is None:
        raise NotFound(
            f"There is no change {id!r} in the project {project_id!r}. List the changes to see "
            "their ids."
        )
    return row


async def hold(session: AsyncSession, project_id: str, id: str) -> Change:
    return await get(session, project_id, id, lock=True)


async def named(session: AsyncSession, id: str) -> Sequence[Change]:
    """The changes of that id, in any project."""
    return (await session.scalars(select(Change).where(Change.id == id))).all()


async def listed(
    session: AsyncSession,
    project_id: str | None = None,
    statuses: Collection[ChangeStatus] = (),
) -> Sequence[Change]:
    """Without their texts; urgent ones first, then the newest."""
    query = select(Change).options(*WITHOUT_TEXTS)
    if project_id is not None:
        query = query.where(Change.project_id == project_id)
    if statuses:
        query = query.where(Change.status.in_(statuses))
    order = Change.priority.desc(), Change.created_at.desc(), Change.project_id, Change.id
    return (await session.scalars(query.order_by(*order))).all()


async def whole(
    session: AsyncSession, project_id: str, ids: Collection[str] | None = None
) -> Sequence[Change]:
    """With their texts: these, or all of a project."""
    query = select(Change).where(Change.project_id == project_id)
    if ids is not None:
        query = query.where(Change.id.in_(ids))
    return (await session.scalars(query)).all()


async def ids(session: AsyncSession, project_id: str) -> set[str]:
    return set((await session.scalars(select(Change.id).filter_by(project_id=project_id))).all())


async def transitions(
    session: AsyncSession, project_id: str, id: str
) -> Sequence[ChangeTransition]:
    """From its beginning on."""
    query = select(ChangeTransition).filter_by(project_id=project_id, change_id=id)
    order = ChangeTransition.transitioned_at, ChangeTransition.id
    return (await session.scalars(query.order_by(*order))).all()


async def revisions(session: AsyncSession, project_id: str, id: str) -> Sequence[ChangeRevision]:
    """Newest first."""
    query = select(ChangeRevision).filter_by(project_id=project_id, change_id=id)
    order = ChangeRevision.created_at.desc(), ChangeRevision.id.desc()
    return (await session.scalars(query.order_by(*order))).all()


async def revision(
    session: AsyncSession, project_id: str, id: str, revision_id: str
) -> ChangeRevision:
    row = await session.get(ChangeRevision, revision_id)
    if row is None or (row.project_id, row.change_id) != (project_id, id):
        raise NotFound(f"The change {id!r} has no revision {revision_id!r}.")
    return row


async def add_revision(
    session: AsyncSession, row: Change, file: str, content: str, reason: str, author: str | None
) -> ChangeRevision:
    revision = ChangeRevision(
        project_id=row.project_id,
        change_id=row.id,
        file=file,
        content=content,
        reason=reason,
        author=author,
    )
    session.add(revision)
    await session.flush()
    return revision


async def add_applied(session: AsyncSession, row: Change, capabilities: Collection[str]) -> None:
    """Record the capabilities that the change was applied to; idempotent."""
    for capability in capabilities:
        key = (row.project_id, row.id, capability)
        if await session.get(AppliedSpec, key) is None:
            session.add(
                AppliedSpec(project_id=row.project_id, change_id=row.id, capability=capability)
            )
    await session.flush()


async def applied(session: AsyncSession, project_id: str) -> Sequence[AppliedSpec]:
    """Newest first."""
    query = select(AppliedSpec).filter_by(project_id=project_id)
    order = AppliedSpec.applied_at.desc(), AppliedSpec.capability
    return (await session.scalars(query.order_by(*order))).all()
