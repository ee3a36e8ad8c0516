"""Resolved is safe: in the file at once, in the database as soon as it can be."""

import json
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest

from bottega.core.search.embedded import EmbeddedVectorStore
from bottega.core.search.vector_store import VectorItem
from bottega.core.users import LOCAL_USER
from bottega.errors import BottegaError, Unavailable
from bottega.journal.entries.enums import Axis
from bottega.journal.entries.folder import JournalFolder
from bottega.journal.entries.index import JournalIndex
from bottega.journal.entries.model import Entry
from bottega.journal.entries.open_entries import OpenEntries, Slot
from bottega.journal.entries.persister import Persister
from bottega.journal.entries.schemas import JournalStartInput, ResolveInput
from tests.journal.builders import CONFIRMED, FALSIFIED, START, JournalApp, open_journal
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

    def __init__(self, app: JournalApp, failures: int) -> None:
        core = app.core
        self.vectors = Ailing(core.database)
        self.vectors.failures = failures
        self.open_entries = OpenEntries(JournalFolder(core.choices.data_dir, core.files.root))
        index = JournalIndex(core.database, self.vectors, core.text_index, core.embedder)
        self.pauses: list[float] = []
        self.waiting_files: list[list[str]] = []

        async def pause(seconds: float) -> None:
            self.pauses.append(seconds)
            self.waiting_files.append(app.files())

        sleep: Callable[[float], Awaitable[None]] = pause
        project = app.journal.project
        self.persister = Persister(core.database, index, self.open_entries, project, sleep)

    async def resolve(self) -> Entry:
        slot = Slot(LOCAL_USER)
        await self.open_entries.start(slot, JournalStartInput.model_validate(START))
        return await self.open_entries.resolve(slot, ResolveInput.model_validate(CONFIRMED))


@pytest.mark.requirement("GH-21")
async def test_a_failure_is_tried_again_after_1_2_and_4_seconds(app: JournalApp) -> None:
    """The entry is in its local file all the while, and gone from it once stored."""
    desk = Desk(app, failures=3)
    entry = await desk.resolve()
    await desk.persister.persist(LOCAL_USER, entry)
    assert desk.pauses == [1.0, 2.0, 4.0]
    assert desk.waiting_files == [[f"resolved-{entry.id}.json"]] * 3
    assert app.files() == []
    assert (await app.agent("list_ghap_entries"))["results"][0]["confidence_tier"] == "gold"


@pytest.mark.requirement("GH-22")
async def test_if_every_try_fails_the_error_says_that_the_entry_is_safe(app: JournalApp) -> None:
    """The resolved entry stays local, and the list shows it already."""
    desk = Desk(app, failures=4)
    entry = await desk.resolve()
    with pytest.raises(BottegaError) as failed:
        await desk.persister.persist(LOCAL_USER, entry)
    assert failed.value.type == "internal_error"
    for word in (
        entry.id,
        "safe in a file of the journal",
        "does not answer",
        "bottega journal sync",
    ):
        assert word in failed.value.message
    assert app.files() == [f"resolved-{entry.id}.json"]
    [listed] = (await app.agent("list_ghap_entries"))["results"]
    assert (listed["id"], listed["outcome_status"]) == (entry.id, "confirmed")
    assert (await app.agent("get_active_ghap"))["has_active"] is False
    assert (await app.journal.entries.show(app.owner, entry.id)).outcome_result


@pytest.mark.requirement("GH-24")
async def test_a_later_sync_finishes_the_work_once(app: JournalApp) -> None:
    """Stored with its vectors; a second sync finds nothing to do."""
    desk = Desk(app, failures=4)
    entry = await desk.resolve()
    with pytest.raises(BottegaError):
        await desk.persister.persist(LOCAL_USER, entry)
    desk.vectors.failures = 1
    failed: dict[str, str] = {}
    stored = await desk.persister.store_waiting(failed=failed)
    assert (stored, list(failed)) == (0, [entry.id])
    done = await app.journal.sync()
    assert (done.stored, done.failed) == (1, {})
    assert app.files() == []
    assert (await app.journal.sync()).stored == 0
    found = await app.agent("search_experiences", query="flaky login")
    assert [each["id"] for each in found["results"]] == [entry.id]


@pytest.mark.requirement("GH-23")
async def test_the_next_start_stores_what_was_left(tmp_path: Path, database_url: str) -> None:
    """Nothing else has to be done."""
    async with open_journal(tmp_path, database_url) as app:
        desk = Desk(app, failures=4)
        entry = await desk.resolve()
        with pytest.raises(BottegaError):
            await desk.persister.persist(LOCAL_USER, entry)
    async with open_journal(tmp_path, database_url) as app:
        # The work goes on behind the open door; meanwhile the entry is listed from its file.
        while app.files():
            assert (await app.agent("list_ghap_entries"))["count"] == 1
        found = await app.agent("search_experiences", query="flaky login")
        assert [each["id"] for each in found["results"]] == [entry.id]


@pytest.mark.requirement("GH-24")
async def test_storing_twice_is_storing_once(app: JournalApp) -> None:
    """A crash after the database and before the file is removed leaves no double."""
    desk = Desk(app, failures=0)
    entry = await desk.resolve()
    path = app.folder / f"resolved-{entry.id}.json"
    left = path.read_text()
    await desk.persister.persist(LOCAL_USER, entry)
    path.write_text(left)
    assert await desk.persister.store_waiting() == 1
    assert (await app.agent("list_ghap_entries"))["count"] == 1
    assert app.files() == []


@pytest.mark.requirement("GH-24")
async def test_lost_vectors_are_made_again(tmp_path: Path, database_url: str) -> None:
    """Somebody emptied the vector store; sync fills it from the database."""
    async with open_journal(tmp_path, database_url) as app:
        for end in (CONFIRMED, FALSIFIED):
            await app.agent("start_ghap", **START)
            await app.agent("resolve_ghap", **end)
        for axis in Axis:
            await app.core.vectors.drop_collection(axis.collection)
    async with open_journal(tmp_path, database_url) as app:
        assert (await app.journal.sync()).reindexed == 2
        for axis, count in zip(Axis, (2, 2, 1, 1), strict=True):
            assert await app.core.vectors.count(axis.collection) == count
        assert (await app.journal.sync()).reindexed == 0


@pytest.mark.requirement("GH-24")
async def test_a_collection_deleted_under_the_server_is_said_and_made_again(
    app: JournalApp,
) -> None:
    """The search that meets it says what to do, and sync does it."""
    await app.agent("start_ghap", **START)
    await app.agent("resolve_ghap", **CONFIRMED)
    await app.core.vectors.drop_collection(Axis.FULL.collection)
    result = await app.agent.ask("assemble_context", {"query": "flaky login"})
    assert "bottega journal sync" in result["structuredContent"]["error"]["message"]
    await app.journal.sync()
    assert len((await app.agent("assemble_context", query="flaky login"))["items"]) == 1


@pytest.mark.requirement("GH-22", "GH-24")
async def test_with_chroma_away_the_entry_waits_and_comes_in_later(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A real vector server, stopped and started."""
    server = ChromaServer(tmp_path_factory.mktemp("chroma"))
    server.start()
    try:
        async with open_journal(tmp_path, chromadb_url=server.url) as app:
            await app.agent("start_ghap", **START)
            await app.agent("resolve_ghap", **CONFIRMED)
            server.stop()
            second = await app.agent("start_ghap", **START | {"goal": "Find the lost cent"})
            core = app.core
            index = JournalIndex(core.database, core.vectors, core.text_index, core.embedder)
            open_entries = OpenEntries(JournalFolder(core.choices.data_dir, core.files.root))
            entry = await open_entries.resolve(
                Slot(LOCAL_USER), ResolveInput.model_validate(CONFIRMED)
            )

            async def at_once(_: float) -> None:
                return None

            persister = Persister(core.database, index, open_entries, app.journal.project, at_once)
            with pytest.raises(BottegaError, match="bottega journal sync"):
                await persister.persist(LOCAL_USER, entry)
            assert json.loads((app.folder / f"resolved-{entry.id}.json").read_text())
            by_words = await app.agent("search_experiences", query="flaky")
            assert by_words["count"] == 1
            server.start()
            assert await persister.store_waiting() == 1
            found = await app.agent("search_experiences", query="lost cent")
            assert found["results"][0]["id"] == second["id"]
    finally:
        server.stop()
