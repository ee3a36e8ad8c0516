import asyncio
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bottega.board.changes import disk as unchanged_cache
from bottega.board.changes import repository as repository
from bottega.board.changes.sync import Sync
from bottega.board.projects.service import Projects
from bottega.core.events import Event
from tests.board.builders import BAKERY, BoardApp, open_board
from tests.board.project_board import ID, ProjectBoard, open_project_board


@pytest.fixture
async def board(app: BoardApp) -> AsyncIterator[ProjectBoard]:
    async with open_project_board(app) as board:
        yield board


@pytest.mark.requirement("BD-320")
async def test_what_is_on_disk_is_in_the_database(board: ProjectBoard) -> None:
    """Texts, task counts, touched requirements and title of a change found on disk."""
    row = await board.row()
    files = {path.partition(f"{ID}/")[2]: text for path, text in BAKERY.items() if ID in path}
    assert row.proposal_content == files["proposal.md"]
    assert row.tasks_content == files["tasks.md"]
    assert row.specs == {"orders": files["specs/orders/spec.md"]}
    assert (row.title, row.status) == ("Add discounts", "proposing")
    assert (row.tasks_done, row.tasks_total) == (0, 3)
    assert row.touches == ["orders/discounts"]
    assert [step.notes for step in await board.history()] == [
        "Found in openspec/changes/add-discounts."
    ]


@pytest.mark.requirement("BD-321")
async def test_a_second_look_at_the_same_files_says_nothing(board: ProjectBoard) -> None:
    """Only what differs is an event; an unchanged project costs no write."""
    before = await board.row()
    board.app.events.clear()
    await board.look()
    assert board.app.events == []
    assert (await board.row()).last_synced_at == before.last_synced_at


@pytest.mark.requirement("BD-128", "BD-321", "BD-322")
async def test_a_save_that_leaves_size_and_time_as_they_were_is_seen(
    board: ProjectBoard, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What needs no look is told by more than a file's time."""
    monkeypatch.setattr(unchanged_cache, "UNTRUSTED_NS", 0)
    await board.look()
    await board.look()
    before = board.proposal.stat()
    board.proposal.write_text(board.proposal.read_text().replace("large", "LARGE"))
    os.utime(board.proposal, ns=(before.st_atime_ns, before.st_mtime_ns))
    await board.look()
    assert "LARGE" in (await board.row()).proposal_content


@pytest.mark.requirement("BD-128", "BD-321")
async def test_unchanged_files_are_not_read_again(
    board: ProjectBoard, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change is read until nothing is to be done, then only when it moves."""
    monkeypatch.setattr(unchanged_cache, "UNTRUSTED_NS", 0)
    synced = board.sync.of(board.project)
    for _ in range(2):
        await board.look()
    assert synced._unchanged.changed_since(await synced._marks()) == set()
    await board.edit_row(priority=5)
    assert synced._unchanged.changed_since(await synced._marks()) == {ID}


@pytest.mark.requirement("BD-322")
@pytest.mark.parametrize("moment", [0, 4_000_000_000])
async def test_an_edit_on_disk_reaches_the_database_whatever_the_clock_says(
    board: ProjectBoard, moment: int
) -> None:
    """A file edited alone is taken, by its hash: its time may be 1970 or 2096."""
    board.proposal.write_text("# Discounts for all\n\n## Why\n\nBecause.\n")
    os.utime(board.proposal, (moment, moment))
    await board.look()
    row = await board.row()
    assert (row.title, row.proposal_content[:21]) == (
        "Discounts for all",
        "# Discounts for all\n\n",
    )
    assert board.heard("specs.changed")[0]["files"] == ["proposal.md"]
    (lost,) = await board.revisions()
    assert (lost.file, lost.reason) == ("proposal.md", "edited")
    assert lost.content == BAKERY[f"openspec/changes/{ID}/proposal.md"]


@pytest.mark.requirement("BD-323")
async def test_an_edit_in_the_database_alone_is_written_to_the_file(board: ProjectBoard) -> None:
    """An edit whose write failed or was cut off is written by the next look."""
    await board.edit_row(proposal_content="# From the app\n")
    await board.look()
    assert board.proposal.read_text() == "# From the app\n"
    row = await board.row()
    assert (row.title, row.sync_error) == ("From the app", None)
    board.app.events.clear()
    await board.look()
    assert board.app.events == []


@pytest.mark.requirement("BD-324")
async def test_when_both_sides_were_edited_the_file_wins_and_the_other_text_is_kept(
    board: ProjectBoard,
) -> None:
    """Filesystem wins; the losing text is a revision; the person is told where."""
    await board.edit_row(proposal_content="# Mine\n")
    board.proposal.write_text("# Theirs\n")
    await board.look()
    row = await board.row()
    (lost,) = await board.revisions()
    assert board.proposal.read_text() == row.proposal_content == "# Theirs\n"
    assert (lost.content, lost.reason) == ("# Mine\n", "conflict")
    assert board.heard("specs.conflict")[0]["revision_id"] == lost.id
    assert lost.id in (row.sync_error or "")
    await board.look()
    assert lost.id in ((await board.row()).sync_error or "")


@pytest.mark.requirement("BD-325")
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
    board: ProjectBoard, content: bytes | None, told: str
) -> None:
    """Half saved, binary, not UTF-8 or gone: the last good text stays, no state changes."""
    await board.assign()
    before = await board.row()
    if content is None:
        board.tasks.unlink()
    else:
        board.tasks.write_bytes(content)
    await board.look()
    row = await board.row()
    assert told in (row.sync_error or "")
    assert told in board.heard("specs.problem")[0]["problem"]
    assert (row.tasks_content, row.status) == (before.tasks_content, "assigned")
    assert (row.tasks_done, row.tasks_total) == (0, 3)
    board.app.events.clear()
    await board.look()
    assert board.app.events == []
    board.tasks.write_text(before.tasks_content)
    await board.look()
    assert (await board.row()).sync_error is None


@pytest.mark.requirement("BD-326")
async def test_an_edit_here_repairs_a_broken_file_and_keeps_what_was_in_it(
    board: ProjectBoard,
) -> None:
    """A person's edit goes over a broken file; its words are a revision."""
    board.proposal.write_bytes(b"# Caf\xe9\n")
    await board.look()
    await board.edit_row(proposal_content="# Coffee\n")
    await board.look()
    assert board.proposal.read_text() == "# Coffee\n"
    assert (await board.row()).sync_error is None
    assert [lost.content for lost in await board.revisions()] == ["# Café\n"]


@pytest.mark.requirement("BD-327")
async def test_the_last_tick_on_disk_sends_it_to_review(board: ProjectBoard) -> None:
    """All tasks ticked while it is being worked on → review, with progress told."""
    holder = await board.assign()
    board.tasks.write_text(board.tasks.read_text().replace("- [ ] 1.", "- [x] 1."))
    await board.look()
    assert (await board.row()).status == "assigned"
    progress = board.heard("work.progress")[0]
    assert (progress["tasks_done"], progress["session_id"]) == (2, holder)
    board.tasks.write_text(board.tasks.read_text().replace("[ ]", "[x]"))
    await board.look()
    row = await board.row()
    assert (row.status, row.completed_at is not None) == ("review", True)
    assert (await board.history())[-1].triggered_by == "system"
    assert await board.revisions() == []


@pytest.mark.requirement("BD-327")
async def test_ticked_tasks_of_a_change_that_nobody_works_on_move_nothing(
    board: ProjectBoard,
) -> None:
    """Only what is assigned or in progress goes to review by its tasks."""
    board.tasks.write_text(board.tasks.read_text().replace("[ ]", "[x]"))
    await board.look()
    row = await board.row()
    assert (row.status, row.tasks_done) == ("proposing", 3)


@pytest.mark.requirement("BD-328")
async def test_a_deleted_change_leaves_the_queue_and_keeps_its_texts(board: ProjectBoard) -> None:
    """Gone from disk while queued: marked, its lease released, texts kept; back again."""
    holder = await board.assign()
    kept = {path: path.read_text() for path in (board.folder / ID).rglob("*.md")}
    shutil.rmtree(board.folder / ID)
    await board.look()
    row = await board.row()
    assert row.missing_since is not None
    assert (row.status, row.assigned_session_id) == ("approved", None)
    assert board.heard("work.released")[0]["session_id"] == holder
    assert board.heard("specs.removed")[0]["change_id"] == ID
    lost = await board.revisions()
    assert {revision.content for revision in lost} == set(kept.values())
    assert {revision.reason for revision in lost} == {"deleted"}
    for path, text in kept.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    await board.look()
    assert (await board.row()).missing_since is None
    assert board.heard("specs.found")[-1]["returned"] is True


@pytest.mark.requirement("BD-329")
@pytest.mark.parametrize("noticed_between", [False, True])
async def test_a_renamed_change_is_followed(board: ProjectBoard, noticed_between: bool) -> None:
    """Same texts under another name: history, revisions and lease go with it."""
    holder = await board.assign()
    board.proposal.write_text(board.proposal.read_text() + "\nMore.\n")
    await board.look()
    away = board.folder.parent.parent / "away"
    (board.folder / ID).rename(away)
    if noticed_between:
        await board.look()
    away.rename(board.folder / "give-discounts")
    await board.look()
    row = await board.row("give-discounts")
    assert row.assigned_session_id == (None if noticed_between else holder)
    assert row.missing_since is None
    steps = await board.history("give-discounts")
    assert steps[0].to_state == "proposing"
    assert steps[-1].notes == "Its directory was renamed from add-discounts."
    assert "edited" in {lost.reason for lost in await board.revisions("give-discounts")}
    async with board.app.core.database.read() as session:
        assert await repository.ids(session, board.project.id) == {"give-discounts"}


@pytest.mark.requirement("BD-329")
async def test_a_copy_is_another_change(board: ProjectBoard) -> None:
    """Only a directory that is gone was renamed; a copy stands beside it."""
    shutil.copytree(board.folder / ID, board.folder / "copy-of-it")
    await board.look()
    assert (await board.row()).missing_since is None
    assert (await board.row("copy-of-it")).status == "proposing"


@pytest.mark.requirement("BD-330")
async def test_a_move_into_the_archive_on_disk_wins(board: ProjectBoard) -> None:
    """Found in the archive → archived, as the system's move; put back → proposing."""
    await board.assign()
    archived = board.folder / "archive" / f"2026-11-15-{ID}"
    archived.parent.mkdir()
    (board.folder / ID).rename(archived)
    await board.look()
    row = await board.row()
    assert (row.status, row.archive_name) == ("archived", f"2026-11-15-{ID}")
    assert row.proposal_content == (archived / "proposal.md").read_text()
    assert (await board.history())[-1].triggered_by == "system"
    archived.rename(board.folder / ID)
    await board.look()
    row = await board.row()
    assert (row.status, row.archive_name) == ("proposing", None)
    shutil.copytree(board.folder / ID, archived.with_name("2020-01-01-old-one"))
    await board.look()
    old = await board.row("old-one")
    assert (old.status, old.archive_name) == ("archived", "2020-01-01-old-one")


@pytest.mark.requirement("BD-331")
async def test_a_dropped_design_and_delta_are_taken_but_not_lost(board: ProjectBoard) -> None:
    """Files that a change may do without can go; their texts are revisions."""
    design = board.folder / ID / "design.md"
    design.write_text("## Context\n\nSmall.\n")
    await board.look()
    assert (await board.row()).design_content == "## Context\n\nSmall.\n"
    design.unlink()
    shutil.rmtree(board.folder / ID / "specs")
    await board.look()
    row = await board.row()
    assert (row.design_content, row.specs, row.touches) == (None, {}, [])
    assert {lost.file for lost in await board.revisions()} == {
        "design.md",
        "specs/orders/spec.md",
    }


@pytest.mark.requirement("BD-332")
async def test_changes_name_each_other_in_whatever_order_they_come(board: ProjectBoard) -> None:
    """References to other changes follow when the named one appears later."""
    board.proposal.write_text(board.proposal.read_text() + "\nAfter `add-vouchers`.\n")
    await board.look()
    assert (await board.row()).references == []
    shutil.copytree(board.folder / ID, board.folder / "add-vouchers")
    await board.look()
    assert (await board.row()).references == ["add-vouchers"]


@pytest.mark.requirement("BD-333")
async def test_a_file_that_cannot_be_written_keeps_the_edit_and_says_so(
    board: ProjectBoard,
) -> None:
    """A failed write leaves the text in the database, is told once, and is tried again."""
    # Rights would not stop root; a directory in the file's place stops everybody.
    board.proposal.unlink()
    (board.proposal / "in-the-way").mkdir(parents=True)
    await board.edit_row(proposal_content="# From the app\n")
    await board.look()
    row = await board.row()
    assert (row.sync_error or "").startswith("Saved here, but not yet in the file")
    assert row.proposal_content == "# From the app\n"
    board.app.events.clear()
    await board.look()
    assert board.app.events == []
    shutil.rmtree(board.proposal)
    await board.look()
    assert board.proposal.read_text() == "# From the app\n"
    assert (await board.row()).sync_error is None


@pytest.mark.requirement("BD-325")
async def test_odd_names_on_disk_stop_nothing(board: ProjectBoard) -> None:
    """A directory whose name is no text, an empty one and a stray file are no trouble."""
    (board.folder / "empty").mkdir()
    (board.folder / "notes.txt").write_text("hello")
    (board.folder / ".hidden").mkdir()
    os.mkdir(os.fsencode(board.folder) + b"/caf\xe9")
    board.proposal.write_text("# Still read\n")
    await board.look()
    assert (await board.row()).title == "Still read"
    empty = await board.row("empty")
    assert (empty.title, empty.status) == ("Empty", "proposing")
    assert "proposal.md: is missing" in (empty.sync_error or "")
    async with board.app.core.database.read() as session:
        assert await repository.ids(session, board.project.id) == {ID, "empty"}


@pytest.mark.requirement("BD-334")
async def test_projects_do_not_touch_each_other(tmp_path: Path) -> None:
    """The same id in two projects is two changes."""
    async with open_board(tmp_path, projects={"bakery": BAKERY, "garage": BAKERY}) as app:
        projects = Projects(app.core)
        bakery, garage = (await projects.scan()).projects
        sync = Sync(app.core, projects)
        for project in (bakery, garage):
            await sync.of(project).sync()
        (Path(garage.path) / f"openspec/changes/{ID}/proposal.md").write_text("# Garage\n")
        await sync.of(garage).sync()
        async with app.core.database.read() as session:
            titles = {row.project_id: row.title for row in await repository.named(session, ID)}
        assert titles == {bakery.id: "Add discounts", garage.id: "Garage"}
        await sync.stop()


@pytest.mark.requirement("BD-335")
async def test_many_looks_at_once_find_each_change_once(tmp_path: Path, database_url: str) -> None:
    """Several processes may look at one project; a change is found and told once."""
    async with open_board(tmp_path, database_url=database_url) as app:
        projects = Projects(app.core)
        (project,) = (await projects.scan()).projects
        servers = [Sync(app.core, projects) for _ in range(4)]
        await asyncio.gather(*(server.of(project).sync() for server in servers))
        file = Path(project.path) / f"openspec/changes/{ID}/proposal.md"
        file.write_text("# Once\n")
        await asyncio.gather(*(server.of(project).sync() for server in servers))
        topics = [topic for topic in app.topics() if topic in ("specs.found", "specs.changed")]
        assert topics == ["specs.found", "specs.changed"]
        for server in servers:
            await server.stop()


@pytest.mark.requirement("BD-336")
async def test_a_started_sync_watches_and_looks_again(app: BoardApp) -> None:
    """Everything at start, what is saved at once, new projects as they are found."""
    projects = Projects(app.core)
    sync = Sync(app.core, projects)
    heard: asyncio.Queue[Event] = asyncio.Queue()
    app.core.bus.on("specs.found", heard.put_nowait)
    app.core.bus.on("specs.changed", heard.put_nowait)
    await projects.start()
    await sync.start()
    try:
        await sync.settled()
        assert (await asyncio.wait_for(heard.get(), 10)).payload["change_id"] == ID
        file = app.projects_dir / f"bakery/openspec/changes/{ID}/proposal.md"
        file.write_text("# Watched\n")
        assert (await asyncio.wait_for(heard.get(), 10)).topic == "specs.changed"
        shutil.copytree(app.projects_dir / "bakery", app.projects_dir / "garage")
        await projects.scan()
        event = await asyncio.wait_for(heard.get(), 10)
        assert (event.topic, event.project) == (
            "specs.found",
            str((app.projects_dir / "garage").resolve()),
        )
    finally:
        await sync.stop()
        await projects.stop()


@pytest.mark.requirement("BD-329")
async def test_a_watched_rename_keeps_the_lease(board: ProjectBoard) -> None:
    """An agent whose change is renamed under it goes on with it."""
    holder = await board.assign()
    renamed: asyncio.Queue[Event] = asyncio.Queue()
    board.app.core.bus.on("specs.changed", renamed.put_nowait)
    await board.sync.start()
    await board.sync.settled()
    (board.folder / ID).rename(board.folder / "give-discounts")
    event = await asyncio.wait_for(renamed.get(), 10)
    assert event.payload["renamed_from"] == ID
    row = await board.row("give-discounts")
    assert (row.status, row.assigned_session_id) == ("assigned", holder)
    assert board.heard("work.released") == []


@pytest.mark.requirement("BD-337")
async def test_what_no_watcher_tells_is_found_by_the_next_look(app: BoardApp) -> None:
    """Everything is looked at again at an interval, 30 seconds by default."""
    projects = Projects(app.core)
    assert Sync(app.core, projects)._interval == 30
    sync = Sync(app.core, projects, interval=0.05)
    await projects.start()
    await sync.start()
    try:
        await sync.settled()
        heard: asyncio.Queue[Event] = asyncio.Queue()
        app.core.bus.on("specs.found", heard.put_nowait)
        # A name that the watcher takes for a build's output.
        folder = app.projects_dir / "bakery/openspec/changes"
        shutil.copytree(folder / ID, folder / "build")
        assert (await asyncio.wait_for(heard.get(), 10)).payload["change_id"] == "build"
    finally:
        await sync.stop()
        await projects.stop()


@pytest.mark.requirement("BD-331")
async def test_the_small_print_of_a_deleted_change_is_kept_too(board: ProjectBoard) -> None:
    """`.openspec.yaml` is a text of the change like the others."""
    printed = "schema: spec-driven\ncreated: 2026-01-01\nskip_specs: true\n"
    (board.folder / ID / ".openspec.yaml").write_text(printed)
    await board.sync.of(board.project).sync()
    shutil.rmtree(board.folder / ID)
    await board.sync.of(board.project).sync()
    kept = await board.changes.revisions(board.project.id, ID)
    assert {revision.file: revision.content for revision in kept}[".openspec.yaml"] == printed
