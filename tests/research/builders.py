"""Research on a library of the example standards, and sources that a test describes."""

import json
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bottega.core.llm.testing import LoopbackApi
from bottega.core.services import Core
from bottega.library.service import Library, open_library
from bottega.research.sources.service import Sources
from tests.app import App, make_core, open_app, running
from tests.library.builders import HARBOUR, put_standards

PEER = Path(__file__).parent / "servers" / "stdio_peer.py"
ME = "local"


class ResearchApp(App):
    #: The example standards, under the name `harbour`.
    harbour: Library

    def __init__(self, core: Core, root: Path) -> None:
        super().__init__(core, root)
        self.libraries = open_library(core)


@asynccontextmanager
async def open_research(
    root: Path, *, database_url: str | None = None, api: LoopbackApi | None = None
) -> AsyncIterator[ResearchApp]:
    """The services under research, without its room: a test makes the stages or the runs."""
    if database_url is None:
        await put_harbour(root / "data" / "bottega.db")
    app = ResearchApp(make_core(root, database_url=database_url, api=api), root)
    async with running(app):
        if database_url is not None:
            await put_standards(app)
        app.harbour = await app.libraries.libraries.get(HARBOUR)
        yield app


@asynccontextmanager
async def open_research_rooms(root: Path) -> AsyncIterator[App]:
    """The rooms `library` and `research`, with the example standards in the library."""
    await put_harbour(root / "data" / "bottega.db")
    async with open_app(root, "library", "research") as app:
        yield app


#: The standards are read once, then the file is copied.
_filled: list[bytes] = []


async def put_harbour(path: Path) -> None:
    """A SQLite database that has the example standards in it, unless there is one."""
    if path.exists():
        return
    if not _filled:
        with tempfile.TemporaryDirectory() as folder:
            async with open_app(Path(folder)) as app:
                await put_standards(app)
            _filled.append(Path(folder, "data", "bottega.db").read_bytes())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_filled[0])


@dataclass
class SourcesApp:
    """The sources service, the folders that it reads and the peers that are put there."""

    core: Core
    sources: Sources
    root: Path

    @property
    def own(self) -> Path:
        return self.root / "data" / "sources"

    @property
    def projects(self) -> Path:
        return self.root / "project" / ".bottega" / "sources"

    @property
    def diary(self) -> Path:
        """What the peer did."""
        return self.root / "diary"

    def put(self, slug: str, *, place: Path | None = None, **config: Any) -> Path:
        folder = (place or self.own) / slug
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "config.json"
        path.write_text(json.dumps({"name": slug.title(), **config}, indent=2))
        return path

    def put_peer(self, slug: str = "peer", habit: str = "none", **config: Any) -> Path:
        args = [str(PEER), habit, str(self.diary)]
        return self.put(slug, type="stdio", command=sys.executable, args=args, **config)

    def put_address(self, slug: str, url: str, **config: Any) -> Path:
        return self.put(slug, type="http", url=url, **config)

    async def call(self, tool: str, slug: str = "peer", **arguments: Any) -> str:
        result = await self.sources.call(slug, tool, arguments, user_id=ME)
        return result.text


@asynccontextmanager
async def open_sources(root: Path, *, idle_seconds: float = 300.0) -> AsyncIterator[SourcesApp]:
    """Nothing is started: sources need no database."""
    core = make_core(root)
    app = SourcesApp(core, Sources(core, idle_seconds=idle_seconds), root)
    try:
        yield app
    finally:
        await app.sources.stop()
