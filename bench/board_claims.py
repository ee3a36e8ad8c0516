"""The board's queue at 10,000 work items: how long an agent waits for its next change.

Three cases on SQLite: one agent after another; a hundred at the same moment, each counted from that
moment; and one for whom the first five hundred overlap with work under way.

The beads tool publishes 29 ms for its ready list at this size. Its packages only fetch a binary
from elsewhere, so it is not measured here. The peer is what a claim cannot do without: the same
choice and its mark in one durable transaction of the bare driver, with no lease, overlap, history
or event.
"""

import asyncio
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bottega.app import build_core
from bottega.board.agents.sessions import AgentSessions
from bottega.board.changes.states import ChangeStatus
from bottega.board.changes.tables import Change
from bottega.board.projects.tables import Project
from bottega.board.queue.schemas import WorkResult
from bottega.board.queue.service import Queue
from bottega.core import clock
from bottega.core.services import Core
from bottega.core.users import LOCAL_USER
from bottega.settings import Settings

ITEMS = 10_000
CLAIMS = 200
#: Agents that hold a change while another claims.
AT_WORK = 20
CLAIMERS = 100
OVERLAPPING = 500
P95_TARGET_MS = 20.0

PEER = (
    "UPDATE changes SET status = 'assigned' WHERE rowid = (SELECT rowid FROM changes "
    "WHERE status = 'approved' ORDER BY priority DESC, approved_at LIMIT 1) RETURNING id"
)


@dataclass(frozen=True)
class Result:
    name: str
    latencies_ms: list[float]
    doubles: int = 0

    @property
    def p50(self) -> float:
        return statistics.median(self.latencies_ms)

    @property
    def p95(self) -> float:
        return statistics.quantiles(self.latencies_ms, n=100)[94]


class Board:
    def __init__(self, core: Core, project: Project) -> None:
        self._core = core
        self._sessions = AgentSessions(core)
        self._queue = Queue(core)
        self._project = project

    async def agents(self, number: int) -> list[str]:
        register = self._sessions.register
        return [(await register(LOCAL_USER, project_id=self._project.id)).id for _ in range(number)]

    async def claim(self, agent: str) -> str:
        claim = await self._queue.claim(agent, LOCAL_USER)
        assert claim.change is not None, claim.reason
        return claim.change.id

    async def one_after_another(self, name: str) -> Result:
        """Claims are minutes apart in life: each finds the log written and few others at work."""
        agents = await self.agents(CLAIMS)
        timed: list[tuple[str, float]] = []
        for number, agent in enumerate(agents):
            await self._core.bus.flush()
            timed.append(await timed_ms(partial(self.claim, agent)))
            if number >= AT_WORK:
                earlier = number - AT_WORK
                await self._complete(agents[earlier], timed[earlier][0])
        return result(name, timed)

    async def _complete(self, agent: str, change: str) -> None:
        await self._queue.complete(agent, LOCAL_USER, change, 1, WorkResult("Done."))

    async def at_once(self) -> Result:
        agents = await self.agents(CLAIMERS)
        timed = await asyncio.gather(*(timed_ms(partial(self.claim, agent)) for agent in agents))
        return result(f"{CLAIMERS} at once", timed)


async def timed_ms(work: Callable[[], Awaitable[str]]) -> tuple[str, float]:
    began = time.perf_counter()
    got = await work()
    return got, (time.perf_counter() - began) * 1_000


def result(name: str, timed: list[tuple[str, float]]) -> Result:
    doubles = len(timed) - len({got for got, _ in timed})
    return Result(name, [took for _, took in timed], doubles)


async def fill(core: Core, overlapping: int = 0) -> Project:
    """Waiting changes of five urgencies; the first ones in line touch what is under way."""
    project = Project(name="bakery", path="bakery", openspec_path="bakery/openspec")
    start = clock.now() - timedelta(days=30)
    text = "Totals of large orders are off by a cent. " * 50
    async with core.database.write() as session:
        session.add(project)
        await session.flush()
        session.add_all(
            Change(
                project_id=project.id,
                id=f"change-{number:05}",
                title=f"Change {number}",
                status=ChangeStatus.APPROVED,
                priority=5 if number < overlapping else number % 5 + 1,
                proposal_content=text,
                tasks_content="- [ ] 1.1 Round\n" * 10,
                touches=["orders/totals" if number < overlapping else f"orders/{number}"],
                approved_at=start + timedelta(minutes=number),
            )
            for number in range(ITEMS)
        )
        if overlapping:
            session.add(
                Change(
                    project_id=project.id,
                    id="under-way",
                    title="Under way",
                    status=ChangeStatus.IN_PROGRESS,
                    touches=["orders/totals"],
                )
            )
    return project


async def on_a_board(
    measure: Callable[[Board], Awaitable[list[Result]]], overlapping: int = 0
) -> list[Result]:
    with tempfile.TemporaryDirectory() as folder:
        core = build_core(Settings(data_dir=Path(folder), bottega_model="offline", _env_file=None))
        await core.database.start()
        await core.bus.start()
        try:
            return await measure(Board(core, await fill(core, overlapping)))
        finally:
            await core.bus.stop()
            await core.database.stop()


async def plain(board: Board) -> list[Result]:
    return [await board.one_after_another("one by one"), await board.at_once()]


async def overlapped(board: Board) -> list[Result]:
    return [await board.one_after_another(f"{OVERLAPPING} overlaps first")]


async def bare_driver() -> list[Result]:
    with tempfile.TemporaryDirectory() as folder:
        connection = sqlite3.connect(Path(folder) / "peer.db", isolation_level=None)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("CREATE TABLE changes (id, status, priority, approved_at, text)")
        connection.execute("CREATE INDEX queue ON changes (status, priority, approved_at)")
        rows = ((n, "approved", n % 5 + 1, n, "text " * 400) for n in range(ITEMS))
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO changes VALUES (?, ?, ?, ?, ?)", rows)
        connection.execute("COMMIT")

        async def claim() -> str:
            return str(connection.execute(PEER).fetchone()[0])

        timed = [await timed_ms(claim) for _ in range(CLAIMS)]
        connection.close()
    return [result("bare driver", timed)]


async def main() -> None:
    results = [
        *await on_a_board(plain),
        *await on_a_board(overlapped, OVERLAPPING),
        *await bare_driver(),
    ]
    table = Table(title=f"Claims from a queue of {ITEMS:,} changes, SQLite")
    for column in ("", "claims", "doubles", "p50 ms", "p95 ms", "max ms"):
        table.add_column(column, justify="right" if column else "left", no_wrap=True)
    for case in results:
        times = f"{case.p50:.1f}", f"{case.p95:.1f}", f"{max(case.latencies_ms):.1f}"
        table.add_row(case.name, str(len(case.latencies_ms)), str(case.doubles), *times)
    console = Console()
    console.print(table)
    ours, floor = results[0], results[-1]
    shared = sum(case.doubles for case in results)
    verdict = "holds" if ours.p95 <= P95_TARGET_MS and shared == 0 else "MISSED"
    console.print(
        f"p95 {ours.p95:.1f} ms, {ours.p50 / floor.p50:.1f} × the bare driver's at p50; "
        f"target ≤ {P95_TARGET_MS:.0f} ms {verdict}"
    )


if __name__ == "__main__":
    asyncio.run(main())
