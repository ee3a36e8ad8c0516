"""Runs whose processes are killed: nothing that finished happens twice, and all of it goes on."""

import asyncio
import os
import signal
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bottega.core.db.database import Database
from bottega.core.events import EventBus
from bottega.core.runs import Runs, RunStatus, worker
from bottega.core.runs.history import Draft, RunHistory
from tests.processes import warm

from .journey import QUEUES, Journey, Report, Trip

HOME = Path(__file__).parents[3]
PATIENCE = 90


class Process:
    """One `journey.py`, and what it says."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        #: As it says itself: what was started only stands for it.
        self.pid = 0

    async def says(self, line: str) -> None:
        """Return when it says so; its errors are shown if it ends before."""
        assert self._process.stdout is not None
        async with asyncio.timeout(PATIENCE):
            while said := await self._process.stdout.readline():
                words = said.decode().strip()
                if words.startswith("process "):
                    self.pid = int(words.removeprefix("process "))
                if words == line:
                    return
        assert self._process.stderr is not None
        pytest.fail(
            f"ended without saying {line!r}: {(await self._process.stderr.read()).decode()}"
        )

    async def logs(self, event: str) -> None:
        """Return when its log tells of this."""
        assert self._process.stdout is not None
        async with asyncio.timeout(PATIENCE):
            while event not in (await self._process.stdout.readline()).decode():
                assert not self._process.stdout.at_eof()

    async def kill(self) -> None:
        if self._process.returncode is None:
            self._process.send_signal(signal.SIGKILL)
        await self._process.communicate()


class Workshop:
    """Starts processes on one database, and reads what their runs leave behind."""

    def __init__(self, database_url: str, system_database_url: str, directory: Path) -> None:
        self._arguments = (database_url, system_database_url, str(directory))
        self._directory = directory
        self._processes: list[Process] = []

    async def process(self, *, start: str = "") -> Process:
        process = Process(
            await asyncio.create_subprocess_exec(
                *(*warm(), "-m", "tests.core.runs.journey"),
                *self._arguments,
                cwd=HOME,
                env=os.environ | {"START": start},
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
        )
        self._processes.append(process)
        return process

    def hold(self, place: str) -> Path:
        file = self._directory / f"hold-{place}"
        file.touch()
        return file

    def journal(self) -> list[tuple[int, str]]:
        """Who did what: process id and line."""
        lines = (self._directory / "journal").read_text().splitlines()
        return [(int(pid), line) for pid, _, line in (line.partition(" ") for line in lines)]

    async def close(self) -> None:
        for process in self._processes:
            await process.kill()


@pytest.fixture
async def workshop(
    database_url: str, system_database_url: str, tmp_path: Path
) -> AsyncIterator[Workshop]:
    workshop = Workshop(database_url, system_database_url, tmp_path)
    yield workshop
    await workshop.close()


@asynccontextmanager
async def onlooker(database: Database, url: str, directory: Path) -> AsyncIterator[Runs]:
    """Runs that are read and answered from here, but executed elsewhere."""
    bus = EventBus(database)
    await bus.start()
    runs = Runs(database, bus, system_database_url=url, queues=QUEUES, works_on=())
    runs.register("travel", Journey(directory).travel)
    yield runs
    await runs.stop()
    await bus.stop()


async def test_a_run_killed_at_every_turn_finishes_with_each_step_done_once(
    workshop: Workshop, database: Database, system_database_url: str, tmp_path: Path
) -> None:
    """kill -9 in a step, between steps, in a pause, after the reply, and before the end."""
    places = ["in-first", "between", "in-second", "pause", "in-third", "end"]
    held = {place: workshop.hold(place) for place in places if place != "pause"}
    async with onlooker(database, system_database_url, tmp_path) as runs:
        for number, place in enumerate(places):
            process = await workshop.process(start="run_1" if number == 0 else "")
            if place == "pause":
                await process.says("run.recovered")
                paused = await runs.wait("run_1")
                assert paused.status is RunStatus.PAUSED
                await process.kill()
                # Nobody works on it now; the reply is kept all the same.
                await runs.reply("run_1", "left")
            else:
                await process.says(f"holds {place}")
                await process.kill()
                held[place].unlink()
        await workshop.process()
        async with asyncio.timeout(PATIENCE):
            result = await runs.result("run_1")
        assert result == Report(steps=["first", "second", "left", "third"])

        done = Counter(line for _, line in workshop.journal())
        assert done == {
            "run_1 first begins": 2,
            "run_1 first ends": 1,
            "run_1 second begins": 2,
            "run_1 second ends": 1,
            "run_1 third begins": 2,
            "run_1 third ends": 1,
        }
        events = await runs.events("run_1")
        assert [event.position for event in events] == list(range(1, len(events) + 1))
        types = [event.type for event in events if event.type != "recovered"]
        assert types == [
            "queued",
            "started",
            "departed",
            "leg.began",
            "halfway",
            "leg.began",
            "paused",
            "replied",
            "leg.began",
            "arrived",
            "completed",
        ]
        assert len(events) - len(types) == len(places)


async def test_a_run_whose_process_is_killed_at_its_start_is_not_given_up(
    workshop: Workshop,
    database: Database,
    system_database_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It was there nine times when the process ended. It waits before the tenth, so that a
    process which is killed as it starts is not held against it; and then goes on."""
    held = workshop.hold("in-first")
    async with onlooker(database, system_database_url, tmp_path) as runs:
        process = await workshop.process(start="run_1")
        await process.says("holds in-first")
        await process.kill()
        for number in range(9):
            draft = Draft(f"recovered {number}", "recovered")
            await RunHistory(database, EventBus(database)).record("run_1", draft)
        for _ in range(3):
            process = await workshop.process()
            await process.logs("run.waits")
            await process.kill()
        run = await runs.get("run_1")
        assert (run.status, run.recoveries) == (RunStatus.RUNNING, 9)

        held.unlink()
        monkeypatch.setattr(worker, "LONGEST_PAUSE", 0.0)
        await runs.launch()
        async with asyncio.timeout(PATIENCE):
            assert (await runs.wait("run_1")).status is RunStatus.PAUSED


on_postgresql = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)


@on_postgresql
async def test_the_runs_of_a_dead_process_go_on_in_a_living_one(
    workshop: Workshop, database: Database, system_database_url: str, tmp_path: Path
) -> None:
    held = workshop.hold("in-second")
    doomed, heir = await asyncio.gather(workshop.process(start="run_1"), workshop.process())
    await heir.says("at work")
    await doomed.says("holds in-second")
    async with onlooker(database, system_database_url, tmp_path) as runs:
        await doomed.kill()
        held.unlink()
        await heir.says("run.paused")
        await runs.reply("run_1", "right")
        async with asyncio.timeout(PATIENCE):
            assert (await runs.result("run_1")).steps == ["first", "second", "right", "third"]
    assert [(pid, line.removeprefix("run_1 ")) for pid, line in workshop.journal()] == [
        (doomed.pid, "first begins"),
        (doomed.pid, "first ends"),
        (doomed.pid, "second begins"),
        (heir.pid, "second begins"),
        (heir.pid, "second ends"),
        (heir.pid, "third begins"),
        (heir.pid, "third ends"),
    ]


@on_postgresql
async def test_workers_share_a_queue_and_each_run_is_done_once(
    workshop: Workshop, database: Database, system_database_url: str, tmp_path: Path
) -> None:
    held = workshop.hold("in-first")
    async with onlooker(database, system_database_url, tmp_path) as runs:
        started = [
            await runs.start("travel", Trip(goal="near"), run_id=f"run_{number}", queue="travel")
            for number in range(4)
        ]
        assert {run.status for run in await runs.list()} == {RunStatus.QUEUED}
        workers = await asyncio.gather(workshop.process(), workshop.process())
        # Each has one run in hand, which is all that the queue's limit lets it take.
        await asyncio.gather(*(worker.says("holds in-first") for worker in workers))
        assert len(workshop.journal()) == 2
        held.unlink()
        async with asyncio.timeout(PATIENCE):
            for run_id in started:
                assert (await runs.result(run_id)).steps[0] == "first"
    journal = workshop.journal()
    assert {pid for pid, _ in journal} == {worker.pid for worker in workers}
    assert set(Counter(line for _, line in journal).values()) == {1}
    for run_id in started:
        assert len({pid for pid, line in journal if line.startswith(run_id)}) == 1
