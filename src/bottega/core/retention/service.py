"""Says what is kept, how much there is and how it grows; and prunes what is too old.

Old rows are looked for in a read and deleted by their keys in small transactions, so that writers
wait for milliseconds. Of several servers on one PostgreSQL one prunes at a time: each of its
transactions holds an advisory lock, and who does not get it leaves the work to who has it.

A clock that is ahead would make everything old. When it seems to have jumped the daily pruning is
left out once, so that somebody has a day to set it right.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog
from sqlalchemy import delete, func, select, text, tuple_

from bottega.core import clock
from bottega.core.background import PeriodicTask
from bottega.core.db.advisory_locks import AdvisoryLock
from bottega.core.db.database import Database
from bottega.core.events.log import EventRow
from bottega.core.retention.logs import Keep, Log
from bottega.core.retention.run_steps import RunSteps
from bottega.core.retention.sizes import OTHERS, TableSize, measure

log = structlog.get_logger()

#: Rows (of runs' events: runs) in one transaction.
BATCH = 200
FIRST_SECONDS, DAY_SECONDS = 600.0, 86_400.0
YEAR = 365
#: However little room there is, the last day is kept.
SHORTEST = timedelta(days=1)
#: What nobody reads once a run has ended; the day is for looking into what went wrong.
STEPS, STEPS_KEPT = "run steps (DBOS)", timedelta(days=1)
#: Beyond these a clock is not believed at once: what it jumped, and what nothing happened before a
#: start.
JUMP, GAP = timedelta(hours=1), timedelta(days=7)


@dataclass(frozen=True, slots=True)
class TableGrowth:
    table: str
    rows: int
    #: With its indexes and its words for search.
    bytes: int
    #: None: it is kept for ever.
    kept_days: int | None
    #: What of it stays for ever all the same.
    spares: str
    #: As in the last seven days.
    bytes_per_day: int
    bytes_in_a_year: int
    #: If nothing were pruned.
    bytes_in_a_year_unpruned: int


@dataclass(frozen=True, slots=True)
class RetentionReport:
    #: The largest first; empty ones are left out.
    tables: Sequence[TableGrowth]
    bytes: int
    bytes_per_day: int
    bytes_in_a_year: int
    bytes_in_a_year_unpruned: int
    keep: Keep


@dataclass(frozen=True, slots=True)
class PrunedLog:
    table: str
    #: Of the steps: runs.
    rows: int
    #: As far as can be told from the size of the whole.
    bytes: int
    #: What was written before went; none if nothing of it is ever pruned.
    before: datetime | None


class Retention:
    def __init__(
        self,
        database: Database,
        run_steps_url: str,
        logs: Sequence[Log],
        keep: Keep,
        *,
        now: Callable[[], datetime] = clock.now,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.keep = keep
        self._database = database
        self._steps = RunSteps(run_steps_url)
        self._logs = logs
        self._daily = PeriodicTask(
            "retention", self.prune_daily, interval=DAY_SECONDS, first=FIRST_SECONDS
        )
        self._now = now
        self._jumps = clock.JumpDetector(now, monotonic)
        #: Whether what happened last before the start was long ago.
        self._is_doubtful = False
        self._was_left_out = False

    async def start(self) -> None:
        newest = select(EventRow.created_at).order_by(EventRow.seq.desc()).limit(1)
        async with self._database.read() as session:
            last = await session.scalar(newest)
        self._is_doubtful = last is not None and self._now() - last > GAP
        self._daily.start()

    async def stop(self) -> None:
        await self._daily.stop()

    async def report(self, now: datetime | None = None) -> RetentionReport:
        now = now or clock.now()
        sizes = await measure(self._database, now)
        prunable = await self._prunable(sizes, now)
        # Of two logs in one table the first says how long it is kept.
        logs = {log.name: log for log in reversed(self._logs)}
        tables = [
            self._growth(name, size, logs.get(name), prunable.get(name, 0))
            for name, size in sizes.items()
            if size.rows or name == OTHERS
        ]
        tables.append(await self._growth_of_steps(sizes))
        tables.sort(key=lambda table: -table.bytes)
        return RetentionReport(
            tables,
            sum(table.bytes for table in tables),
            sum(table.bytes_per_day for table in tables),
            self._capped(tables, logs),
            sum(table.bytes_in_a_year_unpruned for table in tables),
            self.keep,
        )

    async def prune_daily(self) -> list[PrunedLog]:
        """The same, unless the clock seems to have jumped ahead; what is left out once is not left
        out again."""
        jump = self._jumps.seconds()
        is_doubtful = self._is_doubtful or jump > JUMP.total_seconds()
        self._is_doubtful = False
        self._was_left_out = is_doubtful and not self._was_left_out
        if self._was_left_out:
            log.warning("retention.left_out", why="the clock jumped, or nothing happened for long")
            return []
        return await self.prune(now=self._now())

    async def prune(self, *, dry_run: bool = False, now: datetime | None = None) -> list[PrunedLog]:
        """Delete what is too old, or only say what that would be."""
        now = now or clock.now()
        sizes = await measure(self._database, now)
        share = self._share(sizes, await self._prunable(sizes, now))
        pruned = [
            await self._prune(log, sizes[log.name], now, share, dry_run=dry_run)
            for log in self._logs
        ]
        pruned.append(await self._prune_steps(now, dry_run=dry_run))
        if not dry_run:
            gone = {each.table: each.rows for each in pruned if each.rows}
            if gone:
                await self._database.compact()
            log.info("retention.pruned", rows=gone)
        return pruned

    async def _prunable(self, sizes: Mapping[str, TableSize], now: datetime) -> dict[str, int]:
        """Rows of each log that may go some day: neither spared nor unfinished."""
        found: dict[str, int] = {}
        for log in self._logs:
            if log.name in sizes:
                found[log.name] = found.get(log.name, 0) + await self._count(log, now + SHORTEST)
        return found

    async def _count(self, log: Log, before: datetime) -> int:
        query = select(func.count()).select_from(log.table).where(log.is_old(before))
        async with self._database.read() as session:
            return await session.scalar(query) or 0

    def _share(self, sizes: Mapping[str, TableSize], prunable: Mapping[str, int]) -> float:
        """How much of the logs there is room for, at most all."""
        there = sum(rows * sizes[name].bytes_per_row for name, rows in prunable.items())
        room = self.keep.megabytes * 1_000_000
        return room / there if room and there > room else 1.0

    async def _prune(
        self, log: Log, size: TableSize, now: datetime, share: float, *, dry_run: bool
    ) -> PrunedLog:
        before = await self._cutoff(log, now, share)
        if before is None:
            return PrunedLog(log.name, 0, 0, None)
        rows = await self._count(log, before)
        if rows and not dry_run:
            await self._delete(log, before)
        return PrunedLog(log.name, rows, int(rows * size.bytes_per_row), before)

    async def _cutoff(self, log: Log, now: datetime, share: float) -> datetime | None:
        """What was written before goes: by its age, and sooner where there is too much of it."""
        age = self.keep.age(log.keep)
        if share < 1:
            time = log.table.c[log.time]
            query = select(func.min(time, type_=time.type)).where(log.is_old(now))
            async with self._database.read() as session:
                first = await session.scalar(query)
            if first is not None:
                fits = max((now - first) * share, SHORTEST)
                age = fits if age is None else min(age, fits)
        return None if age is None else now - age

    async def _delete(self, log: Log, before: datetime) -> None:
        columns = [log.table.c[name] for name in log.key]
        key = columns[0] if len(columns) == 1 else tuple_(*columns)
        async for keys in self._old_keys(log, before):
            async with self._database.write(durable=False) as session:
                if not await self._has_lease(session):
                    return
                await session.execute(
                    delete(log.table).where(key.in_(keys), log.is_old(before)),
                )
            await asyncio.sleep(0)

    async def _old_keys(self, log: Log, before: datetime) -> AsyncIterator[list[Any]]:
        """Page by page, each read when the one before is deleted."""
        order = log.table.c[log.order]
        query = (
            select(order, *(log.table.c[name] for name in log.key))
            .where(log.is_old(before))
            .distinct()
            .order_by(order)
            .limit(BATCH)
        )
        page: Sequence[Any] = ()
        while not page or len(page) == BATCH:
            later = query.where(order >= page[-1][0]) if page else query
            async with self._database.read() as session:
                page = (await session.execute(later)).all()
            if not page:
                return
            yield [row[1] if len(log.key) == 1 else tuple(row[1:]) for row in page]

    async def _has_lease(self, session: Any) -> bool:
        if self._database.dialect == "sqlite":
            return True
        lock = text("SELECT pg_try_advisory_xact_lock(:key)")
        return bool(await session.scalar(lock, {"key": AdvisoryLock.PRUNING}))

    async def _prune_steps(self, now: datetime, *, dry_run: bool) -> PrunedLog:
        before = now - STEPS_KEPT
        if not self.keep.runs:
            return PrunedLog(STEPS, 0, 0, None)
        runs, size = await self._steps.size()
        old = await self._steps.old(before)
        if old and not dry_run:
            old = await self._steps.prune(before)
        return PrunedLog(STEPS, old, size * old // runs if runs else 0, before)

    def _growth(self, name: str, size: TableSize, log: Log | None, prunable: int) -> TableGrowth:
        days = getattr(self.keep, log.keep) or None if log else None
        unpruned = size.bytes + size.bytes_per_day * YEAR
        share = prunable / size.rows if days else 0.0
        pruned = unpruned * (1 - share) + size.bytes_per_day * share * min(days or 0, YEAR)
        return TableGrowth(
            table=name,
            rows=size.rows,
            bytes=size.bytes,
            kept_days=days,
            spares=log.spares if log and days else "",
            bytes_per_day=int(size.bytes_per_day),
            bytes_in_a_year=int(pruned),
            bytes_in_a_year_unpruned=int(unpruned),
        )

    async def _growth_of_steps(self, sizes: Mapping[str, TableSize]) -> TableGrowth:
        rows, size = await self._steps.size()
        of_runs = sizes.get("runs")
        recent = of_runs.recent_rows / of_runs.recent_days if of_runs else 0.0
        per_day = recent * size / rows if rows else 0.0
        days = STEPS_KEPT.days if self.keep.runs else None
        unpruned = int(size + per_day * YEAR)
        pruned = int(per_day * days) if days else unpruned
        return TableGrowth(STEPS, rows, size, days, "", int(per_day), pruned, unpruned)

    def _capped(self, tables: Sequence[TableGrowth], logs: Mapping[str, Log]) -> int:
        """The sum in a year: of the logs no more than there is room for."""
        room = self.keep.megabytes * 1_000_000
        of_logs = sum(table.bytes_in_a_year for table in tables if table.table in logs)
        others = sum(table.bytes_in_a_year for table in tables if table.table not in logs)
        return others + (min(of_logs, room) if room else of_logs)
