"""Memory on any database and any vector store, opened as a server opens it."""

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from fastapi import FastAPI

from bottega.core.readers.embedder import Embedder
from bottega.core.search.refinement import Refiner
from bottega.memory.service import SemanticMemories
from bottega.server.errors import handle_errors
from bottega.server.rest import room_routers
from tests.app import App, make_core, running


class MemoryApp(App):
    @property
    def memories(self) -> SemanticMemories:
        return self.memory.memories

    @property
    def refiner(self) -> Refiner:
        assert self.core.refiner is not None
        return self.core.refiner

    async def start(self) -> None:
        await super().start()
        await self.refiner.start()
        await self.memory.opened()

    async def stop(self) -> None:
        await self.refiner.stop()
        await super().stop()


@asynccontextmanager
async def open_memory(
    database_url: str, embedder: Embedder, chromadb_url: str | None = None
) -> AsyncIterator[MemoryApp]:
    with tempfile.TemporaryDirectory() as folder:
        core = make_core(
            Path(folder),
            database_url=database_url,
            chromadb_url=chromadb_url,
            change=lambda core: replace(core, embedder=embedder),
        )
        app = MemoryApp(core, Path(folder), "memory")
        async with running(app):
            yield app


def api_of(app: MemoryApp) -> FastAPI:
    """The room's routes under `/api` for whichever user a test names: without the sign-in that
    would name one first."""
    api = FastAPI()
    for routes in room_routers(app.room("memory")):
        api.include_router(routes, prefix="/api")
    handle_errors(api)
    return api
