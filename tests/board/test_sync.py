import asyncio
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bottega.board.projects import Projects
from bottega.board.repository import changes as repository
from bottega.board.syncing import calm
from bottega.board.syncing.sync import Sync
from bottega.core.events import Event
from tests.board.desk import ID, Desk, open_desk
from tests.board.house import BAKERY, House, open_house


@pytest.fixture
async def desk(house: House) -> AsyncIterator[Desk]:
    async with open_desk(house) as desk:
        yield desk


async def test_what_is_on_disk_is_in_the_database(desk: Desk) -> None:
    """BD-320: texts, task counts, touched requirements and title of a change found on disk."""
    row = await desk.row()
    files = {path.partition(f"{ID}/")[2]: text for path, text in BAKERY.items() if ID in path}
    assert row.proposal_content == files["proposal.md"]
    assert row.tasks_content == files["tasks.md"]
    assert row.specs == {"orders": files["specs/orders/spec.md"]}
    assert (row.title, row.status) == ("Add discounts", "proposing")
    assert (row.tasks_done, row.tasks_total) == (0, 3)
    assert row.touches == ["orders/discounts"]
    assert [step.notes for step in await desk.history()] == [
        "Found in openspec/changes/add-discounts."
    ]


async def test_a_second_look_at_the_same_files_says_nothing(desk: Desk) -> None:
    """BD-321: only what differs is an event; an unchanged project costs no write."""
    before = await desk.row()
    desk.house.heard.clear()
    await desk.look()
    assert desk.house.heard == []
    assert (await desk.row()).last_synced_at == before.last_synced_at


async def test_a_save_that_leaves_size_and_time_as_they_were_is_seen(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """BD-321, BD-322: what needs no look is told by more than a file's time."""
    monkeypatch.setattr(calm, "FRESH_NS", 0)
    await desk.look()
    await desk.look()
    before = desk.proposal.stat()
    desk.proposal.write_text(desk.proposal.read_text().replace("large", "LARGE"))
    os.utime(desk.proposal, ns=(before.st_atime_ns, before.st_mtime_ns))
    await desk.look()
    assert "LARGE" in (await desk.row()).proposal_content


async def test_unchanged_files_are_not_read_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """BD-321: a change is read until nothing is to be done, then only when it moves."""
    monkeypatch.setattr(calm, "FRESH_NS", 0)
    synced = desk.sync.of(desk.project)
    for _ in range(2):
        await desk.look()
    assert synced._calm.restless(await synced._marks()) == set()
    await desk.edit_row(priority=5)
    assert synced._calm.restless(await synced._marks()) == {ID}


@pytest.mark.parametrize("moment", [0, 4_000_000_000])
async def test_an_edit_on_disk_reaches_the_database_whatever_the_clock_says(
    desk: Desk, moment: int
) -> None:
    """BD-322: a file edited alone is taken, by its hash: its time may be 1970 or 2096."""
    desk.proposal.write_text("# Discounts for all\n\n## Why\n\nBecause.\n")
    os.utime(desk.proposal, (moment, moment))
    await desk.look()
    row = await desk.row()
    assert (row.title, row.proposal_content[:21]) == (
        "Discounts for all",
        "# Discounts for all\n\n",
    )
    assert desk.heard("specs.changed")[0]["files"] == ["proposal.md"]
    (lost,) = await desk.revisions()
    assert (lost.file, lost.reason) == ("proposal.md", "edited")
    assert lost.content == BAKERY[f"openspec/changes/{ID}/proposal.md"]


async def test_an_edit_in_the_database_alone_is_written_to_the_file(desk: Desk) -> None:
    """BD-323: an edit whose write failed or was cut off is written by the next look."""
    await desk.edit_row(proposal_content="# From the app\n")
    await desk.look()
    assert desk.proposal.read_text() == "# From the app\n"
    row = await desk.row()
    assert (row.title, row.sync_error) == ("From the app", None)
    desk.house.heard.clear()
    await desk.look()
    assert desk.house.heard == []


async def test_when_both_sides_were_edited_the_file_wins_and_the_other_text_is_kept(
    desk: Desk,
) -> None:
    """BD-324: filesystem wins; the losing text is a revision; the person is told where."""
    await desk.edit_row(proposal_content="# Mine\n")
    desk.proposal.write_text("# Theirs\n")
    await desk.look()
    row = await desk.row()
    (lost,) = await desk.revisions()
    assert desk.proposal.read_text() == row.proposal_content == "# Theirs\n"
    assert (lost.content, lost.reason) == ("# Mine\n", "conflict")
    assert desk.heard("specs.conflict")[0]["revision_id"] == lost.id
    assert lost.id in (row.sync_error or "")
    await desk.look()
    assert lost.id in ((await desk.row()).sync_error or "")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "tasks.md, line 1: is empty"),
        (b" \n\n", "tasks.md, line 1: is empty"),
        (b"- [x] caf\xe9\n", "tasks.md: is not UTF-8"),
        (b"\x00\x01\x02", "tasks.md: is a binary file"),
        (None, "tasks.md: is missing"),
    ],
)
async def test_a_broken_file_changes_nothing_but_is_told(
    desk: Desk, content: bytes | None, told: str
) -> None:
    """BD-325: half saved, binary, not UTF-8 or gone: the last good text stays, no state changes."""
    await desk.assign()
    before = await desk.row()
    if content is None:
        desk.tasks.unlink()
    else:
        desk.tasks.write_bytes(content)
    await desk.look()
    row = await desk.row()
    assert told in (row.sync_error or "")
    assert told in desk.heard("specs.problem")[0]["problem"]
    assert (row.tasks_content, row.status) == (before.tasks_content, "assigned")
    assert (row.tasks_done, row.tasks_total) == (0, 3)
    desk.house.heard.clear()
    await desk.look()
    assert desk.house.heard == []
    desk.tasks.write_text(before.tasks_content)
    await desk.look()
    assert (await desk.row()).sync_error is None


async def test_an_edit_here_repairs_a_broken_file_and_keeps_what_was_in_it(desk: Desk) -> None:
    """BD-326: a person's edit goes over a broken file; its words are a revision."""
    desk.proposal.write_bytes(b"# Caf\xe9\n")
    await desk.look()
    await desk.edit_row(proposal_content="# Coffee\n")
    await desk.look()
    assert desk.proposal.read_text() == "# Coffee\n"
    assert (await desk.row()).sync_error is None
    assert [lost.content for lost in await desk.revisions()] == ["# Café\n"]


async def test_the_last_tick_on_disk_sends_it_to_review(desk: Desk) -> None:
    """BD-327: all tasks ticked while it is being worked on → review, with progress told."""
    holder = await desk.assign()
    desk.tasks.write_text(desk.tasks.read_text().replace("- [ ] 1.", "- [x] 1."))
    await desk.look()
    assert (await desk.row()).status == "assigned"
    progress = desk.heard("work.progress")[0]
    assert (progress["tasks_done"], progress["session_id"]) == (2, holder)
    desk.tasks.write_text(desk.tasks.read_text().replace("[ ]", "[x]"))
    await desk.look()
    row = await desk.row()
    assert (row.status, row.completed_at is not None) == ("review", True)
    assert (await desk.history())[-1].triggered_by == "system"
    assert await desk.revisions() == []


async def test_ticked_tasks_of_a_change_that_nobody_works_on_move_nothing(desk: Desk) -> None:
    """BD-327: only what is assigned or in progress goes to review by its tasks."""
    desk.tasks.write_text(desk.tasks.read_text().replace("[ ]", "[x]"))
    await desk.look()
    row = await desk.row()
    assert (row.status, row.tasks_done) == ("proposing", 3)


async def test_a_deleted_change_leaves_the_queue_and_keeps_its_texts(desk: Desk) -> None:
    """BD-328: gone from disk while queued: marked, its lease released, texts kept; back again."""
    holder = await desk.assign()
    kept = {path: path.read_text() for path in (desk.folder / ID).rglob("*.md")}
    shutil.rmtree(desk.folder / ID)
    await desk.look()
    row = await desk.row()
    assert row.missing_since is not None
    assert (row.status, row.assigned_session_id) == ("approved", None)
    assert desk.heard("work.released")[0]["session_id"] == holder
    assert desk.heard("specs.removed")[0]["change_id"] == ID
    lost = await desk.revisions()
    assert {revision.content for revision in lost} == set(kept.values())
    assert {revision.reason for revision in lost} == {"deleted"}
    for path, text in kept.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    await desk.look()
    assert (await desk.row()).missing_since is None
    assert desk.heard("specs.found")[-1]["returned"] is True


@pytest.mark.parametrize("noticed_between", [False, True])
async def test_a_renamed_change_is_followed(desk: Desk, noticed_between: bool) -> None:
    """BD-329: same texts under another name: history, revisions and lease go with it."""
    holder = await desk.assign()
    desk.proposal.write_text(desk.proposal.read_text() + "\nMore.\n")
    await desk.look()
    away = desk.folder.parent.parent / "away"
    (desk.folder / ID).rename(away)
    if noticed_between:
        await desk.look()
    away.rename(desk.folder / "give-discounts")
    await desk.look()
    row = await desk.row("give-discounts")
    assert row.assigned_session_id == (None if noticed_between else holder)
    assert row.missing_since is None
    steps = await desk.history("give-discounts")
    assert steps[0].to_state == "proposing"
    assert steps[-1].notes == "Its directory was renamed from add-discounts."
    assert "edited" in {lost.reason for lost in await desk.revisions("give-discounts")}
    async with desk.house.core.database.read() as session:
        assert await repository.ids(session, desk.project.id) == {"give-discounts"}


async def test_a_copy_is_another_change(desk: Desk) -> None:
    """BD-329: only a directory that is gone was renamed; a copy stands beside it."""
    shutil.copytree(desk.folder / ID, desk.folder / "copy-of-it")
    await desk.look()
    assert (await desk.row()).missing_since is None
    assert (await desk.row("copy-of-it")).status == "proposing"


async def test_a_move_into_the_archive_on_disk_wins(desk: Desk) -> None:
    """BD-330: found in the archive → archived, as the system's move; put back → proposing."""
    await desk.assign()
    archived = desk.folder / "archive" / f"2026-11-15-{ID}"
    archived.parent.mkdir()
    (desk.folder / ID).rename(archived)
    await desk.look()
    row = await desk.row()
    assert (row.status, row.archive_name) == ("archived", f"2026-11-15-{ID}")
    assert row.proposal_content == (archived / "proposal.md").read_text()
    assert (await desk.history())[-1].triggered_by == "system"
    archived.rename(desk.folder / ID)
    await desk.look()
    row = await desk.row()
    assert (row.status, row.archive_name) == ("proposing", None)
    shutil.copytree(desk.folder / ID, archived.with_name("2020-01-01-old-one"))
    await desk.look()
    old = await desk.row("old-one")
    assert (old.status, old.archive_name) == ("archived", "2020-01-01-old-one")


async def test_a_dropped_design_and_delta_are_taken_but_not_lost(desk: Desk) -> None:
    """BD-331: files that a change may do without can go; their texts are revisions."""
    design = desk.folder / ID / "design.md"
    design.write_text("## Context\n\nSmall.\n")
    await desk.look()
    assert (await desk.row()).design_content == "## Context\n\nSmall.\n"
    design.unlink()
    shutil.rmtree(desk.folder / ID / "specs")
    await desk.look()
    row = await desk.row()
    assert (row.design_content, row.specs, row.touches) == (None, {}, [])
    assert {lost.file for lost in await desk.revisions()} == {
        "design.md",
        "specs/orders/spec.md",
    }


async def test_changes_name_each_other_in_whatever_order_they_come(desk: Desk) -> None:
    """BD-332: references to other changes follow when the named one appears later."""
    desk.proposal.write_text(desk.proposal.read_text() + "\nAfter `add-vouchers`.\n")
    await desk.look()
    assert (await desk.row()).references == []
    shutil.copytree(desk.folder / ID, desk.folder / "add-vouchers")
    await desk.look()
    assert (await desk.row()).references == ["add-vouchers"]


async def test_a_file_that_cannot_be_written_keeps_the_edit_and_says_so(desk: Desk) -> None:
    """BD-333: a failed write leaves the text in the database, is told once, and is tried again."""
    # Rights would not stop root; a directory in the file's place stops everybody.
    desk.proposal.unlink()
    (desk.proposal / "in-the-way").mkdir(parents=True)
    await desk.edit_row(proposal_content="# From the app\n")
    await desk.look()
    row = await desk.row()
    assert (row.sync_error or "").startswith("Saved here, but not yet in the file")
    assert row.proposal_content == "# From the app\n"
    desk.house.heard.clear()
    await desk.look()
    assert desk.house.heard == []
    shutil.rmtree(desk.proposal)
    await desk.look()
    assert desk.proposal.read_text() == "# From the app\n"
    assert (await desk.row()).sync_error is None


async def test_odd_names_on_disk_stop_nothing(desk: Desk) -> None:
    """BD-325: a directory whose name is no text, an empty one and a stray file are no trouble."""
    (desk.folder / "empty").mkdir()
    (desk.folder / "notes.txt").write_text("hello")
    (desk.folder / ".hidden").mkdir()
    os.mkdir(os.fsencode(desk.folder) + b"/caf\xe9")
    desk.proposal.write_text("# Still read\n")
    await desk.look()
    assert (await desk.row()).title == "Still read"
    empty = await desk.row("empty")
    assert (empty.title, empty.status) == ("Empty", "proposing")
    assert "proposal.md: is missing" in (empty.sync_error or "")
    async with desk.house.core.database.read() as session:
        assert await repository.ids(session, desk.project.id) == {ID, "empty"}


async def test_projects_do_not_touch_each_other(tmp_path: Path) -> None:
    """BD-334: the same id in two projects is two changes."""
    async with open_house(tmp_path, projects={"bakery": BAKERY, "garage": BAKERY}) as house:
        projects = Projects(house.core)
        bakery, garage = (await projects.scan()).projects
        sync = Sync(house.core, projects)
        for project in (bakery, garage):
            await sync.project(project.id)
        (Path(garage.path) / f"openspec/changes/{ID}/proposal.md").write_text("# Garage\n")
        await sync.project(garage.id)
        async with house.core.database.read() as session:
            titles = {row.project_id: row.title for row in await repository.named(session, ID)}
        assert titles == {bakery.id: "Add discounts", garage.id: "Garage"}
        await sync.stop()


async def test_many_looks_at_once_find_each_change_once(tmp_path: Path, database_url: str) -> None:
    """BD-335: several processes may look at one project; a change is found and told once."""
    async with open_house(tmp_path, database_url=database_url) as house:
        projects = Projects(house.core)
        (project,) = (await projects.scan()).projects
        servers = [Sync(house.core, projects) for _ in range(4)]
        await asyncio.gather(*(server.project(project.id) for server in servers))
        file = Path(project.path) / f"openspec/changes/{ID}/proposal.md"
        file.write_text("# Once\n")
        await asyncio.gather(*(server.project(project.id) for server in servers))
        topics = [topic for topic in house.topics() if topic in ("specs.found", "specs.changed")]
        assert topics == ["specs.found", "specs.changed"]
        for server in servers:
            await server.stop()


async def test_a_started_sync_watches_and_looks_again(house: House) -> None:
    """BD-336: everything at start, what is saved at once, new projects as they are found."""
    projects = Projects(house.core)
    sync = Sync(house.core, projects)
    heard: asyncio.Queue[Event] = asyncio.Queue()
    house.core.bus.on("specs.found", heard.put_nowait)
    house.core.bus.on("specs.changed", heard.put_nowait)
    await projects.start()
    await sync.start()
    try:
        await sync.settled()
        assert (await asyncio.wait_for(heard.get(), 10)).payload["change_id"] == ID
        file = house.projects_dir / f"bakery/openspec/changes/{ID}/proposal.md"
        file.write_text("# Watched\n")
        assert (await asyncio.wait_for(heard.get(), 10)).topic == "specs.changed"
        shutil.copytree(house.projects_dir / "bakery", house.projects_dir / "garage")
        await projects.scan()
        event = await asyncio.wait_for(heard.get(), 10)
        assert (event.topic, event.project) == (
            "specs.found",
            str((house.projects_dir / "garage").resolve()),
        )
    finally:
        await sync.stop()
        await projects.stop()


async def test_a_watched_rename_keeps_the_lease(desk: Desk) -> None:
    """BD-329: an agent whose change is renamed under it goes on with it."""
    holder = await desk.assign()
    renamed: asyncio.Queue[Event] = asyncio.Queue()
    desk.house.core.bus.on("specs.changed", renamed.put_nowait)
    await desk.sync.start()
    await desk.sync.settled()
    (desk.folder / ID).rename(desk.folder / "give-discounts")
    event = await asyncio.wait_for(renamed.get(), 10)
    assert event.payload["renamed_from"] == ID
    row = await desk.row("give-discounts")
    assert (row.status, row.assigned_session_id) == ("assigned", holder)
    assert desk.heard("work.released") == []


async def test_what_no_watcher_tells_is_found_by_the_next_look(house: House) -> None:
    """BD-337: everything is looked at again at an interval, 30 seconds by default."""
    projects = Projects(house.core)
    assert Sync(house.core, projects)._interval == 30
    sync = Sync(house.core, projects, interval=0.05)
    await projects.start()
    await sync.start()
    try:
        await sync.settled()
        heard: asyncio.Queue[Event] = asyncio.Queue()
        house.core.bus.on("specs.found", heard.put_nowait)
        # A name that the watcher takes for a build's output.
        folder = house.projects_dir / "bakery/openspec/changes"
        shutil.copytree(folder / ID, folder / "build")
        assert (await asyncio.wait_for(heard.get(), 10)).payload["change_id"] == "build"
    finally:
        await sync.stop()
        await projects.stop()


async def test_the_small_print_of_a_deleted_change_is_kept_too(desk: Desk) -> None:
    """BD-331: `.openspec.yaml` is a text of the change like the others."""
    printed = "schema: spec-driven\ncreated: 2026-01-01\nskip_specs: true\n"
    (desk.folder / ID / ".openspec.yaml").write_text(printed)
    await desk.sync.project(desk.project.id)
    shutil.rmtree(desk.folder / ID)
    await desk.sync.project(desk.project.id)
    kept = await desk.changes.revisions(desk.project.id, ID)
    assert {revision.file: revision.content for revision in kept}[".openspec.yaml"] == printed
