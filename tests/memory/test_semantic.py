"""Memories stored and found by meaning, on all three vector stores (story 8)."""

import asyncio
from pathlib import Path

from bottega.core import clock
from bottega.core.embeddings import Embedder
from bottega.memory.schemas import MemoryInput
from bottega.memory.stores import Importance
from tests.memory.house import House, open_house
from tests.peers.chroma import ChromaServer

OAUTH = MemoryInput(
    content="Fixed the OAuth callback race condition by storing the state before the redirect",
    tags=["oauth", "async"],
    importance=Importance.HIGH,
)
GRID = MemoryInput(content="Laid the settings page out with CSS grid", tags=["css"])


def numbered(count: int) -> list[MemoryInput]:
    return [MemoryInput(content=f"Lesson {n} about the parser") for n in range(count)]


async def test_memories_are_stored_with_content_and_metadata(house: House) -> None:
    """FR-099, FR-107, SC-046: each keeps its text, session, project, moment, importance, tags."""
    added = await house.memories.add_memories([OAUTH, GRID], "s1", "app-alpha")
    assert added.model_dump() == {"added": 2}
    held = {i.id: i for i in await house.vectors.scroll("paige_memories")}
    assert held.keys() == {"mem_s1_0", "mem_s1_1"}
    first = held["mem_s1_0"]
    assert first.document == OAUTH.content
    assert clock.parse(str(first.metadata["created_at"])) <= clock.now()
    assert {k: first.metadata[k] for k in ("session_id", "project", "importance", "tags")} == {
        "session_id": "s1",
        "project": "app-alpha",
        "importance": "high",
        "tags": "oauth,async",
    }


async def test_chroma_itself_holds_the_documents_in_one_collection(
    tmp_path: Path, embedder: Embedder, shared_chroma: ChromaServer
) -> None:
    """FR-099, SC-046: seen without our client: text as document, primitives as metadata."""
    shared_chroma.delete_collection("paige_memories")
    url = f"sqlite:///{tmp_path / 'bottega.db'}"
    async with open_house(url, embedder, shared_chroma.url) as house:
        await house.memories.add_memories([OAUTH, GRID], "s1", "app-alpha")
    held = {item["id"]: item for item in shared_chroma.documents("paige_memories")}
    assert held["mem_s1_1"]["document"] == GRID.content
    assert held["mem_s1_1"]["metadata"]["tags"] == "css"
    assert held["mem_s1_0"]["metadata"]["importance"] == "high"


async def test_ids_run_on_within_a_session(house: House) -> None:
    """FR-100: a second call continues where the first ended; another session starts at 0."""
    await house.memories.add_memories(numbered(2), "s1", "app")
    await house.memories.add_memories(numbered(1), "s1", "app")
    await house.memories.add_memories(numbered(1), "s2", "app")
    found = await house.memories.query_memories("lesson about the parser")
    assert {r.id for r in found} == {"mem_s1_0", "mem_s1_1", "mem_s1_2", "mem_s2_0"}


async def test_callers_at_the_same_time_and_in_two_houses_never_share_an_id(
    database_url: str, embedder: Embedder
) -> None:
    """FR-100: twenty calls from two servers on one database make sixty different memories."""
    async with (
        open_house(database_url, embedder) as one,
        open_house(database_url, embedder) as other,
    ):
        calls = [
            house.memories.add_memories(numbered(3), "s1", "app")
            for house in (one, other)
            for _ in range(10)
        ]
        assert sum(added.added for added in await asyncio.gather(*calls)) == 60
        found = await one.memories.query_memories("lesson", n_results=100)
        assert {r.id for r in found} == {f"mem_s1_{n}" for n in range(60)}


async def test_a_query_ranks_by_meaning(house: House) -> None:
    """FR-101, SC-047: the related memory is nearer than the unrelated one."""
    await house.memories.add_memories([GRID, OAUTH], "s1", "app")
    nearest, farther = await house.memories.query_memories("race condition in auth flow")
    assert nearest.content == OAUTH.content
    assert farther.content == GRID.content
    assert nearest.distance < farther.distance
    assert nearest.metadata.tags == "oauth,async"
    assert nearest.metadata.session_id == "s1"


async def test_without_a_project_memories_of_all_projects_are_found(house: House) -> None:
    """SC-048: recall crosses projects."""
    await house.memories.add_memories([OAUTH], "s1", "app-alpha")
    await house.memories.add_memories([GRID], "s2", "app-beta")
    found = await house.memories.query_memories("what was fixed")
    assert {r.metadata.project for r in found} == {"app-alpha", "app-beta"}


async def test_with_a_project_only_its_memories_are_found(house: House) -> None:
    """FR-102, SC-049: the nearer memory of another project stays away."""
    await house.memories.add_memories([OAUTH], "s1", "app-alpha")
    await house.memories.add_memories([GRID], "s2", "app-beta")
    found = await house.memories.query_memories("OAuth race condition", project="app-beta")
    assert [r.content for r in found] == [GRID.content]


async def test_nobody_finds_the_memories_of_another(house: House) -> None:
    ana = await house.new_user("ana")
    await house.memories.add_memories([OAUTH], "s1", "app", user_id=ana)
    assert await house.memories.query_memories("OAuth race condition") == []
    assert len(await house.memories.query_memories("OAuth", user_id=ana)) == 1


async def test_ten_results_unless_told_otherwise(house: House) -> None:
    """FR-101, EC-52: 10 by default, fewer if asked, and never padded."""
    await house.memories.add_memories(numbered(12), "s1", "app")
    assert len(await house.memories.query_memories("parser")) == 10
    assert len(await house.memories.query_memories("parser", n_results=5)) == 5
    assert len(await house.memories.query_memories("parser", n_results=100)) == 12


async def test_adding_nothing_adds_nothing(house: House) -> None:
    """EC-48: no row, no index, no vector."""
    assert (await house.memories.add_memories([], "s1", "app")).added == 0
    assert await house.vectors.count("paige_memories") == 0
    await house.memories.add_memories([OAUTH], "s1", "app")
    [found] = await house.memories.query_memories("oauth")
    assert found.id == "mem_s1_0"


async def test_an_empty_query_is_passed_on(house: House) -> None:
    """EC-49: it is the caller's to ask something; there is an answer, and no error."""
    await house.memories.add_memories([OAUTH, GRID], "s1", "app")
    assert len(await house.memories.query_memories("")) == 2


async def test_commas_in_tags_do_not_make_more_tags(house: House) -> None:
    """EC-50, FR-107: a comma inside a tag becomes a space; empty tags vanish."""
    memory = MemoryInput(content="Cache keys need the locale", tags=["i18n,l10n", " , ", "cache"])
    await house.memories.add_memories([memory], "s1", "app")
    [found] = await house.memories.query_memories("cache")
    assert found.metadata.tags == "i18n l10n,cache"


async def test_many_memories_go_in_one_call(house: House) -> None:
    """EC-51: sixty at once, all stored."""
    assert (await house.memories.add_memories(numbered(60), "s1", "app")).added == 60
    assert await house.vectors.count("paige_memories") == 60


async def test_memory_is_available_on_every_store(house: House) -> None:
    """FR-105."""
    assert await house.memories.is_memory_available() is True
