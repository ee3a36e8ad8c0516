"""As much of the house as memory stands on, started and stopped as a server does it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from fastapi import FastAPI

from bottega.core.database import Database
from bottega.core.embeddings import Embedder
from bottega.core.events import EventBus
from bottega.core.traces import Traces
from bottega.core.users import Users
from bottega.core.vectors.choose import choose_store
from bottega.core.vectors.store import VectorStore
from bottega.memory.room import Memory, build
from bottega.memory.service import SemanticMemories
from bottega.server.errors import handle_errors


@dataclass
class House:
    database: Database
    bus: EventBus
    vectors: VectorStore
    embedder: Embedder
    traces: Traces
    memory: Memory = field(init=False)

    def __post_init__(self) -> None:
        self.memory = Memory(self)

    @property
    def memories(self) -> SemanticMemories:
        return self.memory.memories

    async def new_user(self, name: str) -> str:
        return (await Users(self.database).create(name)).id


@asynccontextmanager
async def open_house(
    database_url: str, embedder: Embedder, chromadb_url: str | None = None
) -> AsyncIterator[House]:
    database = Database(database_url)
    await database.start()
    vectors = choose_store(database, chromadb_url)
    await vectors.start()
    house = House(database, EventBus(database), vectors, embedder, Traces(database))
    await house.bus.start()
    await house.traces.start()
    await house.memory.start()
    await house.memory.opened()
    try:
        yield house
    finally:
        for part in (house.memory, house.vectors, house.traces, house.bus, database):
            await part.stop()


def api_of(house: House) -> FastAPI:
    """The room's routes under `/api`, with errors as the server gives them."""
    app = FastAPI()
    for routes in build(house, house.memory).routes():
        app.include_router(routes, prefix="/api")
    handle_errors(app)
    return app
