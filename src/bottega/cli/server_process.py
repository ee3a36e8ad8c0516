"""`bottega serve` as a child process, for as long as a command needs it."""

import asyncio
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bottega.cli.connection import ServerFile, find_server
from bottega.errors import Unavailable

#: Seconds; a slow machine loads libraries for a while.
STARTS_WITHIN = 60
STOPS_WITHIN = 10


@dataclass(frozen=True)
class Server:
    url: str
    process: Process


@asynccontextmanager
async def serving(
    *options: str, data_dir: Path, log: Path, folder: Path, environment: Mapping[str, str]
) -> AsyncIterator[Server]:
    """`bottega serve` with these options, run in this folder, until the block ends."""
    async with running(
        "bottega", "serve", *options, log=log, folder=folder, environment=environment
    ) as process:
        announced = await _ready(process, data_dir, log)
        yield Server(announced.url, process)


@asynccontextmanager
async def running(
    module: str, *arguments: str, log: Path, folder: Path, environment: Mapping[str, str]
) -> AsyncIterator[Process]:
    """A module of ours as a program that ends with the block, and writes into the log."""
    with log.open("ab") as output:
        process = await asyncio.create_subprocess_exec(
            # -P: what lies in the folder, such as a `typing.py`, is not taken for Python's own.
            *(sys.executable, "-P", "-m", module, *arguments),
            env=environment,
            cwd=folder,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            # Ctrl-C is for the command, which then stops what it started.
            start_new_session=True,
        )
    try:
        yield process
    finally:
        await _stop(process)


async def _ready(process: Process, data_dir: Path, log: Path) -> ServerFile:
    try:
        async with asyncio.timeout(STARTS_WITHIN):
            while process.returncode is None:
                server = await asyncio.to_thread(find_server, data_dir)
                if server is not None:
                    return server
                await asyncio.sleep(0.1)
    except TimeoutError:
        raise Unavailable(
            f"The server did not start within {STARTS_WITHIN} seconds; see {log}."
        ) from None
    raise Unavailable(f"The server ended with {process.returncode} before it was ready; see {log}.")


async def _stop(process: Process) -> None:
    if process.returncode is not None:
        return
    process.terminate()
    try:
        await asyncio.wait_for(process.wait(), STOPS_WITHIN)
    except TimeoutError:
        process.kill()
        await process.wait()
