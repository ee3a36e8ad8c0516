"""How soon a file that changes on disk reaches a WebSocket client of the running server."""

import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table
from websockets.asyncio.client import connect

from bench.startup import answered

CHANGES = 200
P95_MILLISECONDS = 50


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        data, project = Path(folder, "data"), Path(folder, "project")
        project.mkdir()
        environment = {**os.environ, "DATA_DIR": str(data), "PORT": "0"}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bottega", "serve", "--project", str(project)),
            env=environment,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            await answered(data / "server.json")
            url = json.loads((data / "server.json").read_text())["url"]
            delays = await measure(url.replace("http", "ws") + "/ws", project)
        finally:
            process.terminate()
            await process.wait()
    median, p95 = statistics.median(delays), sorted(delays)[int(len(delays) * 0.95)]
    table = Table("what", "median", "p95", "target", "")
    verdict = "[green]met[/green]" if p95 <= P95_MILLISECONDS else "[red]missed[/red]"
    target = f"p95 ≤ {P95_MILLISECONDS} ms"
    table.add_row("change to client", f"{median:.1f} ms", f"{p95:.1f} ms", target, verdict)
    Console().print(table)


async def measure(url: str, project: Path) -> list[float]:
    delays = []
    async with connect(url) as socket:
        await asyncio.sleep(1)  # the watcher is up
        for number in range(CHANGES):
            name = f"file{number}.txt"
            began = time.perf_counter()
            (project / name).write_text("hello")
            while True:
                message = json.loads(await asyncio.wait_for(socket.recv(), 5))
                if message["type"] == "fs:tree_update" and message["payload"]["path"] == name:
                    break
            delays.append((time.perf_counter() - began) * 1000)
            await asyncio.sleep(0.02)
    return delays


if __name__ == "__main__":
    asyncio.run(main())
