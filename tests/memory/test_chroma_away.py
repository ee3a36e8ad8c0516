"""A Chroma server that is away, dies, comes back, or loses its collection (story 8)."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from bottega.core.readers.embedder import Embedder
from bottega.memory.schemas import MemoryInput, NewMemory
from tests.databases import put_database
from tests.memory.builders import open_memory
from tests.peers.chroma import ChromaServer, free_port

DURING = MemoryInput(content="The flaky login test waits for a toast that never comes")
AFTER = MemoryInput(content="Release notes are written from the changelog")

Line = Mapping[str, Any]


@pytest.fixture
def url(tmp_path: Path) -> str:
    return put_database(tmp_path / "bottega.db")


@pytest.fixture
def lines() -> Iterator[list[Line]]:
    with capture_logs() as lines:
        yield lines  # type: ignore[misc]  # structlog's own mapping type


def said(lines: list[Line], level: str) -> list[str]:
    return [line["event"] for line in lines if line["log_level"] == level]


@pytest.mark.requirement("FR-096", "FR-097", "SC-050")
async def test_a_chroma_server_that_answers_at_the_start_is_used(
    url: str, embedder: Embedder, chroma: ChromaServer, lines: list[Line]
) -> None:
    """The collection is made, the log says so, memory is available."""
    chroma.start()
    async with open_memory(url, embedder, chroma.url) as app:
        assert chroma.collections() == ["paige_memories"]
        assert await app.memories.is_memory_available() is True
    assert "ChromaDB connected — collection paige_memories ready" in said(lines, "info")


@pytest.mark.requirement("FR-098", "FR-105", "SC-051")
async def test_a_chroma_server_that_is_away_at_the_start_stops_nothing(
    url: str, embedder: Embedder, chroma: ChromaServer, lines: list[Line]
) -> None:
    """One warning that names the address, and the house is open."""
    async with open_memory(url, embedder, chroma.url) as app:
        assert await app.memories.is_memory_available() is False
        assert app.memory.status() == {"vectors": "chroma", "available": False}
    warning = f"ChromaDB unavailable at {chroma.url} — memory features disabled"
    assert warning in said(lines, "warning")


@pytest.mark.requirement("EC-46", "FR-103", "FR-104", "SC-052")
@pytest.mark.parametrize("address", ["http://127.0.0.1:{port}", "http://no-such-host.invalid"])
async def test_a_wrong_address_is_the_same_as_a_server_that_is_away(
    url: str, embedder: Embedder, address: str, lines: list[Line]
) -> None:
    """Adding adds 0, asking finds nothing, both warn, no error."""
    async with open_memory(url, embedder, address.format(port=free_port())) as app:
        lines.clear()
        assert (await app.memories.add_memories([DURING], "s1", "app")).added == 0
        assert await app.memories.query_memories("login test") == []
    warnings = [line for line in lines if line["event"] == "memory.unavailable"]
    assert [line["operation"] for line in warnings] == ["add", "query"]
    assert {line["log_level"] for line in warnings} == {"warning"}


@pytest.mark.requirement("EC-48")
async def test_adding_nothing_asks_nobody(
    url: str, embedder: Embedder, chroma: ChromaServer, lines: list[Line]
) -> None:
    """With Chroma away any call would warn; this one has nothing to say."""
    async with open_memory(url, embedder, chroma.url) as app:
        lines.clear()
        assert (await app.memories.add_memories([], "s1", "app")).added == 0
        assert lines == []


@pytest.mark.requirement("FR-106", "SC-053")
async def test_memory_recovers_with_the_first_call_after_chroma_is_back(
    url: str, embedder: Embedder, chroma: ChromaServer, lines: list[Line]
) -> None:
    """The call that finds Chroma back succeeds, and nothing told before is lost."""
    async with open_memory(url, embedder, chroma.url) as app:
        assert (await app.memories.add_memories([DURING], "s1", "app")).added == 0
        chroma.start()
        lines.clear()
        assert (await app.memories.add_memories([AFTER], "s1", "app")).added == 1
        assert "ChromaDB connected — collection paige_memories ready" in said(lines, "info")
        assert await app.memories.is_memory_available() is True
        found = await app.memories.query_memories("flaky login test")
    assert [r.content for r in found] == [DURING.content, AFTER.content]


@pytest.mark.requirement("FR-106", "SC-053")
async def test_a_query_recovers_as_well(url: str, embedder: Embedder, chroma: ChromaServer) -> None:
    async with open_memory(url, embedder, chroma.url) as app:
        await app.memories.add_memories([DURING], "s1", "app")
        chroma.start()
        [found] = await app.memories.query_memories("flaky login test")
    assert found.id == "mem_s1_0"


@pytest.mark.requirement("EC-47", "FR-103", "FR-104", "FR-105", "FR-106", "SC-052")
async def test_chroma_may_die_and_come_back_while_the_house_is_open(
    url: str, embedder: Embedder, chroma: ChromaServer
) -> None:
    """Empty answers meanwhile, then as before."""
    chroma.start()
    async with open_memory(url, embedder, chroma.url) as app:
        assert (await app.memories.add_memories([DURING], "s1", "app")).added == 1
        chroma.stop()
        assert await app.memories.query_memories("login") == []
        assert (await app.memories.add_memories([AFTER], "s1", "app")).added == 0
        assert await app.memories.is_memory_available() is False
        chroma.start()
        found = await app.memories.query_memories("login")
        assert {r.id for r in found} == {"mem_s1_0", "mem_s1_1"}
        assert await app.memories.is_memory_available() is True


@pytest.mark.requirement("EC-53")
async def test_a_collection_deleted_by_somebody_else_is_made_again_and_filled(
    url: str, embedder: Embedder, chroma: ChromaServer
) -> None:
    """One call comes back empty, the next has every memory again."""
    chroma.start()
    async with open_memory(url, embedder, chroma.url) as app:
        await app.memories.add_memories([DURING, AFTER], "s1", "app")
        chroma.delete_collection("paige_memories")
        assert await app.memories.query_memories("login") == []
        assert len(await app.memories.query_memories("login")) == 2
    assert {item["id"] for item in chroma.documents("paige_memories")} == {"mem_s1_0", "mem_s1_1"}


async def test_what_is_forgotten_while_chroma_is_away_is_gone_when_it_is_back(
    url: str, embedder: Embedder, chroma: ChromaServer
) -> None:
    chroma.start()
    async with open_memory(url, embedder, chroma.url) as app:
        await app.memories.add_memories([DURING, AFTER], "s1", "app")
        chroma.stop()
        await app.memories.forget("mem_s1_0")
        chroma.start()
        assert [r.id for r in await app.memories.query_memories("login")] == ["mem_s1_1"]
    assert [item["id"] for item in chroma.documents("paige_memories")] == ["mem_s1_1"]


async def test_a_person_is_told_that_a_memory_is_kept_but_cannot_be_found_yet(
    url: str, embedder: Embedder, chroma: ChromaServer
) -> None:
    async with open_memory(url, embedder, chroma.url) as app:
        kept = await app.memories.add(NewMemory(content="Ask Ines about the rollout"))
        assert kept.searchable is False
        found = await app.memory.recall.recall("rollout")
        assert found.unavailable == ["memories"]
        chroma.start()
        found = await app.memory.recall.recall("rollout")
        assert [ranked.item.id for ranked in found.ranked] == [kept.id]
        assert (await app.memories.get(kept.id)).searchable is True
