"""Memories stored and found by meaning, on all three vector stores (story 8)."""

import asyncio
from pathlib import Path

import pytest

from bottega.core import clock
from bottega.core.readers.embedder import Embedder
from bottega.memory.schemas import MemoryInput
from bottega.memory.stores import Importance
from tests.memory.builders import MemoryApp, open_memory
from tests.peers.chroma import ChromaServer

OAUTH = MemoryInput(
    content="Fixed the OAuth callback race condition by storing the state before the redirect",
    tags=["oauth", "async"],
    importance=Importance.HIGH,
)
GRID = MemoryInput(content="Laid the settings page out with CSS grid", tags=["css"])


def numbered(count: int, first: int = 0) -> list[MemoryInput]:
    numbers = range(first, first + count)
    return [MemoryInput(content=f"Lesson {n} about the parser") for n in numbers]


@pytest.mark.requirement("FR-099", "FR-107", "SC-046")
async def test_memories_are_stored_with_content_and_metadata(app: MemoryApp) -> None:
    """Each keeps its text, session, project, moment, importance, tags."""
    added = await app.memories.add_memories([OAUTH, GRID], "s1", "app-alpha")
    assert added.model_dump() == {"added": 2}
    held = {i.id: i for i in await app.core.vectors.scroll("paige_memories")}
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


@pytest.mark.requirement("FR-099", "SC-046")
async def test_chroma_itself_holds_the_documents_in_one_collection(
    tmp_path: Path, embedder: Embedder, shared_chroma: ChromaServer
) -> None:
    """Seen without our client: text as document, primitives as metadata."""
    shared_chroma.delete_collection("paige_memories")
    url = f"sqlite:///{tmp_path / 'bottega.db'}"
    async with open_memory(url, embedder, shared_chroma.url) as app:
        await app.memories.add_memories([OAUTH, GRID], "s1", "app-alpha")
    held = {item["id"]: item for item in shared_chroma.documents("paige_memories")}
    assert held["mem_s1_1"]["document"] == GRID.content
    assert held["mem_s1_1"]["metadata"]["tags"] == "css"
    assert held["mem_s1_0"]["metadata"]["importance"] == "high"


@pytest.mark.requirement("FR-100")
async def test_ids_run_on_within_a_session(app: MemoryApp) -> None:
    """A second call continues where the first ended; another session starts at 0."""
    await app.memories.add_memories(numbered(2), "s1", "app")
    await app.memories.add_memories(numbered(1, first=2), "s1", "app")
    await app.memories.add_memories(numbered(1, first=3), "s2", "app")
    found = await app.memories.query_memories("lesson about the parser")
    assert {r.id for r in found} == {"mem_s1_0", "mem_s1_1", "mem_s1_2", "mem_s2_0"}


@pytest.mark.requirement("FR-100")
async def test_callers_at_the_same_time_and_in_two_houses_never_share_an_id(
    database_url: str, embedder: Embedder
) -> None:
    """Twenty calls from two servers on one database make sixty different memories."""
    async with (
        open_memory(database_url, embedder) as one,
        open_memory(database_url, embedder) as other,
    ):
        calls = [
            app.memories.add_memories(numbered(3, first=first), "s1", "app")
            for app, start in ((one, 0), (other, 30))
            for first in range(start, start + 30, 3)
        ]
        assert sum(added.added for added in await asyncio.gather(*calls)) == 60
        found = await one.memories.query_memories("lesson", n_results=100)
        assert {r.id for r in found} == {f"mem_s1_{n}" for n in range(60)}


@pytest.mark.requirement("FR-101", "SC-047")
async def test_a_query_ranks_by_meaning(app: MemoryApp) -> None:
    """The related memory is nearer than the unrelated one."""
    await app.memories.add_memories([GRID, OAUTH], "s1", "app")
    nearest, farther = await app.memories.query_memories("race condition in auth flow")
    assert nearest.content == OAUTH.content
    assert farther.content == GRID.content
    assert nearest.distance < farther.distance
    assert nearest.metadata.tags == "oauth,async"
    assert nearest.metadata.session_id == "s1"


@pytest.mark.requirement("SC-048")
async def test_without_a_project_memories_of_all_projects_are_found(app: MemoryApp) -> None:
    """Recall crosses projects."""
    await app.memories.add_memories([OAUTH], "s1", "app-alpha")
    await app.memories.add_memories([GRID], "s2", "app-beta")
    found = await app.memories.query_memories("what was fixed")
    assert {r.metadata.project for r in found} == {"app-alpha", "app-beta"}


@pytest.mark.requirement("FR-102", "SC-049")
async def test_with_a_project_only_its_memories_are_found(app: MemoryApp) -> None:
    """The nearer memory of another project stays away."""
    await app.memories.add_memories([OAUTH], "s1", "app-alpha")
    await app.memories.add_memories([GRID], "s2", "app-beta")
    found = await app.memories.query_memories("OAuth race condition", project="app-beta")
    assert [r.content for r in found] == [GRID.content]


async def test_nobody_finds_the_memories_of_another(app: MemoryApp) -> None:
    ana = await app.new_user("ana")
    await app.memories.add_memories([OAUTH], "s1", "app", user_id=ana)
    assert await app.memories.query_memories("OAuth race condition") == []
    assert len(await app.memories.query_memories("OAuth", user_id=ana)) == 1


@pytest.mark.requirement("FR-101", "EC-52")
async def test_ten_results_unless_told_otherwise(app: MemoryApp) -> None:
    """10 by default, fewer if asked, and never padded."""
    await app.memories.add_memories(numbered(12), "s1", "app")
    assert len(await app.memories.query_memories("parser")) == 10
    assert len(await app.memories.query_memories("parser", n_results=5)) == 5
    assert len(await app.memories.query_memories("parser", n_results=100)) == 12


@pytest.mark.requirement("EC-48")
async def test_adding_nothing_adds_nothing(app: MemoryApp) -> None:
    """No row, no index, no vector."""
    assert (await app.memories.add_memories([], "s1", "app")).added == 0
    assert await app.core.vectors.count("paige_memories") == 0
    await app.memories.add_memories([OAUTH], "s1", "app")
    [found] = await app.memories.query_memories("oauth")
    assert found.id == "mem_s1_0"


@pytest.mark.requirement("EC-49")
async def test_an_empty_query_is_passed_on(app: MemoryApp) -> None:
    """It is the caller's to ask something; there is an answer, and no error."""
    await app.memories.add_memories([OAUTH, GRID], "s1", "app")
    assert len(await app.memories.query_memories("")) == 2


@pytest.mark.requirement("EC-50", "FR-107")
async def test_commas_in_tags_do_not_make_more_tags(app: MemoryApp) -> None:
    """A comma inside a tag becomes a space; empty tags vanish."""
    memory = MemoryInput(content="Cache keys need the locale", tags=["i18n,l10n", " , ", "cache"])
    await app.memories.add_memories([memory], "s1", "app")
    [found] = await app.memories.query_memories("cache")
    assert found.metadata.tags == "i18n l10n,cache"


@pytest.mark.requirement("EC-51")
async def test_many_memories_go_in_one_call(app: MemoryApp) -> None:
    """Sixty at once, all stored."""
    assert (await app.memories.add_memories(numbered(60), "s1", "app")).added == 60
    assert await app.core.vectors.count("paige_memories") == 60


@pytest.mark.requirement("FR-105")
async def test_memory_is_available_on_every_store(app: MemoryApp) -> None:
    assert await app.memories.is_memory_available() is True
