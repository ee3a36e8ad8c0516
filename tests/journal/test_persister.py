"""Resolved is safe: in the file at once, in the database as soon as it can be."""

import json
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest

from bottega.core.users import LOCAL_USER
from bottega.core.vectors.embedded import EmbeddedVectorStore
from bottega.core.vectors.store import VectorItem
from bottega.errors import BottegaError, Unavailable
from bottega.journal.collector import Collector, Slot
from bottega.journal.entry import Entry
from bottega.journal.enums import Axis
from bottega.journal.folder import JournalFolder
from bottega.journal.index import JournalIndex
from bottega.journal.persister import Persister
from bottega.journal.schemas import ResolveInput, StartInput
from tests.journal.house import CONFIRMED, FALSIFIED, START, House, open_house
from tests.peers.chroma import ChromaServer


class Ailing(EmbeddedVectorStore):
    """The real store, out of order for a number of writes."""

    failures = 0

    async def upsert(self, collection: str, items: Sequence[VectorItem]) -> None:
        if self.failures:
            self.failures -= 1
            raise Unavailable("The vector store does not answer.")
        await super().upsert(collection, items)


class Desk:
    """A persister whose pauses are noted, not slept."""

    def __init__(self, house: House, failures: int) -> None:
        core = house.core
        self.vectors = Ailing(core.database)
        self.vectors.failures = failures
        self.collector = Collector(JournalFolder(core.files.sandbox))
        index = JournalIndex(core.database, self.vectors, core.text_index, core.embedder)
        self.pauses: list[float] = []
        self.waiting_files: list[list[str]] = []

        async def pause(seconds: float) -> None:
            self.pauses.append(seconds)
            self.waiting_files.append(house.files())

        sleep: Callable[[float], Awaitable[None]] = pause
        project = house.journal.project
        self.persister = Persister(core.database, index, self.collector, project, sleep)

    async def resolve(self) -> Entry:
        slot = Slot(LOCAL_USER)
        await self.collector.start(slot, StartInput.model_validate(START))
        return await self.collector.resolve(slot, ResolveInput.model_validate(CONFIRMED))


async def test_a_failure_is_tried_again_after_1_2_and_4_seconds(house: House) -> None:
    """GH-21: the entry is in its local file all the while, and gone from it once stored."""
    desk = Desk(house, failures=3)
    entry = await desk.resolve()
    await desk.persister.persist(LOCAL_USER, entry)
    assert desk.pauses == [1.0, 2.0, 4.0]
    assert desk.waiting_files == [[f"resolved-{entry.id}.json"]] * 3
    assert house.files() == []
    assert (await house.agent("list_ghap_entries"))["results"][0]["confidence_tier"] == "gold"


async def test_if_every_try_fails_the_error_says_that_the_entry_is_safe(house: House) -> None:
    """GH-22: the resolved entry stays local, and the list shows it already."""
    desk = Desk(house, failures=4)
    entry = await desk.resolve()
    with pytest.raises(BottegaError) as failed:
        await desk.persister.persist(LOCAL_USER, entry)
    assert failed.value.type == "internal_error"
    for word in (entry.id, ".claude/journal", "does not answer", "bottega journal sync"):
        assert word in failed.value.message
    assert house.files() == [f"resolved-{entry.id}.json"]
    [listed] = (await house.agent("list_ghap_entries"))["results"]
    assert (listed["id"], listed["outcome_status"]) == (entry.id, "confirmed")
    assert (await house.agent("get_active_ghap"))["has_active"] is False
    assert (await house.journal.entries.show(house.owner, entry.id)).outcome_result


async def test_a_later_sync_finishes_the_work_once(house: House) -> None:
    """GH-24: stored with its vectors; a second sync finds nothing to do."""
    desk = Desk(house, failures=4)
    entry = await desk.resolve()
    with pytest.raises(BottegaError):
        await desk.persister.persist(LOCAL_USER, entry)
    desk.vectors.failures = 1
    still = await desk.persister.sync()
    assert (still.stored, list(still.failed)) == (0, [entry.id])
    done = await desk.persister.sync()
    assert (done.stored, done.failed) == (1, {})
    assert house.files() == []
    assert (await desk.persister.sync()).stored == 0
    found = await house.agent("search_experiences", query="flaky login")
    assert [each["id"] for each in found["results"]] == [entry.id]


async def test_the_next_start_stores_what_was_left(tmp_path: Path, database_url: str) -> None:
    """GH-23: nothing else has to be done."""
    async with open_house(tmp_path, database_url) as house:
        desk = Desk(house, failures=4)
        entry = await desk.resolve()
        with pytest.raises(BottegaError):
            await desk.persister.persist(LOCAL_USER, entry)
    async with open_house(tmp_path, database_url) as house:
        # The work goes on behind the open door; meanwhile the entry is listed from its file.
        while house.files():
            assert (await house.agent("list_ghap_entries"))["count"] == 1
        found = await house.agent("search_experiences", query="flaky login")
        assert [each["id"] for each in found["results"]] == [entry.id]


async def test_storing_twice_is_storing_once(house: House) -> None:
    """GH-24: a crash after the database and before the file is removed leaves no double."""
    desk = Desk(house, failures=0)
    entry = await desk.resolve()
    path = house.folder / f"resolved-{entry.id}.json"
    left = path.read_text()
    await desk.persister.persist(LOCAL_USER, entry)
    path.write_text(left)
    assert (await desk.persister.sync()).stored == 1
    assert (await house.agent("list_ghap_entries"))["count"] == 1
    assert house.files() == []


async def test_lost_vectors_are_made_again(tmp_path: Path, database_url: str) -> None:
    """GH-24: somebody emptied the vector store; sync fills it from the database."""
    async with open_house(tmp_path, database_url) as house:
        for end in (CONFIRMED, FALSIFIED):
            await house.agent("start_ghap", **START)
            await house.agent("resolve_ghap", **end)
        for axis in Axis:
            await house.core.vectors.drop_collection(axis.collection)
    async with open_house(tmp_path, database_url) as house:
        assert (await house.journal.persister.sync()).reindexed == 2
        for axis, count in zip(Axis, (2, 2, 1, 1), strict=True):
            assert await house.core.vectors.count(axis.collection) == count
        assert (await house.journal.persister.sync()).reindexed == 0


async def test_a_collection_deleted_under_the_server_is_said_and_made_again(house: House) -> None:
    """GH-24: the search that meets it says what to do, and sync does it."""
    await house.agent("start_ghap", **START)
    await house.agent("resolve_ghap", **CONFIRMED)
    await house.core.vectors.drop_collection(Axis.FULL.collection)
    result = await house.agent.ask("assemble_context", {"query": "flaky login"})
    assert "bottega journal sync" in result["structuredContent"]["error"]["message"]
    await house.journal.persister.sync()
    assert len((await house.agent("assemble_context", query="flaky login"))["items"]) == 1


async def test_with_chroma_away_the_entry_waits_and_comes_in_later(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """GH-22, GH-24: a real vector server, stopped and started."""
    server = ChromaServer(tmp_path_factory.mktemp("chroma"))
    server.start()
    try:
        async with open_house(tmp_path, chromadb_url=server.url) as house:
            await house.agent("start_ghap", **START)
            await house.agent("resolve_ghap", **CONFIRMED)
            server.stop()
            second = await house.agent("start_ghap", **START | {"goal": "Find the lost cent"})
            core = house.core
            index = JournalIndex(core.database, core.vectors, core.text_index, core.embedder)
            collector = Collector(JournalFolder(core.files.sandbox))
            entry = await collector.resolve(
                Slot(LOCAL_USER), ResolveInput.model_validate(CONFIRMED)
            )

            async def at_once(_: float) -> None:
                return None

            persister = Persister(core.database, index, collector, house.journal.project, at_once)
            with pytest.raises(BottegaError, match="bottega journal sync"):
                await persister.persist(LOCAL_USER, entry)
            assert json.loads((house.folder / f"resolved-{entry.id}.json").read_text())
            by_words = await house.agent("search_experiences", query="flaky")
            assert by_words["count"] == 1
            server.start()
            assert (await persister.sync()).stored == 1
            found = await house.agent("search_experiences", query="lost cent")
            assert found["results"][0]["id"] == second["id"]
    finally:
        server.stop()
