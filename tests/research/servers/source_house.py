"""A house with sources that a test describes."""

import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bottega.app import build_core
from bottega.core.services import Core
from bottega.research.sources.service import Sources
from bottega.settings import Settings

PEER = Path(__file__).parent / "stdio_peer.py"
ME = "local"


@dataclass
class SourceHouse:
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
async def open_sources(root: Path, *, idle_seconds: float = 300.0) -> AsyncIterator[SourceHouse]:
    (root / "project").mkdir(exist_ok=True)
    settings = Settings(
        data_dir=root / "data",
        project_dir=root / "project",
        bottega_model="offline",
        _env_file=None,
    )
    core = build_core(settings)
    house = SourceHouse(core, Sources(core, idle_seconds=idle_seconds), root)
    try:
        yield house
    finally:
        await house.sources.stop()
