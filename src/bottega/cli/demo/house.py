"""A workshop for the length of the tour: a home on disk and the real server as its own process."""

import asyncio
import os
import shutil
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bottega.cli.connection import ServerFile, find_server
from bottega.core.examples import examples
from bottega.errors import Unavailable
from bottega.settings import Settings

#: Seconds; a slow machine loads libraries for a while.
STARTS_WITHIN = 60
STOPS_WITHIN = 10


@dataclass(frozen=True)
class Home:
    folder: Path

    @property
    def examples(self) -> Path:
        return self.folder / "examples"

    @property
    def project(self) -> Path:
        return self.examples / "tally"

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def log(self) -> Path:
        return self.folder / "server.log"

    def furnish(self) -> None:
        """Copy the examples, so that nobody works on the originals."""
        shutil.copytree(examples(), self.examples)


@dataclass(frozen=True)
class Server:
    url: str
    process: Process


@asynccontextmanager
async def serving(home: Home) -> AsyncIterator[Server]:
    """The server of this home, on a free port, until the block ends."""
    with home.log.open("ab") as log:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bottega", "serve"),
            env=environment(home),
            # A person's own `.env` is not for the demo.
            cwd=home.folder,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            # Ctrl-C is for the tour, which then stops the server.
            start_new_session=True,
        )
    try:
        announced = await _ready(home, process)
        yield Server(announced.url, process)
    finally:
        await _stop(process)


def environment(home: Home) -> dict[str, str]:
    """Ours without any setting of Bottega: no key, no database of somebody's."""
    settings = {name.upper() for name in Settings.model_fields}
    kept = {name: value for name, value in os.environ.items() if name.upper() not in settings}
    return kept | {
        "DATA_DIR": str(home.data),
        "PROJECT_DIR": str(home.project),
        "PORT": "0",
        "BOTTEGA_MODEL": "offline",
    }


async def _ready(home: Home, process: Process) -> ServerFile:
    try:
        async with asyncio.timeout(STARTS_WITHIN):
            while process.returncode is None:
                server = await asyncio.to_thread(find_server, home.data)
                if server is not None:
                    return server
                await asyncio.sleep(0.1)
    except TimeoutError:
        raise Unavailable(
            f"The server did not start within {STARTS_WITHIN} seconds; see {home.log}."
        ) from None
    raise Unavailable(
        f"The server ended with {process.returncode} before it was ready; see {home.log}."
    )


async def _stop(process: Process) -> None:
    if process.returncode is not None:
        return
    process.terminate()
    try:
        await asyncio.wait_for(process.wait(), STOPS_WITHIN)
    except TimeoutError:
        process.kill()
        await process.wait()
