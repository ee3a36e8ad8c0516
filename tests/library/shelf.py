"""Libraries, ingest and search in a house, and small documents to put in."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bottega.library.filling.ingest import Ingest
from bottega.library.libraries import Libraries
from bottega.library.searching.search import LibrarySearch
from bottega.library.tables import Library
from bottega.library.views import IngestReport
from tests.library.house import House, open_house


@dataclass
class Shelf:
    house: House
    libraries: Libraries
    ingest: Ingest
    search: LibrarySearch

    async def take(self, library: Library, folder: Path, **options: Any) -> IngestReport:
        return await self.ingest.wait(await self.ingest.folder(library, folder, **options))

    async def refs(self, library: Library, query: str, **options: Any) -> list[str]:
        results = await self.search.search(library, query, **options)
        return [hit.paragraph.ref for hit in results.hits]

    def topics(self) -> list[str]:
        return [event.topic for event in self.house.heard]


@asynccontextmanager
async def open_shelf(
    root: Path, database_url: str | None = None, **settings: Any
) -> AsyncIterator[Shelf]:
    async with open_house(root, database_url=database_url, **settings) as house:
        libraries = Libraries(house.core)
        yield Shelf(house, libraries, Ingest(house.core, libraries), LibrarySearch(house.core))


def write(folder: Path, **texts: str) -> Path:
    """A folder of markdown: `write(folder, berths="# Berths …")`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text)
    return folder
