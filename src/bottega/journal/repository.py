"""The queries on experiences, values and clusters. Each runs in the caller's transaction."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core import clock
from bottega.journal.entry import Entry
from bottega.journal.enums import Axis, Domain, Outcome
from bottega.journal.tables import ClusterSnapshot, Experience, Value

#: Ids in one `IN (…)`: under every SQLite's limit of variables.
IDS_AT_ONCE = 500


#: Plain columns: SQLAlchemy builds them in a third of the time of whole experiences.
SHOWN = (
    Experience.id,
    Experience.goal,
    Experience.hypothesis,
    Experience.action,
    Experience.prediction,
    Experience.outcome_status,
    Experience.outcome_result,
    Experience.surprise,
    Experience.root_cause,
    Experience.lesson,
    Experience.confidence_tier,
    Experience.created_at,
)


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose journal: a user's, in one project."""

    user_id: str
    project: str


#: In a list, newest first: when it was made, and its id.
Place = tuple[datetime, str]


@dataclass(frozen=True, slots=True)
class EntryFilter:
    domain: Domain | None = None
    outcome: Outcome | None = None
    since: datetime | None = None
    #: Only what stands behind this place in a list.
    behind: Place | None = None

    def covers(self, entry: Entry) -> bool:
        status = entry.resolution.status if entry.resolution else None
        return (
            (self.domain is None or entry.domain is self.domain)
            and (self.outcome is None or status is self.outcome)
            and (self.since is None or entry.created_at >= self.since)
            and (self.behind is None or (entry.created_at, entry.id) < self.behind)
        )


async def owners_of(session: AsyncSession, ids: Collection[str]) -> dict[str, str]:
    """The users that have experiences of these ids."""
    found: dict[str, str] = {}
    for some in _chunks(ids):
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
    for some in _chunks(ids):
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
    statement = select(
        Experience.id,
        Experience.domain,
        Experience.strategy,
        Experience.goal,
        Experience.outcome_status,
        Experience.confidence_tier,
        Experience.created_at,
        Experience.resolved_at,
    ).where(*_owned(owner))
    if wanted.domain is not None:
        statement = statement.where(Experience.domain == wanted.domain)
    if wanted.outcome is not None:
        statement = statement.where(Experience.outcome_status == wanted.outcome)
    if wanted.since is not None:
        statement = statement.where(Experience.created_at >= wanted.since)
    if wanted.behind is not None:
        moment, entry_id = wanted.behind
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
        statement = statement.where(Experience.outcome_status == Outcome.FALSIFIED)
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
        statement = statement.where(Experience.outcome_status == Outcome.FALSIFIED)
    return {row.id: row.confidence_tier for row in await session.execute(statement)}


async def forecasts(session: AsyncSession, owner: Owner) -> Sequence[tuple[str, float, str]]:
    """Domain, confidence and outcome of what was predicted with a confidence."""
    statement = select(Experience.domain, Experience.confidence, Experience.outcome_status).where(
        *_owned(owner),
        Experience.confidence.is_not(None),
        Experience.outcome_status != Outcome.ABANDONED,
    )
    return [(d, c, o) for d, c, o in await session.execute(statement) if c is not None]


async def values(
    session: AsyncSession, owner: Owner, axis: Axis | None, limit: int
) -> Sequence[Value]:
    statement = select(Value).where(Value.user_id == owner.user_id, Value.project == owner.project)
    if axis is not None:
        statement = statement.where(Value.axis == axis)
    ordered = statement.order_by(Value.cluster_size.desc(), Value.created_at.desc(), Value.id)
    return (await session.scalars(ordered.limit(limit))).all()


async def all_values(session: AsyncSession, owner: Owner) -> Sequence[Value]:
    statement = select(Value).where(Value.user_id == owner.user_id, Value.project == owner.project)
    return (await session.scalars(statement.order_by(Value.id))).all()


async def every_value(session: AsyncSession) -> Sequence[Value]:
    """Of everybody."""
    return (await session.scalars(select(Value).order_by(Value.id))).all()


async def values_by_ids(session: AsyncSession, user_id: str, ids: Sequence[str]) -> list[Value]:
    statement = select(Value).where(Value.user_id == user_id, Value.id.in_(ids))
    return list((await session.scalars(statement)).all())


async def snapshot(session: AsyncSession, owner: Owner, axis: Axis) -> ClusterSnapshot | None:
    return await session.get(ClusterSnapshot, (owner.user_id, owner.project, str(axis)))


def _mine(owner: Owner) -> Select[Experience]:
    return select(Experience).where(*_owned(owner))


def _owned(owner: Owner) -> tuple[Any, Any]:
    return Experience.user_id == owner.user_id, Experience.project == owner.project


def _chunks(ids: Iterable[str]) -> list[list[str]]:
    every = list(ids)
    return [every[start : start + IDS_AT_ONCE] for start in range(0, len(every), IDS_AT_ONCE)]
