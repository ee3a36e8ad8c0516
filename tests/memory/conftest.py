"""Memory on everything that can keep its vectors: the database, pgvector, a Chroma server."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from bottega.core.readers.embedder import Embedder
from bottega.core.readers.embedding_models import make_embedder
from tests.databases import put_database
from tests.memory.builders import MemoryApp, open_memory
from tests.peers.chroma import ChromaServer


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    return make_embedder("wordllama")


@pytest.fixture(scope="session")
def shared_chroma(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromaServer]:
    server = ChromaServer(tmp_path_factory.mktemp("chroma"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def chroma(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromaServer]:
    """One that a test may stop and start; it is not started yet."""
    server = ChromaServer(tmp_path_factory.mktemp("chroma"))
    yield server
    server.stop()


@pytest.fixture(params=["embedded", "pgvector", "chroma"])
async def app(
    request: pytest.FixtureRequest, tmp_path: Path, embedder: Embedder
) -> AsyncIterator[MemoryApp]:
    """On each of the three vector stores."""
    url, chromadb_url = put_database(tmp_path / "bottega.db"), None
    if request.param == "pgvector":
        url = request.getfixturevalue("postgres").new_database()
    if request.param == "chroma":
        server: ChromaServer = request.getfixturevalue("shared_chroma")
        server.delete_collection("paige_memories")
        chromadb_url = server.url
    async with open_memory(url, embedder, chromadb_url) as app:
        assert app.core.vectors.kind == request.param
        yield app
