"""The journal's files: local, readable, repairable, and safe from each other."""

import asyncio
import json
import os
import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bottega.core import clock
from bottega.core.events import Event
from bottega.core.sessions.session import SessionKind, SessionStatus
from bottega.journal.entries import service
from bottega.journal.entries.folder import JournalFolder
from bottega.journal.entries.schemas import UpdateInput
from tests.journal.builders import CONFIRMED, START, JournalApp, open_journal

FORMER = START | {
    "id": "ghap_20260101_000000_abcdef",
    "goal": "A goal of last year",
    "created_at": "2026-01-01T00:00:00Z",
    "updated_at": "2026-01-01T00:00:00Z",
}


@pytest.mark.requirement("GH-14")
async def test_an_entry_outlives_the_process(tmp_path: Path) -> None:
    """The open entry is a JSON file of its user's, found again after a restart."""
    async with open_journal(tmp_path) as app:
        started = await app.agent("start_ghap", **START)
        [path] = (tmp_path / "data" / "journal" / "local").glob("project-*/active.json")
        assert json.loads(path.read_text())["id"] == started["id"]
    async with open_journal(tmp_path) as app:
        assert (await app.agent("update_ghap", note="After a restart"))["iteration_count"] == 2
        assert (await app.agent("get_active_ghap"))["id"] == started["id"]


@pytest.mark.requirement("GH-15")
async def test_a_file_can_be_read_and_repaired_by_hand(app: JournalApp) -> None:
    """One field a line, in plain words; what a person changes or adds counts."""
    await app.agent("start_ghap", **START)
    path = app.folder / "active.json"
    text = path.read_text()
    assert f'  "goal": "{START["goal"]}",\n' in text
    edited = json.loads(text) | {"goal": "A goal mended by hand", "remark": "by hand"}
    path.write_text(json.dumps(edited))
    assert (await app.agent("get_active_ghap"))["goal"] == "A goal mended by hand"
    await app.agent("update_ghap", note="go on")
    assert json.loads(path.read_text())["remark"] == "by hand"


@pytest.mark.requirement("GH-15")
async def test_a_reader_never_sees_half_an_entry(app: JournalApp) -> None:
    """While it is rewritten a hundred times, every read is a whole entry."""
    await app.agent("start_ghap", **START)
    path, done = app.folder / "active.json", asyncio.Event()

    async def rewrite() -> None:
        for number in range(100):
            await app.agent("update_ghap", note=f"step {number} " + "x" * 900)
        done.set()

    writing = asyncio.create_task(rewrite())
    reads = 0
    while not done.is_set():
        assert json.loads(await asyncio.to_thread(path.read_text))["goal"] == START["goal"]
        reads += 1
    await writing
    assert reads > 10
    assert not [name for name in os.listdir(app.folder) if name.startswith(".bottega-")]


@pytest.mark.requirement("GH-16")
@pytest.mark.parametrize(
    "content",
    [b'{"id": "ghap_20260101_0000', b"", b"[]", b'{"some": "other tool"}', b"\xff\xfe\x00"],
    ids=["half-written", "empty", "a list", "foreign", "binary"],
)
async def test_what_cannot_be_read_is_set_aside_and_never_deleted(
    app: JournalApp, content: bytes
) -> None:
    """A warning, the same bytes under another name, and the journal goes on."""
    app.folder.mkdir(parents=True, exist_ok=True)
    (app.folder / "active.json").write_bytes(content)
    with capture_logs() as logs:
        assert (await app.agent("get_active_ghap"))["has_active"] is False
    [warning] = [log for log in logs if log["event"] == "journal.file_set_aside"]
    assert warning["log_level"] == "warning"
    [name] = app.files()
    assert name.startswith("active.json.bad-")
    assert warning["kept_as"] == name
    assert (app.folder / name).read_bytes() == content
    await app.agent("start_ghap", **START)
    assert (app.folder / name).read_bytes() == content


@pytest.mark.requirement("GH-16")
async def test_a_waiting_file_that_cannot_be_read_does_not_stop_the_others(app: JournalApp) -> None:
    """It is set aside, the list and the next resolve work."""
    app.folder.mkdir(parents=True, exist_ok=True)
    (app.folder / "resolved-ghap_20260101_000000_abcdef.json").write_text("{")
    (app.folder / "orphan-x.json").write_text("not json")
    await app.agent("start_ghap", **START)
    assert (await app.agent("list_ghap_entries"))["count"] == 1
    await app.agent("resolve_ghap", **CONFIRMED)
    assert [".bad-" in name for name in app.files()] == [True, True]


@pytest.mark.requirement("GH-20")
async def test_sessions_have_an_entry_each_and_the_rest_share_one(app: JournalApp) -> None:
    """Two agents in one project do not overwrite each other."""
    one = await app.agent("start_ghap", **START, session_id="one")
    two = await app.agent("start_ghap", **START, session_id="two")
    shared = await app.agent("start_ghap", **START)
    assert "warning" not in two
    assert "warning" not in shared
    await app.agent("update_ghap", session_id="one", note="mine")
    for session, entry, count in (("one", one, 2), ("two", two, 1), (None, shared, 1)):
        arguments = {} if session is None else {"session_id": session}
        active = await app.agent("get_active_ghap", **arguments)
        assert (active["id"], active["iteration_count"]) == (entry["id"], count)
    await app.agent("resolve_ghap", **CONFIRMED, session_id="two")
    assert (await app.agent("get_active_ghap", session_id="one"))["has_active"]
    assert (await app.agent("get_active_ghap"))["has_active"]


@pytest.mark.requirement("GH-20")
async def test_updates_at_the_same_time_are_all_counted(app: JournalApp) -> None:
    """Also of two processes that share the project."""
    await app.agent("start_ghap", **START)
    other = app.journal.entries
    await asyncio.gather(
        *(app.agent("update_ghap", note=f"a{n}") for n in range(10)),
        *(other.update("local", UpdateInput(note=f"b{n}")) for n in range(10)),
    )
    assert (await app.agent("get_active_ghap"))["iteration_count"] == 21


@pytest.mark.requirement("GH-18")
async def test_an_orphan_is_found_and_adopted(app: JournalApp) -> None:
    """A displaced entry goes on in another session, history and all."""
    old = await app.agent("start_ghap", **START)
    await app.agent("update_ghap", note="half-way")
    new = await app.agent("start_ghap", **START)
    found = await app.journal.entries.orphans("local")
    assert [orphan.id for orphan in found.results] == [old["id"]]
    adopted = await app.agent("adopt_ghap", id=old["id"], session_id="heir")
    assert (adopted["id"], adopted["iteration_count"]) == (old["id"], 2)
    assert (await app.agent("get_active_ghap", session_id="heir"))["id"] == old["id"]
    assert (await app.agent("get_active_ghap"))["id"] == new["id"]
    assert (await app.journal.entries.orphans("local")).count == 0


@pytest.mark.requirement("GH-18")
async def test_an_entry_of_a_clock_that_was_set_back_is_an_orphan_too(
    app: JournalApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody could adopt or abandon it before that moment came."""
    ahead = clock.now() + timedelta(days=20)
    with monkeypatch.context() as patched:
        patched.setattr(clock, "now", lambda: ahead)
        old = await app.agent("start_ghap", **START)
        assert (await app.journal.entries.orphans("local")).count == 0
    found = await app.journal.entries.orphans("local")
    assert [orphan.id for orphan in found.results] == [old["id"]]


@pytest.mark.requirement("GH-18")
async def test_adopting_makes_an_orphan_of_what_was_open_there(app: JournalApp) -> None:
    """Nothing is overwritten."""
    old = await app.agent("start_ghap", **START)
    new = await app.agent("start_ghap", **START)
    await app.agent("adopt_ghap", id=old["id"])
    assert (await app.agent("get_active_ghap"))["id"] == old["id"]
    assert [o.id for o in (await app.journal.entries.orphans("local")).results] == [new["id"]]


@pytest.mark.requirement("GH-19")
async def test_an_orphan_is_abandoned_and_kept_as_such(app: JournalApp) -> None:
    """Stored with the outcome abandoned."""
    old = await app.agent("start_ghap", **START)
    await app.agent("start_ghap", **START)
    await app.journal.entries.abandon("local", old["id"], "Nobody remembers why")
    [entry] = (await app.agent("list_ghap_entries", outcome="abandoned"))["results"]
    assert (entry["id"], entry["confidence_tier"]) == (old["id"], "abandoned")
    assert app.files() == ["active.json"]


@pytest.mark.requirement("GH-18")
async def test_the_entry_of_a_session_that_is_over_is_an_orphan(app: JournalApp) -> None:
    """While the session lives its entry cannot be taken from it."""
    sessions = app.core.sessions
    session = await sessions.create(SessionKind.AGENT, app.journal.project)
    started = await app.agent("start_ghap", **START, session_id=session.id)
    kind, message = await app.agent.refused("adopt_ghap", id=started["id"])
    assert kind == "conflict"
    assert session.id in message
    await sessions.end(session.id, SessionStatus.COMPLETED, user_id="local")
    assert (await app.agent("adopt_ghap", id=started["id"]))["id"] == started["id"]


@pytest.mark.requirement("GH-18")
async def test_an_unknown_session_s_entry_is_an_orphan_after_a_silent_day(
    app: JournalApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Agents name sessions that nobody here knows the end of."""
    started = await app.agent("start_ghap", **START, session_id="somebody")
    assert (await app.journal.entries.orphans("local")).count == 0
    later = clock.now() + service.SILENT * 2
    monkeypatch.setattr(clock, "now", lambda: later)
    assert [o.id for o in (await app.journal.entries.orphans("local")).results] == [started["id"]]


@pytest.mark.requirement("GH-21")
async def test_a_crash_between_resolving_and_moving_loses_nothing(app: JournalApp) -> None:
    """An active file that says it is resolved is waiting to be stored."""
    started = await app.agent("start_ghap", **START)
    path = app.folder / "active.json"
    end = CONFIRMED | {"confidence_tier": "gold", "resolved_at": clock.iso()}
    path.write_text(json.dumps(json.loads(path.read_text()) | {"resolution": end}))
    assert (await app.agent("get_active_ghap"))["has_active"] is False
    assert (await app.journal.sync()).stored == 1
    assert app.files() == []
    [entry] = (await app.agent("list_ghap_entries"))["results"]
    assert (entry["id"], entry["outcome_status"]) == (started["id"], "confirmed")


@pytest.mark.requirement("GH-21", "GH-11")
async def test_a_start_over_what_a_crash_left_resolved_overwrites_nothing(app: JournalApp) -> None:
    """The resolved entry waits to be stored; it is no orphan."""
    old = await app.agent("start_ghap", **START)
    path = app.folder / "active.json"
    end = CONFIRMED | {"confidence_tier": "gold", "resolved_at": clock.iso()}
    path.write_text(json.dumps(json.loads(path.read_text()) | {"resolution": end}))
    assert "warning" not in await app.agent("start_ghap", **START)
    assert app.files() == ["active.json", f"resolved-{old['id']}.json"]


@pytest.mark.requirement("GH-20")
async def test_whoever_looks_while_others_resolve_disturbs_nothing(app: JournalApp) -> None:
    """Lists and looks at the same time as starts and resolves; every entry is stored."""
    done = asyncio.Event()

    async def look() -> None:
        while not done.is_set():
            await app.agent("get_active_ghap")
            await app.agent("list_ghap_entries")

    looking = asyncio.create_task(look())
    for _ in range(15):
        await app.agent("start_ghap", **START)
        await app.agent("resolve_ghap", **CONFIRMED)
    done.set()
    await looking
    assert (await app.agent("list_ghap_entries", outcome="confirmed"))["count"] == 15
    assert app.files() == []


@pytest.mark.requirement("GH-15")
async def test_open_entries_are_private_and_not_in_the_project(app: JournalApp) -> None:
    """A folder for each user, which nobody else may enter."""
    ada = await app.agent_of("Ada")
    await app.agent("start_ghap", **START)
    await ada("start_ghap", **START)
    assert list(Path(app.journal.project).rglob("*")) == []
    place = app.folder.parents[1]
    assert len(list(place.glob("*/*/active.json"))) == 2
    for path in (place, *place.rglob("*")):
        assert path.stat().st_mode & 0o077 == 0, path
    await app.agent("update_ghap", note="again")
    assert (app.folder / "active.json").stat().st_mode & 0o777 == 0o600


async def test_projects_of_one_name_have_each_their_own(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        async with open_journal(tmp_path / name) as app:
            await app.agent("start_ghap", **START)
            names = {path.parent.name for path in app.folder.glob("active.json")}
    assert len(names) == 1
    one = JournalFolder(tmp_path, tmp_path / "one" / "project")
    two = JournalFolder(tmp_path, tmp_path / "two" / "project")
    assert one._key != two._key


def leave_in_project(project: Path, *names: str) -> Path:
    """As an earlier version did."""
    folder = project / ".claude" / "journal"
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).write_text(json.dumps(FORMER))
    (folder / ".lock").touch()
    return folder


async def test_entries_that_lie_in_the_project_are_taken_over_once(tmp_path: Path) -> None:
    async with open_journal(tmp_path) as app:
        await app.agent("start_ghap", **START)
        await app.agent("resolve_ghap", **CONFIRMED)
        await app.core.bus.flush()
    shutil.rmtree(tmp_path / "data" / "journal")
    folder = leave_in_project(tmp_path / "project", "active.json", "active.json.bad-1")
    async with open_journal(tmp_path) as app:
        assert (await app.agent("get_active_ghap"))["goal"] == FORMER["goal"]
        assert app.files() == ["active.json", "active.json.bad-1"]
        assert sorted(path.name for path in folder.iterdir()) == [".lock"]
        await app.agent("resolve_ghap", **CONFIRMED)
    (folder / "active.json").write_text(json.dumps(FORMER))
    async with open_journal(tmp_path) as app:
        assert (await app.agent("get_active_ghap"))["has_active"] is False


async def test_entries_that_a_strangers_project_brings_are_not_taken_over(tmp_path: Path) -> None:
    """Neither at the first start nor later, when the project is known."""
    (tmp_path / "project").mkdir()
    folder = leave_in_project(tmp_path / "project", "active.json", "resolved-x.json")
    for _ in range(2):
        async with open_journal(tmp_path) as app:
            assert (await app.agent("get_active_ghap"))["has_active"] is False
            assert (await app.agent("list_ghap_entries"))["count"] == 0
            app.core.bus.publish(Event("board.synced", {}, project=app.journal.project))
            await app.core.bus.flush()
    assert (folder / "active.json").exists()
