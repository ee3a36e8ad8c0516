"""The project tree against plain `os.scandir` recursion, and how soon a change on disk is told.

The tree does more than its peer: it leaves out noise, sorts, guards against links and builds the
result. The two take turns, so that a busy machine is unfair to both; the ratio is of the medians.
"""

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bottega.core.files.snapshot import FileChange
from bottega.core.files.tree import scan_tree
from bottega.core.files.watch import Watcher

PACKAGES, MODULES, FILES = 50, 20, 50
ROUNDS = 15
RATIO_TARGET = 3.0

CHANGES = 200
#: Leaves 20 ms for the way to a WebSocket client, who is to know within 50.
LATENCY_TARGET_MS = 30.0


async def main() -> None:
    table = Table("what", "measured", "target", "")
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        files = make_project(root)
        peer, ours = in_turns(lambda: count_entries(folder), lambda: scan_tree(root))
        latencies = sorted(await watch_latencies(root))
    p50, p95 = statistics.median(latencies), latencies[int(len(latencies) * 0.95)]
    table.add_row(f"os.scandir recursion, {files:,} files", f"{peer:.0f} ms", "", "")
    table.add_row("project tree of the same", f"{ours:.0f} ms", "", "")
    for name, value, target, unit in (
        ("ratio", ours / peer, RATIO_TARGET, "×"),
        ("change on disk to callback, p50", p50, LATENCY_TARGET_MS, " ms"),
        ("change on disk to callback, p95", p95, LATENCY_TARGET_MS, " ms"),
    ):
        verdict = "[green]met[/green]" if value <= target else "[red]missed[/red]"
        table.add_row(name, f"{value:.2f}{unit}", f"≤ {target:g}{unit}", verdict)
    Console().print(table)


def make_project(root: Path) -> int:
    for package in range(PACKAGES):
        for module in range(MODULES):
            folder = root / f"package_{package}" / f"module_{module}"
            folder.mkdir(parents=True)
            for file in range(FILES):
                (folder / f"file_{file}.py").touch()
    return PACKAGES * MODULES * FILES


def count_entries(path: str) -> int:
    entries = 0
    with os.scandir(path) as found:
        for entry in found:
            entries += 1
            if entry.is_dir(follow_symlinks=False):
                entries += count_entries(entry.path)
    return entries


def in_turns(peer: Callable[[], object], ours: Callable[[], object]) -> tuple[float, float]:
    """Median milliseconds of each; the first round warms the disk's cache."""
    pairs = [(timed(peer), timed(ours)) for _ in range(ROUNDS + 1)][1:]
    return statistics.median(a for a, _ in pairs), statistics.median(b for _, b in pairs)


def timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


async def watch_latencies(root: Path) -> list[float]:
    """From the write to the callback, one change at a time, over the whole project."""
    told: asyncio.Queue[float] = asyncio.Queue()

    def on_change(_changes: list[FileChange]) -> None:
        told.put_nowait(time.perf_counter())

    latencies: list[float] = []
    async with Watcher(root, on_change):
        for turn in range(CHANGES):
            file = root / f"package_{turn % PACKAGES}" / "module_0" / "file_0.py"
            # The watcher looks in steps: changes must not all fall on the same moment of one.
            await asyncio.sleep(0.02 + turn % 10 / 1000)
            while not told.empty():
                told.get_nowait()
            start = time.perf_counter()
            file.write_text(str(turn))
            async with asyncio.timeout(10):
                latencies.append((await told.get() - start) * 1000)
    return latencies
