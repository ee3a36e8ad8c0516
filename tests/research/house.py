"""A house with a library of the example standards, for research: offline, or with an API on
loopback."""

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
    async with open_house(root, database_url=database_url, **model_at(api)) as house:
        harbour = await put_standards(house)
        yield ResearchHouse(house.core, house.memory, open_library(house.core), harbour, root)
