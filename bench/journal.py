"""The journal at 10,000 experiences: how long each operation takes, and whether memory grows.

The experiences are the hand-written ones of `tests/journal/data`, recombined sentence by sentence
within their themes, so that clusters are as uneven as in life. Everything goes through the service
in this process, on SQLite.
"""

import asyncio
import gc
import json
import random
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count, cycle, islice
from pathlib import Path
from typing import Any

import psutil
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from bottega.app import App
from bottega.core.users import LOCAL_USER
from bottega.journal.clusters.operations import MembersInput
from bottega.journal.entries.enums import Axis, Domain, JournalOutcome
from bottega.journal.entries.index import axis_text
from bottega.journal.entries.model import Entry
from bottega.journal.entries.schemas import (
    JournalStartInput,
    ListInput,
    ResolveInput,
    SearchInput,
    UpdateInput,
)
from bottega.journal.operations import ImportInput
from bottega.journal.service import Journal
from bottega.journal.values.operations import StoreInput, ValidateInput
from bottega.settings import Settings

DATA = Path(__file__).parents[1] / "tests" / "journal" / "data"
EXPERIENCES = 10_000
CALLS = 200
#: Clusterings made anew on each axis that holds all experiences.
ROUNDS = 10
#: Calls over which memory must not grow, after as many as fill the caches.
LONG_RUN, WARM_UP = 10_000, 2_000
GROWTH_MEGABYTES = 5.0
#: A leak of one object a call. Resident memory alone would hide it in what clustering had freed.
GROWTH_OBJECTS = 1.0

TARGETS_MS = {
    "start": 20.0,
    "update": 20.0,
    "get active": 20.0,
    "resolve": 150.0,
    "list": 50.0,
    "search": 50.0,
    "clusters, uncached": 2_000.0,
    "clusters, cached": 50.0,
    "members": 50.0,
    "validate": 100.0,
    "store": 100.0,
}

#: What an entry begins with.
SENTENCES = ("domain", "strategy", "goal", "hypothesis", "action", "prediction")

Line = dict[str, Any]
Call = Callable[[], Awaitable[Any]]


def read(name: str) -> list[Line]:
    return [json.loads(line) for line in (DATA / name).read_text().splitlines()]


def recombined(chance: random.Random) -> Iterator[Line]:
    """Experiences without end: each of one theme and one outcome, each sentence from another."""
    alike: defaultdict[tuple[str, str], list[Line]] = defaultdict(list)
    originals = read("experiences.jsonl")
    for line in originals:
        alike[line["theme"], line["resolution"]["status"]].append(line)
    first = datetime(2024, 1, 1, tzinfo=UTC)
    for number in count():
        pattern = chance.choice(originals)
        sources = alike[pattern["theme"], pattern["resolution"]["status"]]
        created = first + timedelta(minutes=90 * number + chance.randrange(60))
        resolved = created + timedelta(minutes=chance.randrange(5, 240))
        line = {name: chance.choice(sources)[name] for name in pattern if name in SENTENCES}
        end = {
            name: chance.choice([s for s in sources if name in s["resolution"]])["resolution"][name]
            for name in pattern["resolution"]
        }
        yield {
            **pattern,
            **line,
            "id": f"ghap_{created:%Y%m%d_%H%M%S}_{number:06x}",
            "created_at": created.isoformat(),
            "updated_at": resolved.isoformat(),
            "resolution": {**end, "resolved_at": resolved.isoformat()},
        }


@dataclass
class Bench:
    journal: Journal
    chance: random.Random
    took: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        self.owner = self.journal.owner(LOCAL_USER)
        self.lines = recombined(self.chance)
        self.imported: dict[str, Entry] = {}
        self.queries = cycle(line["query"] for line in read("queries.jsonl"))

    async def timed(self, name: str, work: Awaitable[Any]) -> Any:
        began = time.perf_counter()
        result = await work
        self.took[name].append((time.perf_counter() - began) * 1_000)
        return result

    async def fill(self, number: int) -> None:
        with Progress(transient=True) as progress:
            bar = progress.add_task(f"importing {number:,} experiences", total=number)
            for _ in range(number // 1_000):
                asked = ImportInput.model_validate({"lines": list(islice(self.lines, 1_000))})
                await self.journal.import_(self.owner, asked.lines)
                self.imported |= {e.id: e for e in asked.lines if isinstance(e, Entry)}
                progress.advance(bar, 1_000)

    async def live_one(self) -> None:
        """One entry, from its start to its end."""
        entries, line = self.journal.entries, next(self.lines)
        start = JournalStartInput.model_validate({name: line[name] for name in SENTENCES})
        end = {k: v for k, v in line["resolution"].items() if k in ResolveInput.model_fields}
        await self.timed("start", entries.start(LOCAL_USER, start))
        note = UpdateInput(note="looked again", prediction=next(self.lines)["prediction"])
        await self.timed("update", entries.update(LOCAL_USER, note))
        await self.timed("get active", entries.active(LOCAL_USER))
        resolution = ResolveInput.model_validate(end)
        await self.timed("resolve", entries.resolve(LOCAL_USER, resolution))

    async def look_up(self) -> None:
        domain = self.chance.choice([None, *Domain])
        outcome = self.chance.choice([None, *JournalOutcome])
        asked = ListInput(limit=100, domain=domain, outcome=outcome)
        await self.timed("list", self.journal.entries.list(self.owner, asked))
        search = SearchInput(
            query=next(self.queries), axis=self.chance.choice(list(Axis)), domain=domain
        )
        await self.timed("search", self.journal.experiences.search(self.owner, search))

    async def retrospect(self, axis: Axis) -> None:
        """Look at the clusters of an axis, at one of them, and try values on it."""
        clusters, values = self.journal.clusters, self.journal.values
        listed = await self.timed("clusters, cached", clusters.list(self.owner, axis))
        chosen = self.chance.choice(listed.clusters).cluster_id
        asked = MembersInput(cluster_id=chosen, limit=100)
        members = (await self.timed("members", clusters.members(self.owner, asked))).members
        # What the most typical member says is near enough to the centroid to be its value.
        typical = next(self.imported[m.id] for m in members if m.id in self.imported)
        text = axis_text(typical, axis)[:500].strip()
        candidate = ValidateInput(text=text, cluster_id=chosen)
        verdict = await self.timed("validate", values.validate(self.owner, candidate))
        if verdict.valid:
            value = StoreInput(text=text, cluster_id=chosen, axis=axis)
            await self.timed("store", values.store(self.owner, value))

    async def cluster_anew(self) -> None:
        clusters = self.journal.clusters
        for axis in Axis:
            await self.timed("clusters, first", clusters.list(self.owner, axis))
        for _ in range(ROUNDS):
            await self.live_one()
            for axis in (Axis.FULL, Axis.STRATEGY):
                await self.timed("clusters, uncached", clusters.list(self.owner, axis))

    async def growth(self) -> tuple[float, float]:
        """Megabytes gained over a long run of calls that add nothing, and objects a call."""
        clusters, values, axes = self.journal.clusters, self.journal.values, cycle(Axis)
        chosen = {
            axis: (await clusters.list(self.owner, axis)).clusters[0].cluster_id for axis in Axis
        }

        async def five_calls() -> None:
            axis = next(axes)
            value = ValidateInput(text=next(self.queries), cluster_id=chosen[axis])
            await self.journal.entries.active(LOCAL_USER)
            await self.journal.entries.list(self.owner, ListInput())
            await self.journal.experiences.search(self.owner, SearchInput(query=next(self.queries)))
            await clusters.members(self.owner, MembersInput(cluster_id=chosen[axis]))
            await values.validate(self.owner, value)

        await _repeat(five_calls, WARM_UP // 5)
        megabytes, objects = _memory()
        await _repeat(five_calls, LONG_RUN // 5)
        now = _memory()
        return now[0] - megabytes, (now[1] - objects) / LONG_RUN


async def _repeat(work: Call, times: int) -> None:
    for _ in range(times):
        await work()


def _memory() -> tuple[float, int]:
    """Resident megabytes, and blocks that Python's allocator has given out."""
    gc.collect()
    return float(psutil.Process().memory_info().rss) / 1e6, sys.getallocatedblocks()


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Journal]:
    project = folder / "project"
    project.mkdir()
    settings = Settings(
        data_dir=folder / "data",
        project_dir=project,
        database_url=None,
        chromadb_url=None,
        bottega_model="offline",
    )
    app = App(settings, serves=False)
    await app.start()
    journal = Journal(app.core)
    await journal.start()
    try:
        yield journal
    finally:
        await journal.stop()
        await app.stop()


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with opened(Path(folder)) as journal:
            bench = Bench(journal, random.Random(3))
            await bench.fill(EXPERIENCES)
            await _repeat(bench.live_one, CALLS)
            await _repeat(bench.look_up, CALLS)
            await bench.cluster_anew()
            for axis in islice(cycle(Axis), CALLS):
                await bench.retrospect(axis)
            show(bench.took, *await bench.growth())


def show(took: dict[str, list[float]], megabytes: float, objects: float) -> None:
    table = Table("operation", "calls", "median", "p95", "target", "")
    for name in (*TARGETS_MS, "clusters, first"):
        times = took[name]
        if not times:
            continue
        p95 = statistics.quantiles(times, n=20)[18] if len(times) >= 20 else max(times)
        target = TARGETS_MS.get(name)
        table.add_row(
            *(name, str(len(times)), f"{statistics.median(times):.1f} ms", f"{p95:.1f} ms"),
            *((f"p95 ≤ {target:.0f} ms", _verdict(p95 <= target)) if target else ("", "")),
        )
    for name, measured, target, unit in (
        ("memory growth", megabytes, GROWTH_MEGABYTES, "MB"),
        ("objects kept a call", objects, GROWTH_OBJECTS, ""),
    ):
        table.add_row(
            *(name, str(LONG_RUN), "", f"{measured:+.2f} {unit}"),
            *(f"≤ {target:.0f} {unit}", _verdict(measured <= target)),
        )
    Console().print(table)


def _verdict(is_met: bool) -> str:
    return "[green]met[/green]" if is_met else "[red]missed[/red]"


if __name__ == "__main__":
    asyncio.run(main())
