"""The demo's folder, and the real server on it as a process of its own."""

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bottega.cli import server_process
from bottega.cli.server_process import Server
from bottega.core.examples import examples
from bottega.settings import Settings


@dataclass(frozen=True)
class DemoFolder:
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

    def copy_examples(self) -> None:
        """Copy the examples, so that the originals stay unchanged."""
        shutil.copytree(examples(), self.examples)


@asynccontextmanager
async def serving(home: DemoFolder) -> AsyncIterator[Server]:
    """The server of this home, on a free port, until the block ends."""
    async with server_process.serving(
        data_dir=home.data,
        log=home.log,
        folder=home.folder,
        environment=environment(home),
    ) as server:
        yield server


def environment(home: DemoFolder) -> dict[str, str]:
    """Ours without any setting of Bottega: no key, no database of somebody's."""
    settings = {name.upper() for name in Settings.model_fields}
    kept = {name: value for name, value in os.environ.items() if name.upper() not in settings}
    return kept | {
        # A person's own settings are not for the demo.
        "XDG_CONFIG_HOME": str(home.folder / "config"),
        "DATA_DIR": str(home.data),
        "PROJECT_DIR": str(home.project),
        "PORT": "0",
        "BOTTEGA_MODEL": "offline",
    }
