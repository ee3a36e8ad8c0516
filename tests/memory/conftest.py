"""Memory on everything that can keep its vectors: the database, pgvector, a Chroma server."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from bottega.core.embeddings import Embedder, make_embedder
from tests.databases import put_database
from tests.memory.house import House, open_house
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
async def house(
    request: pytest.FixtureRequest, tmp_path: Path, embedder: Embedder
) -> AsyncIterator[House]:
    """A house on each of the three vector stores."""
    url, chromadb_url = put_database(tmp_path / "bottega.db"), None
    if request.param == "pgvector":
        url = request.getfixturevalue("postgres").new_database()
    if request.param == "chroma":
        server: ChromaServer = request.getfixturevalue("shared_chroma")
        server.delete_collection("paige_memories")
        chromadb_url = server.url
    async with open_house(url, embedder, chromadb_url) as house:
        assert house.vectors.kind == request.param
        yield house
