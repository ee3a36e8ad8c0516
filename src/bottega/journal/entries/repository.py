"""The queries on experiences, and their conversion from and to entries.

Each query runs in the caller's transaction.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, Select, func, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from bottega.core import clock
from bottega.core.db.database import Base, batches
from bottega.journal.entries.enums import Axis, Domain, JournalOutcome
from bottega.journal.entries.model import Entry, Resolution
from bottega.journal.entries.schemas import EntrySummary, ExperienceView


class Experience(Base):
    """A resolved entry. Vectors and search texts are derived from it."""

    __tablename__ = "journal_experiences"
    __table_args__ = (
        Index("ix_journal_experiences_created", "user_id", "project", "created_at"),
        Index("ix_journal_experiences_updated", "user_id", "project", "updated_at"),
    )

    id: Mapped[str] = mapped_column(primary_key=True)
    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    project: Mapped[str]
    #: The agent's own name for its sitting, which need not be a session of ours.
    session_id: Mapped[str | None]
    domain: Mapped[str]
    strategy: Mapped[str]
    goal: Mapped[str]
    hypothesis: Mapped[str]
    action: Mapped[str]
    prediction: Mapped[str]
    confidence: Mapped[float | None]
    outcome_status: Mapped[str]
    outcome_result: Mapped[str]
    surprise: Mapped[str | None]
    root_cause: Mapped[dict[str, Any] | None]
    lesson: Mapped[dict[str, Any] | None]
    confidence_tier: Mapped[str]
    iteration_count: Mapped[int]
    history: Mapped[list[Any]]
    evidence: Mapped[list[Any]]
    created_at: Mapped[datetime]
    resolved_at: Mapped[datetime]
    #: When the row was last written, by any process: clusters are as old as the newest of these.
    updated_at: Mapped[datetime]


#: Plain columns: SQLAlchemy builds them in a third of the time of whole experiences.
SHOWN = [getattr(Experience, name) for name in ExperienceView.model_fields if name != "ghap_id"]
LISTED = [getattr(Experience, name) for name in EntrySummary.model_fields]


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose journal: a user's, in one project."""

    user_id: str
    project: str


#: A position in a list sorted newest first: creation time and id.
ListPosition = tuple[datetime, str]


@dataclass(frozen=True, slots=True)
class EntryFilter:
    domain: Domain | None = None
    outcome: JournalOutcome | None = None
    since: datetime | None = None
    #: Only what follows this position.
    after: ListPosition | None = None

    def covers(self, entry: Entry) -> bool:
        status = entry.resolution.status if entry.resolution else None
        return (
            (self.domain is None or entry.domain is self.domain)
            and (self.outcome is None or status is self.outcome)
            and (self.since is None or entry.created_at >= self.since)
            and (self.after is None or (entry.created_at, entry.id) < self.after)
        )


async def owners_of(session: AsyncSession, ids: Collection[str]) -> dict[str, str]:
    """The users that have experiences of these ids."""
    found: dict[str, str] = {}
    for some in batches(list(ids)):
        rows = await session.execute(
            select(Experience.id, Experience.user_id).where(Experience.id.in_(some))
        )
        found.update((entry_id, user_id) for entry_id, user_id in rows)
    return found


async def find(
    session: AsyncSession, owner: Owner, entry_id: str, *, for_update: bool = False
) -> Experience | None:
    statement = _mine(owner).where(Experience.id == entry_id)
    return await session.scalar(statement.with_for_update() if for_update else statement)


async def by_ids(session: AsyncSession, owner: Owner, ids: Sequence[str]) -> dict[str, Any]:
    """What an answer shows of each of these, by id."""
    found: dict[str, Any] = {}
    for some in batches(list(ids)):
        rows = await session.execute(select(*SHOWN).where(*_owned(owner), Experience.id.in_(some)))
        found.update((row.id, row) for row in rows)
    return found


async def of_user(session: AsyncSession, user_id: str, ids: Sequence[str]) -> Sequence[Experience]:
    """In whichever project."""
    statement = select(Experience).where(Experience.user_id == user_id, Experience.id.in_(ids))
    return (await session.scalars(statement)).all()


async def newest(
    session: AsyncSession, owner: Owner, wanted: EntryFilter, limit: int
) -> Sequence[Any]:
    """What a list shows of each, newest first."""
    statement = select(*LISTED).where(*_owned(owner))
    if wanted.domain is not None:
        statement = statement.where(Experience.domain == wanted.domain)
    if wanted.outcome is not None:
        statement = statement.where(Experience.outcome_status == wanted.outcome)
    if wanted.since is not None:
        statement = statement.where(Experience.created_at >= wanted.since)
    if wanted.after is not None:
        moment, entry_id = wanted.after
        is_same_moment = (Experience.created_at == moment) & (Experience.id < entry_id)
        statement = statement.where((Experience.created_at < moment) | is_same_moment)
    ordered = statement.order_by(Experience.created_at.desc(), Experience.id.desc())
    return (await session.execute(ordered.limit(limit))).all()


async def page(
    session: AsyncSession, owner: Owner | None, after: str | None, limit: int
) -> Sequence[Experience]:
    """In order of id, from the one after `after`; of everybody, without an owner."""
    statement = select(Experience) if owner is None else _mine(owner)
    if after is not None:
        statement = statement.where(Experience.id > after)
    return (await session.scalars(statement.order_by(Experience.id).limit(limit))).all()


async def count(session: AsyncSession, axis: Axis) -> int:
    statement = select(func.count()).select_from(Experience)
    if axis.falsified_only:
        statement = statement.where(Experience.outcome_status == JournalOutcome.FALSIFIED)
    return await session.scalar(statement) or 0


async def fingerprint(session: AsyncSession, owner: Owner) -> str:
    """Changes whenever an experience is added or changed, in whichever process."""
    statement = select(func.count(), func.max(Experience.updated_at)).where(*_owned(owner))
    number, last = (await session.execute(statement)).one()
    return f"{number} {clock.iso(last) if last else ''}"


async def tiers(session: AsyncSession, owner: Owner, axis: Axis) -> dict[str, str]:
    """The tier of every experience on the axis."""
    statement = select(Experience.id, Experience.confidence_tier).where(*_owned(owner))
    if axis.falsified_only:
        statement = statement.where(Experience.outcome_status == JournalOutcome.FALSIFIED)
    return {row.id: row.confidence_tier for row in await session.execute(statement)}


async def forecasts(session: AsyncSession, owner: Owner) -> Sequence[tuple[str, float, str]]:
    """Domain, confidence and outcome of what was predicted with a confidence."""
    statement = select(Experience.domain, Experience.confidence, Experience.outcome_status).where(
        *_owned(owner),
        Experience.confidence.is_not(None),
        Experience.outcome_status != JournalOutcome.ABANDONED,
    )
    return [(d, c, o) for d, c, o in await session.execute(statement) if c is not None]


def _mine(owner: Owner) -> Select[Experience]:
    return select(Experience).where(*_owned(owner))


def _owned(owner: Owner) -> tuple[Any, Any]:
    return Experience.user_id == owner.user_id, Experience.project == owner.project


def as_row(owner: Owner, entry: Entry) -> Experience:
    resolution = entry.resolution
    assert resolution is not None, f"{entry.id} is not resolved: it is no experience yet"
    plain = entry.model_dump(mode="json", include={"history", "evidence"})
    end = resolution.model_dump(mode="json", include={"root_cause", "lesson"})
    columns = {each.key for each in Experience.__table__.columns}
    same = columns & Entry.model_fields.keys() - plain.keys()
    return Experience(
        **{name: getattr(entry, name) for name in same - {"updated_at"}},
        **plain,
        **end,
        user_id=owner.user_id,
        project=owner.project,
        outcome_status=resolution.status,
        outcome_result=resolution.result,
        surprise=resolution.surprise,
        confidence_tier=resolution.confidence_tier,
        resolved_at=resolution.resolved_at,
        updated_at=clock.now(),
    )


def as_entry(row: Experience) -> Entry:
    shared = {name: getattr(row, name) for name in Entry.model_fields if name != "resolution"}
    end = {name: getattr(row, name) for name in Resolution.model_fields if hasattr(row, name)}
    resolution = {"status": row.outcome_status, "result": row.outcome_result, **end}
    return Entry.model_validate({**shared, "resolution": resolution})
