"""The queries on values. Each runs in the caller's transaction."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ForeignKey, Index, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core.db.database import Base
from bottega.journal.entries.enums import Axis
from bottega.journal.entries.repository import Owner


class Value(Base):
    """A principle supported by a cluster of experiences."""

    __tablename__ = "journal_values"
    __table_args__ = (Index("ix_journal_values_owner", "user_id", "project", "axis"),)

    id: Mapped[str] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    project: Mapped[str]
    text: Mapped[str]
    axis: Mapped[str]
    cluster_id: Mapped[str]
    cluster_size: Mapped[int]
    similarity_to_centroid: Mapped[float]
    #: The experiences nearest to it among the cluster's: what it rests on.
    evidence: Mapped[list[str]]
    created_at: Mapped[datetime]


async def largest(
    session: AsyncSession, owner: Owner, axis: Axis | None, limit: int
) -> Sequence[Value]:
    """Those of the largest clusters first."""
    statement = select(Value).where(Value.user_id == owner.user_id, Value.project == owner.project)
    if axis is not None:
        statement = statement.where(Value.axis == axis)
    ordered = statement.order_by(Value.cluster_size.desc(), Value.created_at.desc(), Value.id)
    return (await session.scalars(ordered.limit(limit))).all()


async def of_owner(session: AsyncSession, owner: Owner) -> Sequence[Value]:
    statement = select(Value).where(Value.user_id == owner.user_id, Value.project == owner.project)
    return (await session.scalars(statement.order_by(Value.id))).all()


async def every(session: AsyncSession) -> Sequence[Value]:
    """Of all users."""
    return (await session.scalars(select(Value).order_by(Value.id))).all()


async def by_ids(session: AsyncSession, user_id: str, ids: Sequence[str]) -> list[Value]:
    statement = select(Value).where(Value.user_id == user_id, Value.id.in_(ids))
    return list((await session.scalars(statement)).all())
