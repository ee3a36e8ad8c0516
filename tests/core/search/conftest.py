"""The three vector stores, each on the real thing."""

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from bottega.core.db.database import Database
from bottega.core.readers.wordllama import WordLlamaEmbedder
from bottega.core.search.chroma import ChromaVectorStore
from bottega.core.search.embedded import EmbeddedVectorStore
from bottega.core.search.pgvector import PgVectorStore
from bottega.core.search.vector_store import VectorStore
from tests.databases import put_database
from tests.peers.chroma import ChromaServer


@pytest.fixture(scope="session")
def embedder() -> WordLlamaEmbedder:
    return WordLlamaEmbedder()


@pytest.fixture(scope="session")
def shared_chroma(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromaServer]:
    server = ChromaServer(tmp_path_factory.mktemp("chroma"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def chroma(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromaServer]:
    """One that a test may start and stop; it is not started yet."""
    server = ChromaServer(tmp_path_factory.mktemp("chroma"))
    yield server
    server.stop()


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[Database]:
    database = Database(url)
    await database.start()
    yield database
    await database.stop()


@pytest.fixture
async def sqlite(tmp_path: Path) -> AsyncIterator[Database]:
    async with opened(put_database(tmp_path / "bottega.db")) as database:
        yield database


@pytest.fixture
async def postgresql(request: pytest.FixtureRequest) -> AsyncIterator[Database]:
    async with opened(request.getfixturevalue("postgres").new_database()) as database:
        yield database


@pytest.fixture(params=["embedded-sqlite", "embedded-postgresql", "pgvector", "chroma"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[VectorStore]:
    """An empty store of each kind, started."""
    async with AsyncExitStack() as stack:
        if request.param == "chroma":
            server: ChromaServer = request.getfixturevalue("shared_chroma")
            for name in server.collections():
                server.delete_collection(name)
            store: VectorStore = ChromaVectorStore(server.url)
        else:
            url = put_database(tmp_path / "bottega.db")
            if request.param != "embedded-sqlite":
                url = request.getfixturevalue("postgres").new_database()
            database = await stack.enter_async_context(opened(url))
            kind = PgVectorStore if request.param == "pgvector" else EmbeddedVectorStore
            store = kind(database)
        await store.start()
        yield store
        await store.stop()
