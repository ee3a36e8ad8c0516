"""The storm itself: load, faults at random, calm, and the count."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from bench.chaos.checker import Findings, Rows, check
from bench.chaos.clocks import VARIABLE, Clock, compile_library
from bench.chaos.load import PASSCODE, TOKEN, Load
from bench.chaos.people import Agent, Ledger, Visitor, fill_queue
from bench.chaos.processes import (
    PATIENCE,
    Postgres,
    Process,
    fill,
    free_port,
    small_disk,
    stall_sqlite,
)

#: Of the disk of a house on SQLite: room for what a storm writes, and soon full.
DISK_MEGABYTES = 400
#: Seconds that a full disk stays full.
FULL_SECONDS = 1.5
#: Seconds that a slow disk lets writers wait.
STALLS = (1.0, 8.0)
WRITERS, AGENTS = 4, 3
#: Shares of faults that are no kill: a stream is cut; the clock jumps; the database or the disk
#: fails.
STREAM_CUTS, CLOCK_JUMPS, OTHER_FAULTS = 0.1, 0.15, 0.2
#: Share of faults after which all are let come up before the next one; the others meet a start.
RESPITES = 0.6


@dataclass
class Report:
    kind: str
    seconds: float
    kills: int
    faults: Counter[str]
    writes: int
    runs: int
    events: int
    #: Leases that agents were given, with their signs of life; times that somebody signed in.
    leases: int
    beats: int
    sign_ins: int
    answers: Counter[str]
    findings: Findings = field(default_factory=Findings)


class Storm:
    def __init__(
        self, kind: str, folder: Path, kills: int, seconds: float, random_: random.Random
    ) -> None:
        self._kind = kind
        self._folder = folder
        self._kills = kills
        self._seconds = seconds
        self._random = random_
        self._faults: Counter[str] = Counter()
        self._postgres: Postgres | None = None
        self._can_fill = False
        self._processes: list[Process] = []
        self._ledger = Ledger()
        #: None where no library can be compiled that makes it jump.
        self._clock: Clock | None = None

    async def rage(self) -> Report:
        with ExitStack() as stack:
            self._can_fill = stack.enter_context(small_disk(self._folder / "disk", DISK_MEGABYTES))
            if self._kind == "postgresql":
                self._postgres = Postgres(self._folder / "postgres")
                stack.callback(self._postgres.stop)
            self._processes = self._make_processes()
            try:
                return await self._rage()
            finally:
                for process in self._processes:
                    process.stop()

    @property
    def _servers(self) -> list[Process]:
        return [process for process in self._processes if process.name != "worker"]

    @property
    def _project(self) -> Path:
        return self._folder / "project"

    def _make_processes(self) -> list[Process]:
        (self._project / "openspec" / "changes").mkdir(parents=True)
        settings = {
            "DATA_DIR": str(self._folder / "disk" / "data"),
            "PROJECT_DIR": str(self._project),
            "BOTTEGA_MODEL": "offline",
            "BOTTEGA_RATE_LIMIT": "1000000",
            "BOTTEGA_TOKEN": TOKEN,
            "BOTTEGA_PASSCODE": PASSCODE,
        }
        library = compile_library(self._folder)
        if library is None:
            print("no C compiler: clocks do not jump")
        else:
            self._clock = Clock(self._folder)
            settings[VARIABLE] = str(self._clock.file)
        if self._postgres is not None:
            settings["DATABASE_URL"] = self._postgres.url
        names = ["server", "second", "worker"] if self._postgres else ["server"]
        return [
            Process(
                name,
                self._folder,
                "worker" if name == "worker" else "serve",
                settings | {"PORT": str(free_port())},
                str(library or ""),
            )
            for name in names
        ]

    async def _rage(self) -> Report:
        started = time.monotonic()
        for process in self._processes:
            process.start()
        await self._wait_until_well()
        load = Load([server.url for server in self._servers], self._random)
        url = self._servers[0].url
        (await load.http.post(f"{url}/api/libraries/example")).raise_for_status()
        await fill_queue(load, url)
        visitor = Visitor(load, self._clock)
        await visitor.begin(url)
        paths = await load.plain_paths(url)
        following = [asyncio.create_task(follower.follow()) for follower in load.followers]
        working = [asyncio.create_task(load.write_for_ever()) for _ in range(WRITERS)]
        working.append(asyncio.create_task(load.run_for_ever()))
        working.append(asyncio.create_task(load.read_for_ever(paths)))
        working.append(asyncio.create_task(visitor.visit_for_ever()))
        for _ in range(AGENTS):
            agent = Agent(load, self._ledger, self._project, self._random)
            working.append(asyncio.create_task(agent.work_for_ever()))
        await self._break_things(load, time.monotonic() + self._seconds)
        for task in working:
            task.cancel()
        ends = await asyncio.gather(*working, return_exceptions=True)
        last = await self._calm(load)
        await visitor.check()
        for task in following:
            task.cancel()
        await asyncio.gather(*following, return_exceptions=True)
        await load.http.aclose()
        for process in self._processes:
            process.stop()
        for end in ends:
            # A load that ended by itself would prove nothing.
            if not isinstance(end, asyncio.CancelledError):
                raise end if isinstance(end, BaseException) else AssertionError(end)
        return self._report(load, visitor, last, time.monotonic() - started)

    async def _break_things(self, load: Load, until: float) -> None:
        while time.monotonic() < until and self._count_kills() < self._kills:
            await asyncio.sleep(self._random.uniform(0.3, 3))
            # A short storm kills once before it tries anything else.
            lot = self._random.random() if self._count_kills() else 1.0
            if lot < STREAM_CUTS:
                self._faults["dropped streams"] += 1
                self._random.choice(load.followers).cut()
            elif lot < STREAM_CUTS + CLOCK_JUMPS and self._clock is not None:
                self._faults["clock jumps"] += 1
                self._clock.jump(self._random)
            else:
                await asyncio.to_thread(self._break_one)
            for process in self._processes:
                process.revive()
            if self._count_kills() % 20 == 0:
                print(f"{self._kind}: {self._count_kills()} of {self._kills} kills", flush=True)
            if self._random.random() < RESPITES:
                await self._wait_until_well()

    def _break_one(self) -> None:
        if self._count_kills() and self._random.random() < OTHER_FAULTS:
            name, fault = self._random.choice(list(self._other_faults().items()))
            self._faults[name] += 1
            fault()
        else:
            victim = self._random.choice(self._processes)
            victim.kill()
            victim.start()

    def _other_faults(self) -> dict[str, Callable[[], None]]:
        faults = {"slow disks": self._stall}
        if self._postgres is not None:
            faults["PostgreSQL restarts"] = self._postgres.restart
        elif self._can_fill:
            faults["full disks"] = self._fill_disk
        return faults

    def _stall(self) -> None:
        seconds = self._random.uniform(*STALLS)
        if self._postgres is not None:
            self._postgres.stall(seconds)
        else:
            stall_sqlite(self._database, seconds)

    def _fill_disk(self) -> None:
        filler = fill(self._folder / "disk")
        time.sleep(FULL_SECONDS)
        filler.unlink()

    @property
    def _database(self) -> Path:
        return self._folder / "disk" / "data" / "bottega.db"

    async def _calm(self, load: Load) -> int:
        """All is up again: entries become rows, runs end, followers catch up to the last event."""
        if self._clock is not None:
            self._clock.set(0)
        await self._wait_until_well()
        for marker in load.told.entries:
            await load.resolve(marker)
        deadline = time.monotonic() + PATIENCE
        url = self._servers[0].url
        for run_id in load.told.runs:
            while time.monotonic() < deadline:
                with suppress(httpx.HTTPError):
                    run = (await load.http.get(f"{url}/api/runs/{run_id}")).json()
                    if run.get("status") in ("completed", "failed", "cancelled", "paused"):
                        break
                await asyncio.sleep(0.2)
        last = await self._last_event(load, url)
        for follower in load.followers:
            while time.monotonic() < deadline:
                if follower.heard and follower.heard[-1][0] >= last:
                    break
                await asyncio.sleep(0.1)
        return last

    async def _last_event(self, load: Load, url: str) -> int:
        params: dict[str, str | int] = {"topics": "memory.added,run.*", "limit": 1}
        found = (await load.http.get(f"{url}/api/events/log", params=params)).json()
        return int(found[0]["seq"]) if found else 0

    async def _wait_until_well(self) -> None:
        for server in self._servers:
            await asyncio.to_thread(server.wait_until_well)

    def _count_kills(self) -> int:
        return sum(process.kills for process in self._processes)

    def _report(self, load: Load, visitor: Visitor, last: int, seconds: float) -> Report:
        told = load.told
        file = None if self._postgres else self._database
        rows = Rows(file, self._postgres.url if self._postgres else "")
        self._faults["dropped streams"] += 0
        self._faults["starts without database"] = sum(process.ends for process in self._processes)
        findings = check(rows, told, load.followers, last)
        findings.lost_leases = self._ledger.lost
        findings.doubled_leases = self._ledger.doubled
        findings.locked_out = visitor.locked_out
        return Report(
            kind=self._kind,
            seconds=seconds,
            kills=self._count_kills(),
            faults=self._faults,
            writes=len(told.writes),
            runs=len(told.runs),
            events=sum(len(follower.heard) for follower in load.followers),
            leases=self._ledger.leases,
            beats=self._ledger.beats,
            sign_ins=visitor.sign_ins,
            answers=told.answers,
            findings=findings,
        )
