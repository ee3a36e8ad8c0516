"""The journal's files: local, readable, repairable, and safe from each other."""

import asyncio
import json
import os
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bottega.core import clock
from bottega.core.sessions import SessionKind, SessionStatus
from bottega.journal import orphans
from bottega.journal.schemas import UpdateInput
from tests.journal.house import CONFIRMED, START, House, open_house


async def test_an_entry_outlives_the_process(tmp_path: Path) -> None:
    """GH-14: the open entry is a JSON file in the project, found again after a restart."""
    async with open_house(tmp_path) as house:
        started = await house.agent("start_ghap", **START)
        path = tmp_path / "project" / ".claude" / "journal" / "active.json"
        assert json.loads(path.read_text())["id"] == started["id"]
    async with open_house(tmp_path) as house:
        assert (await house.agent("update_ghap", note="After a restart"))["iteration_count"] == 2
        assert (await house.agent("get_active_ghap"))["id"] == started["id"]


async def test_a_file_can_be_read_and_repaired_by_hand(house: House) -> None:
    """GH-15: one field a line, in plain words; what a person changes or adds counts."""
    await house.agent("start_ghap", **START)
    path = house.folder / "active.json"
    text = path.read_text()
    assert f'  "goal": "{START["goal"]}",\n' in text
    edited = json.loads(text) | {"goal": "A goal mended by hand", "remark": "by hand"}
    path.write_text(json.dumps(edited))
    assert (await house.agent("get_active_ghap"))["goal"] == "A goal mended by hand"
    await house.agent("update_ghap", note="go on")
    assert json.loads(path.read_text())["remark"] == "by hand"


async def test_a_reader_never_sees_half_an_entry(house: House) -> None:
    """GH-15: while it is rewritten a hundred times, every read is a whole entry."""
    await house.agent("start_ghap", **START)
    path, done = house.folder / "active.json", asyncio.Event()

    async def rewrite() -> None:
        for number in range(100):
            await house.agent("update_ghap", note=f"step {number} " + "x" * 900)
        done.set()

    writing = asyncio.create_task(rewrite())
    reads = 0
    while not done.is_set():
        assert json.loads(await asyncio.to_thread(path.read_text))["goal"] == START["goal"]
        reads += 1
    await writing
    assert reads > 10
    assert not [name for name in os.listdir(house.folder) if name.startswith(".bottega-")]


@pytest.mark.parametrize(
    "content",
    [b'{"id": "ghap_20260101_0000', b"", b"[]", b'{"some": "other tool"}', b"\xff\xfe\x00"],
    ids=["half-written", "empty", "a list", "foreign", "binary"],
)
async def test_what_cannot_be_read_is_set_aside_and_never_deleted(
    house: House, content: bytes
) -> None:
    """GH-16: a warning, the same bytes under another name, and the journal goes on."""
    house.folder.mkdir(parents=True)
    (house.folder / "active.json").write_bytes(content)
    with capture_logs() as logs:
        assert (await house.agent("get_active_ghap"))["has_active"] is False
    [warning] = [log for log in logs if log["event"] == "journal.file_set_aside"]
    assert warning["log_level"] == "warning"
    [name] = house.files()
    assert name.startswith("active.json.bad-")
    assert warning["kept_as"] == name
    assert (house.folder / name).read_bytes() == content
    await house.agent("start_ghap", **START)
    assert (house.folder / name).read_bytes() == content


async def test_a_waiting_file_that_cannot_be_read_does_not_stop_the_others(house: House) -> None:
    """GH-16: it is set aside, the list and the next resolve work."""
    house.folder.mkdir(parents=True)
    (house.folder / "resolved-ghap_20260101_000000_abcdef.json").write_text("{")
    (house.folder / "orphan-x.json").write_text("not json")
    await house.agent("start_ghap", **START)
    assert (await house.agent("list_ghap_entries"))["count"] == 1
    await house.agent("resolve_ghap", **CONFIRMED)
    assert [".bad-" in name for name in house.files()] == [True, True]


async def test_sessions_have_an_entry_each_and_the_rest_share_one(house: House) -> None:
    """GH-20: two agents in one project do not overwrite each other."""
    one = await house.agent("start_ghap", **START, session_id="one")
    two = await house.agent("start_ghap", **START, session_id="two")
    shared = await house.agent("start_ghap", **START)
    assert "warning" not in two
    assert "warning" not in shared
    await house.agent("update_ghap", session_id="one", note="mine")
    for session, entry, count in (("one", one, 2), ("two", two, 1), (None, shared, 1)):
        arguments = {} if session is None else {"session_id": session}
        active = await house.agent("get_active_ghap", **arguments)
        assert (active["id"], active["iteration_count"]) == (entry["id"], count)
    await house.agent("resolve_ghap", **CONFIRMED, session_id="two")
    assert (await house.agent("get_active_ghap", session_id="one"))["has_active"]
    assert (await house.agent("get_active_ghap"))["has_active"]


async def test_updates_at_the_same_time_are_all_counted(house: House) -> None:
    """GH-20: also of two processes that share the project."""
    await house.agent("start_ghap", **START)
    other = house.journal.entries
    await asyncio.gather(
        *(house.agent("update_ghap", note=f"a{n}") for n in range(10)),
        *(other.update("local", UpdateInput(note=f"b{n}")) for n in range(10)),
    )
    assert (await house.agent("get_active_ghap"))["iteration_count"] == 21


async def test_an_orphan_is_found_and_adopted(house: House) -> None:
    """GH-18: a displaced entry goes on in another session, history and all."""
    old = await house.agent("start_ghap", **START)
    await house.agent("update_ghap", note="half-way")
    new = await house.agent("start_ghap", **START)
    found = await house.journal.entries.orphans("local")
    assert [orphan.id for orphan in found.results] == [old["id"]]
    adopted = await house.agent("adopt_ghap", id=old["id"], session_id="heir")
    assert (adopted["id"], adopted["iteration_count"]) == (old["id"], 2)
    assert (await house.agent("get_active_ghap", session_id="heir"))["id"] == old["id"]
    assert (await house.agent("get_active_ghap"))["id"] == new["id"]
    assert (await house.journal.entries.orphans("local")).count == 0


async def test_adopting_makes_an_orphan_of_what_was_open_there(house: House) -> None:
    """GH-18: nothing is overwritten."""
    old = await house.agent("start_ghap", **START)
    new = await house.agent("start_ghap", **START)
    await house.agent("adopt_ghap", id=old["id"])
    assert (await house.agent("get_active_ghap"))["id"] == old["id"]
    assert [o.id for o in (await house.journal.entries.orphans("local")).results] == [new["id"]]


async def test_an_orphan_is_abandoned_and_kept_as_such(house: House) -> None:
    """GH-19: stored with the outcome abandoned."""
    old = await house.agent("start_ghap", **START)
    await house.agent("start_ghap", **START)
    await house.journal.entries.abandon("local", old["id"], "Nobody remembers why")
    [entry] = (await house.agent("list_ghap_entries", outcome="abandoned"))["results"]
    assert (entry["id"], entry["confidence_tier"]) == (old["id"], "abandoned")
    assert house.files() == ["active.json"]


async def test_the_entry_of_a_session_that_is_over_is_an_orphan(house: House) -> None:
    """GH-18: while the session lives its entry cannot be taken from it."""
    sessions = house.core.sessions
    session = await sessions.create(SessionKind.AGENT, house.journal.project)
    started = await house.agent("start_ghap", **START, session_id=session.id)
    kind, message = await house.agent.refused("adopt_ghap", id=started["id"])
    assert kind == "conflict"
    assert session.id in message
    await sessions.end(session.id, SessionStatus.COMPLETED, user_id="local")
    assert (await house.agent("adopt_ghap", id=started["id"]))["id"] == started["id"]


async def test_an_unknown_session_s_entry_is_an_orphan_after_a_silent_day(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GH-18: agents name sessions that nobody here knows the end of."""
    started = await house.agent("start_ghap", **START, session_id="somebody")
    assert (await house.journal.entries.orphans("local")).count == 0
    later = clock.now() + orphans.SILENT * 2
    monkeypatch.setattr(clock, "now", lambda: later)
    assert [o.id for o in (await house.journal.entries.orphans("local")).results] == [started["id"]]


async def test_a_crash_between_resolving_and_moving_loses_nothing(house: House) -> None:
    """GH-21: an active file that says it is resolved is waiting to be stored."""
    started = await house.agent("start_ghap", **START)
    path = house.folder / "active.json"
    end = CONFIRMED | {"confidence_tier": "gold", "resolved_at": clock.iso()}
    path.write_text(json.dumps(json.loads(path.read_text()) | {"resolution": end}))
    assert (await house.agent("get_active_ghap"))["has_active"] is False
    assert (await house.journal.persister.sync()).stored == 1
    assert house.files() == []
    [entry] = (await house.agent("list_ghap_entries"))["results"]
    assert (entry["id"], entry["outcome_status"]) == (started["id"], "confirmed")


async def test_a_start_over_what_a_crash_left_resolved_overwrites_nothing(house: House) -> None:
    """GH-21, GH-11: the resolved entry waits to be stored; it is no orphan."""
    old = await house.agent("start_ghap", **START)
    path = house.folder / "active.json"
    end = CONFIRMED | {"confidence_tier": "gold", "resolved_at": clock.iso()}
    path.write_text(json.dumps(json.loads(path.read_text()) | {"resolution": end}))
    assert "warning" not in await house.agent("start_ghap", **START)
    assert house.files() == ["active.json", f"resolved-{old['id']}.json"]


async def test_whoever_looks_while_others_resolve_disturbs_nothing(house: House) -> None:
    """GH-20: lists and looks at the same time as starts and resolves; every entry is stored."""
    done = asyncio.Event()

    async def look() -> None:
        while not done.is_set():
            await house.agent("get_active_ghap")
            await house.agent("list_ghap_entries")

    looking = asyncio.create_task(look())
    for _ in range(15):
        await house.agent("start_ghap", **START)
        await house.agent("resolve_ghap", **CONFIRMED)
    done.set()
    await looking
    assert (await house.agent("list_ghap_entries", outcome="confirmed"))["count"] == 15
    assert house.files() == []


async def test_a_journal_folder_that_leads_out_of_the_project_is_refused(
    house: House, tmp_path: Path
) -> None:
    """GH-15: files are written below the project only."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (Path(house.journal.project) / ".claude").symlink_to(outside)
    kind, _ = await house.agent.refused("start_ghap", **START)
    assert kind == "forbidden"
    assert list(outside.iterdir()) == []
