"""500 changes on disk: how soon a saved file is an event, and how long the list takes.

Files are saved as editors do it (written beside, then renamed); every other change is in the queue.
The list is asked for over HTTP, in this process, with the garbage collector set as the server sets
it when it opens: as Python has it, a full collection falls into one list of thirteen and takes a
tenth of a second. What a look at an unchanged project costs is shown too: it is what runs every 30
seconds.
"""

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from fastapi import FastAPI
from rich.console import Console
from rich.table import Table

from bottega.app import build_core
from bottega.board.changes import operations
from bottega.board.changes import repository as repository
from bottega.board.changes.lifecycle import move
from bottega.board.changes.service import Changes
from bottega.board.changes.states import Actor, ChangeStatus
from bottega.board.changes.sync import Sync, SyncedProject
from bottega.board.projects.service import Projects
from bottega.core.events import Event
from bottega.core.operations import Bound, operations_of
from bottega.core.services import Core
from bottega.server.process import tune_garbage_collector
from bottega.server.rest import operation_router
from bottega.settings import Settings

CHANGES = 500
SAVES = 100
CALLS = 200
EVENT_MS, LIST_MS = 300.0, 100.0


@dataclass(frozen=True)
class Bench:
    core: Core
    sync: Sync
    changes: Changes
    project_id: str
    synced: SyncedProject
    folder: Path


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        write_changes(root / "projects/bakery/openspec/changes")
        async with opened(root) as bench:
            await queue_half(bench)
            table = Table("what", "median", "p95", "target", "")
            add_row(table, "file change to event", await measure_saves(bench), EVENT_MS)
            add_row(table, f"list of {CHANGES}, over HTTP", await measure_list(bench), LIST_MS)
            await bench.synced.sync()
            look = await timed(lambda: bench.synced.sync(), 10)
            add_row(table, "look, nothing changed", look)
            Console().print(table)


def write_changes(folder: Path) -> None:
    for number in range(CHANGES):
        change = folder / f"change-{number:03}"
        (change / "specs/orders").mkdir(parents=True)
        why = f"Reason {number} is that somebody asked for it. " * 40
        (change / "proposal.md").write_text(f"# Change {number}\n\n## Why\n\n{why}\n")
        tasks = "".join(f"- [ ] 1.{n} Do step {n} of {number}\n" for n in range(1, 21))
        (change / "tasks.md").write_text(f"## 1. Work\n\n{tasks}")
        (change / "specs/orders/spec.md").write_text(
            f"## ADDED Requirements\n\n### Requirement: Rule {number}\n\nThe shop SHALL {why}\n\n"
            "#### Scenario: It happens\n\n- **WHEN** it is asked for\n- **THEN** it is done\n"
        )


@asynccontextmanager
async def opened(root: Path) -> AsyncIterator[Bench]:
    projects_dir = root / "projects"
    (root / "project").mkdir()
    core = build_core(
        Settings(
            data_dir=root / "data",
            project_dir=root / "project",
            projects_dir=projects_dir,
            bottega_model="offline",
            _env_file=None,
        )
    )
    projects = Projects(core)
    sync = Sync(core, projects)
    parts = (core.database, core.bus, projects, sync)
    for part in parts:
        await part.start()
    # The server does so when it is ready, which the first look need not be by then.
    tune_garbage_collector()
    began = time.perf_counter()
    await sync.settled()
    print(f"first look at {CHANGES} changes: {time.perf_counter() - began:.2f} s")
    (project,) = await projects.list()
    folder = Path(project.openspec_path) / "changes"
    yield Bench(core, sync, Changes(core, projects, sync), project.id, sync.of(project), folder)
    for part in reversed(parts):
        await part.stop()


async def queue_half(bench: Bench) -> None:
    async with bench.core.database.write() as session:
        for number in range(0, CHANGES, 2):
            row = await repository.hold(session, bench.project_id, f"change-{number:03}")
            await move(session, row, ChangeStatus.APPROVED, Actor.USER)


async def measure_saves(bench: Bench) -> list[float]:
    heard: asyncio.Queue[Event] = asyncio.Queue()
    stop = bench.core.bus.on("specs.changed", heard.put_nowait)
    delays = []
    for number in range(SAVES):
        file = bench.folder / f"change-{number:03}" / "tasks.md"
        beside = file.with_suffix(".new")
        text = file.read_text().replace("[ ] 1.1 ", "[x] 1.1 ")
        began = time.perf_counter()
        beside.write_text(text)
        os.replace(beside, file)
        event = await asyncio.wait_for(heard.get(), 10)
        delays.append((time.perf_counter() - began) * 1000)
        assert event.payload["change_id"] == file.parent.name
        await asyncio.sleep(0.05)  # nobody saves faster, and batches would flatter
    stop()
    return delays


async def measure_list(bench: Bench) -> list[float]:
    app = FastAPI()
    bound = [Bound(bench.changes, operations_of(operations))]
    app.include_router(operation_router(bound, "board"), prefix="/api")
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        (await client.get("/api/board/changes")).raise_for_status()
        return await timed(lambda: client.get("/api/board/changes"), CALLS)


async def timed(call: Callable[[], Awaitable[object]], times: int) -> list[float]:
    took = []
    for _ in range(times):
        began = time.perf_counter()
        await call()
        took.append((time.perf_counter() - began) * 1000)
    return took


def add_row(table: Table, name: str, took: list[float], target: float | None = None) -> None:
    p95 = statistics.quantiles(took, n=20)[18]
    row = [name, f"{statistics.median(took):.1f} ms", f"{p95:.1f} ms"]
    if target is not None:
        verdict = "[green]met[/green]" if p95 <= target else "[red]missed[/red]"
        row += [f"p95 ≤ {target:.0f} ms", verdict]
    table.add_row(*row)


if __name__ == "__main__":
    asyncio.run(main())
