"""Queries on reports, failures, and the changes that are to fix them."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Update, delete, func, insert, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased, defer

from bottega.board.changes import repository as changes
from bottega.board.changes.states import ChangeStatus
from bottega.board.changes.tables import AppliedSpec, Change
from bottega.board.failures.reports.report import BoardOutcome
from bottega.board.failures.tables import ErrorTriage, Report, TestFailure, TestRun
from bottega.errors import NotFound

#: Rows a statement: others are served between two of them.
CHUNK = 500
#: How far back the history of a test goes.
RUNS_REMEMBERED = 50

Item = TypeVar("Item")

_WITHOUT_TEXTS = (
    defer(TestFailure.error_message, raiseload=True),
    defer(TestFailure.stack_trace, raiseload=True),
)


class KnownFailure(NamedTuple):
    id: str
    test_id: str
    test_name: str
    fingerprint: str


def chunks(items: Sequence[Item], size: int = CHUNK) -> Iterator[Sequence[Item]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


async def add_runs(session: AsyncSession, runs: Iterable[Mapping[str, Any]]) -> None:
    for some in chunks(list(runs)):
        await session.execute(insert(TestRun), [dict(run) for run in some])


async def by_fingerprint(
    session: AsyncSession, project_id: str, fingerprints: Collection[str]
) -> dict[str, TestFailure]:
    """The known failures, locked and without their texts."""
    query = select(TestFailure).filter_by(project_id=project_id).options(*_WITHOUT_TEXTS)
    known = query.where(TestFailure.fingerprint.in_(fingerprints)).with_for_update()
    rows = await session.scalars(known)
    return {row.fingerprint: row for row in rows}


async def triages(session: AsyncSession, failures: Collection[str]) -> dict[str, ErrorTriage]:
    """By the id of their failure, locked."""
    query = select(ErrorTriage).where(ErrorTriage.test_failure_id.in_(failures))
    return {row.test_failure_id: row for row in await session.scalars(query.with_for_update())}


async def last_outcomes(
    session: AsyncSession, project_id: str, tests: Collection[str]
) -> dict[str, list[BoardOutcome]]:
    """Of tests that have failed: their latest runs, newest last, without the skipped."""
    failed = (
        select(TestFailure.test_id)
        .where(TestFailure.project_id == project_id, TestFailure.test_id.in_(tests))
        .distinct()
        .subquery()
    )
    earlier = aliased(TestRun)
    # By place in the index, so that a test that ran ten thousand times is not read whole.
    oldest = (
        select(earlier.number)
        .where(
            earlier.project_id == project_id,
            earlier.test_id == failed.c.test_id,
            earlier.outcome != BoardOutcome.SKIPPED,
        )
        .order_by(earlier.number.desc())
        .offset(RUNS_REMEMBERED - 1)
        .limit(1)
        .correlate(failed)
        .scalar_subquery()
    )
    wanted = (
        select(TestRun.test_id, TestRun.outcome)
        .join(failed, TestRun.test_id == failed.c.test_id)
        .where(
            TestRun.project_id == project_id,
            TestRun.outcome != BoardOutcome.SKIPPED,
            TestRun.number >= func.coalesce(oldest, 0),
        )
        .order_by(TestRun.number)
    )
    found: dict[str, list[BoardOutcome]] = {}
    for test_id, outcome in await session.execute(wanted):
        found.setdefault(test_id, []).append(BoardOutcome(outcome))
    return found


async def failing(session: AsyncSession, project_id: str) -> list[KnownFailure]:
    query = select(
        TestFailure.id, TestFailure.test_id, TestFailure.test_name, TestFailure.fingerprint
    ).where(TestFailure.project_id == project_id, TestFailure.is_failing)
    return [KnownFailure(*row) for row in await session.execute(query)]


async def turn_green(session: AsyncSession, ids: Sequence[str], now: datetime) -> None:
    for some in chunks(ids):
        await session.execute(
            update(TestFailure)
            .where(TestFailure.id.in_(some))
            .values(is_failing=False, passed_at=now, consecutive_failures=0)
        )


async def changes_for(
    session: AsyncSession, project_id: str, fingerprints: Sequence[str]
) -> dict[str, list[Change]]:
    """The changes made for each of these failures, newest first, without their texts."""
    found: dict[str, list[Change]] = {}
    for some in chunks(fingerprints):
        query = (
            select(Change)
            .options(*changes.WITHOUT_TEXTS)
            .where(Change.project_id == project_id, Change.fingerprint.in_(some))
            .order_by(Change.created_at.desc(), Change.id.desc())
        )
        for change in await session.scalars(query):
            found.setdefault(str(change.fingerprint), []).append(change)
    return found


async def awaiting_proof(
    session: AsyncSession, project_id: str
) -> list[tuple[Change, KnownFailure]]:
    """Changes whose work is done, each with the failure whose test has to be green now."""
    columns = TestFailure.id, TestFailure.test_id, TestFailure.test_name, TestFailure.fingerprint
    same = (Change.project_id == TestFailure.project_id) & (
        Change.fingerprint == TestFailure.fingerprint
    )
    query = (
        select(Change, *columns)
        .join(TestFailure, same)
        .options(*changes.WITHOUT_TEXTS)
        .where(
            Change.project_id == project_id,
            Change.status.in_((ChangeStatus.REVIEW, ChangeStatus.APPLIED)),
        )
    )
    return [(row[0], KnownFailure(*row[1:])) for row in await session.execute(query)]


async def forget_applied(session: AsyncSession, change: Change) -> None:
    """The specs that the change was applied to no longer count as applied."""
    await session.execute(
        delete(AppliedSpec).filter_by(project_id=change.project_id, change_id=change.id)
    )


async def get(session: AsyncSession, failure_id: str) -> tuple[TestFailure, ErrorTriage]:
    """A failure with all its texts, and what was decided about it."""
    query = (
        select(TestFailure, ErrorTriage)
        .join(ErrorTriage, ErrorTriage.test_failure_id == TestFailure.id)
        .where(TestFailure.id == failure_id)
    )
    row = (await session.execute(query)).one_or_none()
    if row is None:
        raise NotFound(
            f"There is no failure {failure_id[:80]!r}. List the failures to see their ids."
        )
    return row[0], row[1]


async def hold(session: AsyncSession, failure_id: str) -> tuple[TestFailure, ErrorTriage]:
    """The same, locked until the transaction ends."""
    failure, _ = await get(session, failure_id)
    await session.refresh(failure, with_for_update=True)
    triage = await session.scalars(
        select(ErrorTriage)
        .filter_by(test_failure_id=failure_id)
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    return failure, triage.one()


async def runs(
    session: AsyncSession, project_id: str, test_id: str, limit: int = RUNS_REMEMBERED
) -> Sequence[tuple[TestRun, datetime]]:
    """A test's latest runs with the moment each was reported, newest first."""
    query = (
        select(TestRun, Report.created_at)
        .join(Report, Report.id == TestRun.report_id)
        .where(TestRun.project_id == project_id, TestRun.test_id == test_id)
        .order_by(TestRun.number.desc())
        .limit(limit)
    )
    return [(run, moment) for run, moment in await session.execute(query)]


async def reports(
    session: AsyncSession, project_id: str | None, limit: int, offset: int
) -> tuple[Sequence[Report], int]:
    """Newest first, and how many there are."""
    query = select(Report)
    if project_id is not None:
        query = query.where(Report.project_id == project_id)
    total = await session.scalar(select(func.count()).select_from(query.subquery()))
    newest = query.order_by(Report.created_at.desc(), Report.id.desc())
    return (await session.scalars(newest.limit(limit).offset(offset))).all(), total or 0


async def source_of(session: AsyncSession, report_id: str | None) -> str | None:
    return await session.scalar(select(Report.source).where(Report.id == report_id))


def follow_rename(change: Change, new_id: str) -> Iterator[Update]:
    """What was decided on a failure names the renamed change."""
    own = select(TestFailure.id).where(TestFailure.project_id == change.project_id)
    yield (
        update(ErrorTriage)
        .where(ErrorTriage.change_id == change.id, ErrorTriage.test_failure_id.in_(own))
        .values(change_id=new_id)
    )
