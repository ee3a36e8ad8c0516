"""How long until the server answers, and how much memory it takes when nobody asks anything.

The first start makes the database and the bytecode; the next ones are what a person meets.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx
import psutil
from rich.console import Console
from rich.table import Table

STARTS = 5
READY_SECONDS = 2.0
IDLE_MEGABYTES = 200
#: Long enough for everything that is warmed behind the open door.
SETTLE_SECONDS = 10


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        start(Path(folder))
        ready = [start(Path(folder))[0] for _ in range(STARTS)]
        _, memory = start(Path(folder), settle=SETTLE_SECONDS)
    table = Table("what", "measured", "target", "")
    for name, value, target, unit in (
        ("process start to ready, median", statistics.median(ready), READY_SECONDS, "s"),
        ("idle memory, all parts loaded", memory, IDLE_MEGABYTES, "MB"),
    ):
        verdict = "[green]met[/green]" if value <= target else "[red]missed[/red]"
        table.add_row(name, f"{value:.2f} {unit}", f"≤ {target} {unit}", verdict)
    Console().print(table)


def start(folder: Path, settle: float = 0) -> tuple[float, float]:
    """Start a server, wait until it answers; gives the seconds that took and the megabytes."""
    began = time.perf_counter()
    environment = {**os.environ, "DATA_DIR": str(folder), "PORT": "0", "BOTTEGA_MODEL": "offline"}
    process = subprocess.Popen(
        [sys.executable, "-m", "bottega", "serve", "--project", str(folder)],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        asyncio.run(answered(folder / "server.json"))
        seconds = time.perf_counter() - began
        time.sleep(settle)
        return seconds, psutil.Process(process.pid).memory_info().rss / 1e6
    finally:
        process.terminate()
        process.wait(20)


async def answered(announcement: Path) -> None:
    async with httpx.AsyncClient(trust_env=False) as http:
        while True:
            try:
                url = json.loads(announcement.read_text())["url"]
                (await http.get(f"{url}/health")).raise_for_status()
            except (OSError, ValueError, httpx.HTTPError):
                await asyncio.sleep(0.005)
            else:
                return


if __name__ == "__main__":
    main()
