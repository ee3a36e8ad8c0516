"""Libraries: of the example standards, or of documents that a test writes."""

import hashlib
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from bottega.core.services import Core
from bottega.core.users import LOCAL_USER
from bottega.library.documents.service import Libraries
from bottega.library.documents.tables import Library
from bottega.library.ingest.repository import IncomingDocument
from bottega.library.ingest.schemas import IngestReport
from bottega.library.ingest.store import DocumentStore
from bottega.library.parsers.reader import read_document
from bottega.library.room import own_room
from bottega.library.service import LibraryRoom
from tests.app import Agent, App, make_core, running

STANDARDS = Path(__file__).parents[2] / "examples" / "standards"
#: The library of the example standards.
HARBOUR = "harbour"


async def put_library(app: App, name: str, documents: dict[str, str]) -> Library:
    """The library after these documents, by path, have been added or replaced: no ingest run."""
    libraries = Libraries(app.core)
    library = await libraries.ensure(name)
    store = DocumentStore(app.core, libraries.indexes)
    incoming = [
        IncomingDocument(
            path,
            hashlib.sha256(text.encode()).hexdigest(),
            len(text.encode()),
            read_document(text.encode(), path),
        )
        for path, text in documents.items()
    ]
    await store.put(library.id, incoming, {})
    await store.link(library.id)
    return await libraries.get(name)


async def put_standards(app: App) -> Library:
    return await put_library(app, HARBOUR, texts_of(STANDARDS))


def texts_of(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in sorted(folder.glob("*.md"))}


def write(folder: Path, **texts: str) -> Path:
    """A folder of markdown: `write(folder, berths="# Berths …")`."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text)
    return folder


class LibraryApp(App):
    """The library room, its services, and a copy of the example standards to be changed at will."""

    def __init__(self, core: Core, root: Path) -> None:
        super().__init__(core, root, "library")
        service = self.room("library").operations[0].service
        assert isinstance(service, LibraryRoom)
        self.service = service
        self.libraries = service.libraries
        self.ingest = service.ingest
        self.search = service.search
        self.standards = root / "standards"
        shutil.copytree(STANDARDS, self.standards, dirs_exist_ok=True)

    def agent(self, user_id: str = LOCAL_USER) -> Agent:
        return self.agent_in("library", user_id)

    def own_agent(self, library: str = HARBOUR) -> Agent:
        """Of the address that serves one library."""
        return Agent(own_room(self.service, library))

    async def fill(self) -> None:
        """Take in the example standards."""
        library = await self.libraries.ensure(HARBOUR, "Rules of the harbour")
        await self.take(library, self.standards)

    async def take(self, library: Library, folder: Path, **options: Any) -> IngestReport:
        return await self.ingest.wait(await self.ingest.folder(library, folder, **options))

    async def refs(self, library: Library, query: str, **options: Any) -> list[str]:
        results = await self.search.search(library, query, **options)
        return [hit.paragraph.ref for hit in results.hits]


@asynccontextmanager
async def open_library_app(
    root: Path, database_url: str | None = None, **settings: Any
) -> AsyncIterator[LibraryApp]:
    app = LibraryApp(make_core(root, database_url=database_url, **settings), root)
    async with running(app):
        yield app
