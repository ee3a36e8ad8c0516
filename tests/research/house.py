"""A house with a library of the example standards, for research: offline, or with an API on
loopback."""

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bottega.core.llm.testing import LoopbackApi
from bottega.core.services import Core
from bottega.library.service import Library, LibraryService, open_library
from bottega.memory.room import Memory
from tests.library.bookcase import put_standards
from tests.library.house import model_at, open_house


@dataclass
class ResearchHouse:
    core: Core
    memory: Memory
    libraries: LibraryService
    #: The example standards, under the name `harbour`.
    harbour: Library
    root: Path


@asynccontextmanager
async def open_research_house(
    root: Path, *, database_url: str | None = None, api: LoopbackApi | None = None
) -> AsyncIterator[ResearchHouse]:
    if database_url is None:
        await put_harbour(root / "data" / "bottega.db")
    async with open_house(root, database_url=database_url, **model_at(api)) as house:
        libraries = open_library(house.core)
        if database_url is not None:
            await put_standards(house)
        harbour = await libraries.libraries.get("harbour")
        yield ResearchHouse(house.core, house.memory, libraries, harbour, root)


#: The standards are read once, then the file is copied.
_filled: list[bytes] = []


async def put_harbour(path: Path) -> None:
    """A SQLite database that has the example standards in it, unless there is one."""
    if path.exists():
        return
    if not _filled:
        with tempfile.TemporaryDirectory() as folder:
            async with open_house(Path(folder)) as house:
                await put_standards(house)
            _filled.append(Path(folder, "data", "bottega.db").read_bytes())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_filled[0])
