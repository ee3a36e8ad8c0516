"""The queries on memories. Each runs in the caller's transaction."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, String, cast, delete, func, or_, select, tuple_, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core.clock import new_id
from bottega.core.db.database import dump_json
from bottega.core.sessions.session import Session
from bottega.core.users import User
from bottega.errors import InvalidInput
from bottega.memory import projects
from bottega.memory.schemas import MemoryFilter, MemoryInput
from bottega.memory.stores import Scope
from bottega.memory.tables import UNINDEXED, Memory, MemoryCounter, MemoryItem


async def insert(
    session: AsyncSession,
    memories: Sequence[MemoryInput],
    *,
    user_id: str,
    project: str | None,
    session_id: str | None,
    now: datetime,
) -> Sequence[Memory]:
    if not memories:
        return []
    ids = await _new_ids(session, session_id, len(memories))
    rows = [
        Memory(
            id=memory_id,
            user_id=user_id,
            scope=reach_of(project, memory.scope),
            project=project,
            session_id=session_id,
            content=memory.content,
            tags=memory.tags,
            importance=memory.importance,
            evidence=lines_of(memory.evidence),
            created_at=now,
            updated_at=now,
        )
        for memory_id, memory in zip(ids, memories, strict=True)
    ]
    session.add_all(rows)
    await session.flush()
    return rows


def lines_of(evidence: str | None) -> list[str]:
    return [evidence] if evidence else []


async def same(
    session: AsyncSession,
    texts: Collection[tuple[str, str]],
    *,
    user_id: str,
    project: str | None,
) -> Sequence[Memory]:
    """The user's memories of the project, or of none, with the fingerprint and scope of one of
    these texts; the newest first. Others who add for this user wait until the caller is done."""
    await session.execute(select(User.id).filter_by(id=user_id).with_for_update(key_share=True))
    statement = select(Memory).where(
        tuple_(Memory.fingerprint, Memory.scope).in_(set(texts)),
        Memory.user_id == user_id,
        Memory.project.is_not_distinct_from(project),
        Memory.forgotten_at.is_(None),
    )
    newest_first = statement.order_by(Memory.created_at.desc(), Memory.id.desc())
    return (await session.scalars(newest_first.with_for_update())).all()


def reach_of(project: str | None, scope: Scope | None = None) -> Scope:
    """The scope of a memory, as it was asked for or as its project suggests."""
    if scope is Scope.PROJECT and project is None:
        raise InvalidInput("scope='project' needs a project. Name it, or use scope='personal'.")
    return scope or (Scope.PERSONAL if project is None else Scope.PROJECT)


async def _new_ids(session: AsyncSession, session_id: str | None, count: int) -> Sequence[str]:
    """FR-100: `mem_{session}_{index}`, where the index runs on; without a session a fresh id."""
    if session_id is None:
        return [new_id("mem_") for _ in range(count)]
    indexes = await _reserve_indexes(session, session_id, count)
    return [f"mem_{session_id}_{index}" for index in indexes]


async def _reserve_indexes(session: AsyncSession, session_id: str, count: int) -> range:
    """The next `count` indexes of a session: one statement, so no two callers share any."""
    dialect = session.get_bind().dialect.name
    into = postgresql.insert if dialect == "postgresql" else sqlite.insert
    raised = (
        into(MemoryCounter)
        .values(session_id=session_id, next_index=count)
        .on_conflict_do_update(
            index_elements=[MemoryCounter.session_id],
            set_={"next_index": MemoryCounter.next_index + count},
        )
        .returning(MemoryCounter.next_index)
    )
    end = (await session.execute(raised)).scalar_one()
    return range(end - count, end)


async def find(
    session: AsyncSession, id: str, user_id: str, *, for_update: bool = False
) -> Memory | None:
    statement = select(Memory).where(Memory.id == id, Memory.user_id == user_id)
    if for_update:
        statement = statement.with_for_update()
    return (await session.execute(statement)).scalar_one_or_none()


async def visible(
    session: AsyncSession, ids: Collection[str], user_id: str
) -> dict[str, MemoryItem]:
    """Those of `ids` that this user may see: their own and everybody's, without the forgotten."""
    mine = or_(MemoryItem.user_id == user_id, MemoryItem.user_id.is_(None))
    return await living(session, ids, mine)


async def living(
    session: AsyncSession, ids: Collection[str], *conditions: ColumnElement[bool]
) -> dict[str, MemoryItem]:
    """Those of `ids` that are not forgotten."""
    statement = select(MemoryItem).where(
        MemoryItem.id.in_(ids), MemoryItem.forgotten_at.is_(None), *conditions
    )
    return {row.id: row for row in (await session.scalars(statement)).all()}


async def page(
    session: AsyncSession, user_id: str, wanted: MemoryFilter, *, after: Memory | None, limit: int
) -> Sequence[Memory]:
    """Newest first, from the one after `after`."""
    statement = select(Memory).where(Memory.user_id == user_id, *_conditions(wanted))
    if after is not None:
        before = tuple_(Memory.created_at, Memory.id) < (after.created_at, after.id)
        statement = statement.where(before)
    newest_first = statement.order_by(Memory.created_at.desc(), Memory.id.desc())
    return (await session.scalars(newest_first.limit(limit))).all()


def _conditions(wanted: MemoryFilter) -> Iterator[ColumnElement[bool]]:
    forgotten = Memory.forgotten_at.is_not(None)
    yield forgotten if wanted.forgotten else ~forgotten
    if wanted.project is not None:
        yield projects.condition(Memory.project, wanted.project)
    if wanted.scope is not None:
        yield Memory.scope == wanted.scope
    if wanted.session_id is not None:
        yield Memory.session_id == wanted.session_id
    if wanted.query:
        yield Memory.content.icontains(wanted.query, autoescape=True)
    if wanted.importance is not None:
        yield Memory.importance == wanted.importance
    if wanted.tag:
        # A list is kept as JSON: within quotes a tag is found whole.
        yield cast(Memory.tags, String).contains(dump_json(wanted.tag), autoescape=True)
    if wanted.room is not None:
        yield Memory.session_id.in_(select(Session.id).where(Session.kind == wanted.room))


async def count(session: AsyncSession, user_id: str, *, forgotten: bool) -> int:
    conditions = _conditions(MemoryFilter(forgotten=forgotten))
    statement = select(func.count()).where(Memory.user_id == user_id, *conditions)
    return await session.scalar(statement) or 0


async def count_by_project(session: AsyncSession, user_id: str) -> Sequence[tuple[str, int]]:
    """Those that have a project, the largest first."""
    number = func.count()
    statement = (
        select(Memory.project, number)
        .where(Memory.user_id == user_id, Memory.forgotten_at.is_(None))
        .where(Memory.project.is_not(None))
        .group_by(Memory.project)
        .order_by(number.desc(), Memory.project)
    )
    return [(project or "", found) for project, found in (await session.execute(statement)).all()]


async def count_by_session(
    session: AsyncSession, user_id: str, limit: int
) -> Sequence[tuple[str, Session | None, int]]:
    """By the id that they were given, with the session if there is one; the newest first."""
    statement = (
        select(Memory.session_id, func.count())
        .where(Memory.user_id == user_id, Memory.forgotten_at.is_(None))
        .where(Memory.session_id.is_not(None))
        .group_by(Memory.session_id)
        .order_by(func.max(Memory.created_at).desc(), Memory.session_id)
        .limit(limit)
    )
    counts = {name: found for name, found in (await session.execute(statement)).all() if name}
    mine = select(Session).where(Session.id.in_(counts), Session.user_id == user_id)
    known = {row.id: row for row in (await session.scalars(mine)).all()}
    return [(name, known.get(name), found) for name, found in counts.items()]


async def unindexed(session: AsyncSession, limit: int) -> Sequence[MemoryItem]:
    """Rows that the index does not reflect yet."""
    statement = select(MemoryItem).where(UNINDEXED).order_by(MemoryItem.id).limit(limit)
    return (await session.scalars(statement)).all()


async def mark_indexed(session: AsyncSession, versions: Mapping[str, int]) -> set[str]:
    """Note which versions the index has now; returns the ids that are gone meanwhile.

    Of those that moved on meanwhile, a newer vector may have been overwritten by ours: they count
    as not indexed at all, and are done again.
    """
    # Servers that settle the same rows must lock them in the same order.
    rows = select(MemoryItem.id).where(MemoryItem.id.in_(versions)).order_by(MemoryItem.id)
    await session.execute(rows.with_for_update())
    unmoved = tuple_(MemoryItem.id, MemoryItem.version).in_(list(versions.items()))
    settle = update(MemoryItem).where(unmoved).values(indexed_version=MemoryItem.version)
    settled = set((await session.scalars(settle.returning(MemoryItem.id))).all())
    if len(settled) == len(versions):
        return set()
    moved = versions.keys() - settled
    unsettle = update(MemoryItem).where(MemoryItem.id.in_(moved)).values(indexed_version=0)
    return moved - set((await session.scalars(unsettle.returning(MemoryItem.id))).all())


async def mark_all_unindexed(session: AsyncSession) -> None:
    """Every vector is made again."""
    await session.execute(update(MemoryItem).values(indexed_version=0))


async def count_indexed(session: AsyncSession) -> int:
    """How many items the index should have."""
    statement = select(func.count()).where(
        MemoryItem.forgotten_at.is_(None),
        MemoryItem.scope != Scope.TASK,
        MemoryItem.version == MemoryItem.indexed_version,
    )
    return await session.scalar(statement) or 0


async def count_uses(session: AsyncSession, uses: Mapping[str, int], at: datetime) -> None:
    for memory_id, times in sorted(uses.items()):
        counted = {"use_count": MemoryItem.use_count + times, "last_used_at": at}
        statement = update(MemoryItem).where(MemoryItem.id == memory_id)
        await session.execute(statement.values(**counted))


async def purge(
    session: AsyncSession, *, id: str | None = None, forgotten_before: datetime | None = None
) -> Sequence[str]:
    """Delete forgotten rows for good, save those of which a vector may be left."""
    statement = delete(Memory).where(
        Memory.forgotten_at.is_not(None), Memory.version == Memory.indexed_version
    )
    if id is not None:
        statement = statement.where(Memory.id == id)
    if forgotten_before is not None:
        statement = statement.where(Memory.forgotten_at < forgotten_before)
    return (await session.scalars(statement.returning(Memory.id))).all()
