"""Ingest: what comes in, what is skipped, replaced and removed, and what bad files cost."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core import clock
from bottega.core.runs import RunEvent, RunStatus, StepFailed
from bottega.core.textindex import TextDocument
from bottega.errors import InvalidInput
from bottega.library.filling import ingest as ingesting
from bottega.library.filling import rows
from bottega.library.filling import uploads as uploading
from bottega.library.indexes import collection_of
from bottega.library.reading import LARGEST_FILE, Kind
from bottega.library.tables import Library, LibraryEdge, LibraryUpload
from tests.library.shelf import Shelf, open_shelf, write

BERTHS = "---\nnumber: 7\n---\n# Berths\n\n1. A berth has a number.\n\n2. Guests leave at noon.\n"
FERRIES = "---\nnumber: 8\n---\n# Ferries\n\n1. Ferries call the tower (see paragraph 7.2).\n"


@pytest.fixture
async def shelf(tmp_path: Path) -> AsyncIterator[Shelf]:
    async with open_shelf(tmp_path) as shelf:
        yield shelf


@pytest.fixture
async def library(shelf: Shelf) -> Library:
    return await shelf.libraries.create("harbour")


async def cited(shelf: Shelf, library: Library) -> set[tuple[str, str]]:
    """The pairs of references between which the documents' words lead."""
    async with shelf.house.core.database.read() as session:
        edges = (await session.scalars(select(LibraryEdge))).all()
    ids = {end for edge in edges for end in (edge.source_id, edge.target_id)}
    refs = {key: (await shelf.libraries.paragraph(library, key)).ref for key in ids}
    return {(refs[edge.source_id], refs[edge.target_id]) for edge in edges}


async def test_a_folder_becomes_a_library(tmp_path: Path, database_url: str) -> None:
    """LB-306: on SQLite and on PostgreSQL."""
    async with open_shelf(tmp_path, database_url) as shelf:
        library = await shelf.libraries.create("harbour")
        report = await shelf.take(library, shelf.house.standards)
        assert (report.added, report.rejected, report.problems) == (5, [], [])
        status = await shelf.libraries.status("harbour")
        assert status.paragraphs == report.paragraphs >= 150
        assert status.indexed_vectors == status.indexed_words == report.paragraphs
        assert status.library.root == str(shelf.house.standards)
        assert ("315.A6", "315.12") in await cited(shelf, library)
        assert (await shelf.refs(library, "who may work the crane"))[0] == "315.6"


async def test_unchanged_files_are_skipped(shelf: Shelf, library: Library) -> None:
    """LB-307."""
    await shelf.take(library, shelf.house.standards)
    before = await shelf.libraries.status("harbour")
    report = await shelf.take(library, shelf.house.standards)
    assert (report.unchanged, report.added, report.replaced, report.paragraphs) == (5, 0, 0, 0)
    after = await shelf.libraries.status("harbour")
    assert after.library.version == before.library.version


async def test_a_changed_file_is_replaced_and_ids_stay(tmp_path: Path, database_url: str) -> None:
    """LB-308: what is new is found, what is gone is not, and what leads to the rest stays."""
    async with open_shelf(tmp_path, database_url) as shelf:
        library = await shelf.libraries.create("harbour")
        folder = write(tmp_path / "rules", berths=BERTHS, ferries=FERRIES)
        await shelf.take(library, folder)
        before = await shelf.libraries.paragraph(library, "7.2")
        write(folder, berths=BERTHS.replace("A berth has a number", "A mooring has a lantern"))
        report = await shelf.take(library, folder)
        assert (report.replaced, report.unchanged, report.added) == (1, 1, 0)
        assert (await shelf.libraries.paragraph(library, "7.2")).id == before.id
        assert ("8.1", "7.2") in await cited(shelf, library)
        assert (await shelf.refs(library, "lantern", search_type="keyword")) == ["7.1"]
        assert await shelf.refs(library, "number", search_type="keyword") == []
        write(folder, berths=BERTHS.partition("2.")[0])
        await shelf.take(library, folder)
        status = await shelf.libraries.status("harbour")
        assert status.paragraphs == status.indexed_words == status.indexed_vectors == 2
        assert "7.2" not in await shelf.refs(library, "guests leave at noon")
        assert await cited(shelf, library) == set()


async def test_removed_and_renamed_files_are_followed(
    shelf: Shelf, library: Library, tmp_path: Path
) -> None:
    """LB-309: a renamed file keeps its references and ids."""
    folder = write(tmp_path / "rules", berths=BERTHS, ferries=FERRIES)
    await shelf.take(library, folder)
    before = await shelf.libraries.paragraph(library, "7.1")
    (folder / "berths.md").rename(folder / "moorings.md")
    (folder / "ferries.md").unlink()
    report = await shelf.take(library, folder)
    assert (report.removed, report.added, report.problems) == (2, 1, [])
    after = await shelf.libraries.paragraph(library, "7.1")
    assert (after.id, after.path) == (before.id, "moorings.md")
    assert [each.path for each in await shelf.libraries.documents(library)] == ["moorings.md"]
    assert await shelf.refs(library, "ferries tower", search_type="keyword") == []


async def test_a_replacement_that_fails_half_way_changes_nothing(
    shelf: Shelf, library: Library, tmp_path: Path
) -> None:
    """LB-310: rows and words change together or not at all, and the next ingest makes it good."""
    folder = write(tmp_path / "rules", berths=BERTHS)
    await shelf.take(library, folder)
    write(folder, berths=BERTHS.replace("Guests leave at noon", "Guests pay in herring"))
    index = shelf.house.core.text_index
    put = index.put

    async def full_disk(
        collection: str,
        documents: Sequence[TextDocument],
        *,
        session: AsyncSession | None = None,
    ) -> None:
        await put(collection, documents, session=session)
        raise OSError("no space left")

    index.put = full_disk  # type: ignore[method-assign]
    with pytest.raises(StepFailed, match="no space left"):
        await shelf.take(library, folder)
    assert (await shelf.libraries.paragraph(library, "7.2")).text == "Guests leave at noon."
    assert await shelf.refs(library, "herring", search_type="keyword") == []
    assert await shelf.refs(library, "noon", search_type="keyword") == ["7.2"]
    index.put = put  # type: ignore[method-assign]
    assert (await shelf.take(library, folder)).replaced == 1
    assert await shelf.refs(library, "herring", search_type="keyword") == ["7.2"]


async def test_bad_files_are_named_and_the_rest_goes_in(
    shelf: Shelf, library: Library, tmp_path: Path
) -> None:
    """LB-311: too large, encrypted, empty, no text: each with its reason; a good one goes in."""
    folder = write(tmp_path / "rules", berths=BERTHS, empty="")
    with (folder / "vast.txt").open("wb") as vast:
        vast.truncate(LARGEST_FILE + 1)
    (folder / "locked.docx").write_bytes(b"\xd0\xcf\x11\xe0" + bytes(600))
    (folder / "noise.txt").write_bytes(bytes(range(256)) * 20)
    (folder / "photo.png").write_bytes(b"\x89PNG")
    report = await shelf.take(library, folder)
    reasons = {each.path: each.reason for each in report.rejected}
    assert reasons == {
        "empty.md": "empty",
        "vast.txt": "too_large",
        "locked.docx": "encrypted",
        "noise.txt": "not_text",
    }
    assert all(each.path in each.message for each in report.rejected)
    assert (report.added, report.ignored) == (1, 1)
    rejected = (await shelf.libraries.status("harbour")).rejections
    assert [each.path for each in rejected] == sorted(reasons)
    (folder / "empty.md").write_text("# No more\n\nNow it says something.\n")
    (folder / "vast.txt").unlink()
    await shelf.take(library, folder)
    rejected = (await shelf.libraries.status("harbour")).rejections
    assert [each.path for each in rejected] == ["locked.docx", "noise.txt"]


async def test_a_file_gone_bad_leaves_what_was_good_of_it(
    shelf: Shelf, library: Library, tmp_path: Path
) -> None:
    """LB-312."""
    folder = write(tmp_path / "rules", berths=BERTHS)
    await shelf.take(library, folder)
    (folder / "berths.md").write_bytes(bytes(500))
    report = await shelf.take(library, folder)
    assert [each.path for each in report.rejected] == ["berths.md"]
    assert (report.removed, report.replaced) == (0, 0)
    assert (await shelf.refs(library, "guests leave at noon"))[0] == "7.2"


async def test_an_empty_folder_is_named_and_empties_nothing(
    shelf: Shelf, library: Library, tmp_path: Path
) -> None:
    """LB-313."""
    folder = write(tmp_path / "rules", berths=BERTHS)
    await shelf.take(library, folder)
    (folder / "berths.md").unlink()
    report = await shelf.take(library, folder)
    [rejected] = report.rejected
    assert rejected.reason == "empty"
    assert str(folder) in rejected.message
    assert report.removed == 0
    assert (await shelf.refs(library, "guests leave at noon"))[0] == "7.2"
    with pytest.raises(InvalidInput, match="no folder and no file"):
        await shelf.ingest.folder(library, tmp_path / "nowhere")


async def test_the_kind_is_stated_or_given(shelf: Shelf, library: Library, tmp_path: Path) -> None:
    """LB-314: `kind` beats frontmatter, which beats the default, and a change of it counts."""
    guide = "---\nkind: guide\n---\n# How to moor\n\nSlowly, with fenders.\n"
    folder = write(tmp_path / "rules", berths=BERTHS, mooring=guide)
    await shelf.take(library, folder)
    kinds = {each.path: each.kind for each in await shelf.libraries.documents(library)}
    assert kinds == {"berths.md": Kind.STANDARD, "mooring.md": Kind.GUIDE}
    report = await shelf.take(library, folder, kind=Kind.GUIDE)
    assert (report.replaced, report.unchanged) == (1, 1)
    kinds = {each.path: each.kind for each in await shelf.libraries.documents(library)}
    assert set(kinds.values()) == {Kind.GUIDE}
    found = await shelf.search.guides(library, "guests leave at noon")
    assert found.hits[0].paragraph.ref == "7.2"


async def test_uploads_and_other_folders_are_no_folders_to_remove(
    tmp_path: Path, database_url: str
) -> None:
    """LB-315: what one source lacks was not taken from another."""
    async with open_shelf(tmp_path, database_url) as shelf:
        library = await shelf.libraries.create("harbour")
        await shelf.take(library, write(tmp_path / "rules", berths=BERTHS))
        await shelf.take(library, write(tmp_path / "more", ferries=FERRIES))
        files = [("notes.txt", b"Seagulls are not fed."), ("bad.pdf", b"%PDF-1.7 nothing")]
        report = await shelf.ingest.wait(await shelf.ingest.upload(library, files))
        assert (report.added, [each.path for each in report.rejected]) == (1, ["upload:bad.pdf"])
        await shelf.take(library, tmp_path / "rules")
        paths = [each.path for each in await shelf.libraries.documents(library)]
        assert sorted(paths) == sorted(
            [(tmp_path / "more" / "ferries.md").as_posix(), "berths.md", "upload:notes.txt"]
        )
        assert len(await shelf.refs(library, "seagulls fed", search_type="keyword")) == 1
        again = await shelf.ingest.upload(library, [("notes.txt", b"Seagulls are fed.")])
        assert (await shelf.ingest.wait(again)).replaced == 1


@pytest.mark.parametrize("name", ["../evil.md", "a/b.md", "..", "", "c:\\evil.md"])
async def test_an_upload_has_a_plain_name(shelf: Shelf, library: Library, name: str) -> None:
    """LB-315."""
    with pytest.raises(InvalidInput, match="plain file name"):
        await shelf.ingest.upload(library, [(name, b"text")])


async def waiting(shelf: Shelf) -> list[str]:
    """The names of the uploads that nobody has taken."""
    async with shelf.house.core.database.read() as session:
        return list(await session.scalars(select(LibraryUpload.name)))


async def test_uploads_wait_in_the_database_until_they_are_taken(
    tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LB-601: on both databases, through the end of the process that took them in."""
    monkeypatch.setattr(ingesting, "BATCH_FILES", 1)
    async with open_shelf(tmp_path, database_url) as shelf:
        library = await shelf.libraries.create("harbour")
        files = [("gulls.txt", b"Gulls are not fed."), ("seals.txt", b"Seals may be watched.")]
        async with shelf.house.core.bus.subscribe("library.ingesting") as news:
            run_id = await shelf.ingest.upload(library, files)
            await anext(news)
        await shelf.house.core.runs.stop()
        assert await waiting(shelf) == ["gulls.txt", "seals.txt"]
    async with open_shelf(tmp_path, database_url) as shelf:
        await shelf.house.core.runs.recover()
        assert (await shelf.ingest.wait(run_id)).added == 2
        assert await waiting(shelf) == []
    assert not (tmp_path / "data" / "uploads").exists()


async def test_uploads_that_no_run_will_take_are_let_go(
    shelf: Shelf, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LB-601: of a run that fails or is cancelled, and of one that was never started."""

    async def fail(*_: object) -> None:
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(rows, "write_document", fail)
    with pytest.raises(StepFailed):
        await shelf.ingest.wait(await shelf.ingest.upload(library, [("a.txt", b"Text.")]))
    assert await waiting(shelf) == []
    monkeypatch.undo()

    long_ago = clock.now() - timedelta(days=1)
    async with shelf.house.core.database.write() as session:
        for name, moment in (("lost.txt", long_ago), ("coming.txt", clock.now())):
            row = {"batch": f"run_{name}", "name": name, "content": b"x", "created_at": moment}
            session.add(LibraryUpload(library_id=library.id, **row))
    await shelf.ingest.wait(await shelf.ingest.upload(library, [("b.txt", b"More text.")]))
    assert await waiting(shelf) == ["coming.txt"]


async def test_an_upload_that_is_too_large_is_named_and_not_read(
    shelf: Shelf, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LB-601: by the same bound as files of a folder."""
    monkeypatch.setattr(uploading, "LARGEST_FILE", 10)
    files = [("large.txt", b"Larger than ten bytes."), ("small.txt", b"Small.")]
    report = await shelf.ingest.wait(await shelf.ingest.upload(library, files))
    assert (report.added, [each.reason for each in report.rejected]) == (1, ["too_large"])


async def test_progress_is_read_from_the_end_of_a_long_run(
    shelf: Shelf, library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LB-602: not from all of its events."""
    monkeypatch.setattr(ingesting, "BATCH_FILES", 1)
    folder = write(tmp_path / "many", **{f"rule{n}": f"# Rule {n}\n\nText.\n" for n in range(30)})
    run_id = await shelf.ingest.folder(library, folder)
    await shelf.ingest.wait(run_id)
    runs = shelf.house.core.runs
    events, read = runs.events, 0

    async def count(run_id: str, *, after: int = 0) -> Sequence[RunEvent]:
        nonlocal read
        found = await events(run_id, after=after)
        read += len(found)
        return found

    monkeypatch.setattr(runs, "events", count)
    progress = await shelf.ingest.progress(run_id)
    assert (progress.done, progress.total, progress.report.added) == (30, 30, 30)
    assert 0 < read <= ingesting.LAST_EVENTS < 30


async def test_an_ingest_goes_on_after_its_process_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LB-316: what was taken in before is not read again, the rest is."""
    monkeypatch.setattr(ingesting, "BATCH_FILES", 1)
    async with open_shelf(tmp_path) as shelf:
        library = await shelf.libraries.create("harbour")
        async with shelf.house.core.bus.subscribe("library.ingesting") as news:
            run_id = await shelf.ingest.folder(library, shelf.house.standards)
            async for event in news:
                if event.payload["done"] == 2:
                    break
        await shelf.house.core.runs.stop()
        assert (await shelf.ingest.progress(run_id)).status is RunStatus.RUNNING
        assert len(await shelf.libraries.documents(library)) < 5
    async with open_shelf(tmp_path) as shelf:
        await shelf.house.core.runs.recover()
        report = await shelf.ingest.wait(run_id)
        assert report.added + report.unchanged == 5
        assert len(await shelf.libraries.documents(library)) == 5
        assert ("315.A6", "315.12") in await cited(shelf, library)


async def test_progress_is_told(shelf: Shelf, library: Library) -> None:
    """LB-317: while it goes on by events, at any time by asking."""
    run_id = await shelf.ingest.folder(library, shelf.house.standards)
    report = await shelf.ingest.wait(run_id)
    progress = await shelf.ingest.progress(run_id)
    assert (progress.status, progress.done, progress.total) == (RunStatus.COMPLETED, 5, 5)
    assert (progress.library, progress.report) == ("harbour", report)
    told = [event for event in shelf.house.heard if event.topic == "library.ingesting"]
    assert [event.payload["done"] for event in told] == [0, 5]
    assert not any(event.durable for event in told)
    [done] = [event for event in shelf.house.heard if event.topic == "library.ingested"]
    assert done.payload["report"]["added"] == 5


async def test_two_documents_with_the_same_references_both_go_in(
    shelf: Shelf, library: Library, tmp_path: Path
) -> None:
    """LB-318: the second's are told apart by its name, and the report says so."""
    folder = write(tmp_path / "rules", a_berths=BERTHS, b_copy=BERTHS.replace("noon", "dusk"))
    report = await shelf.take(library, folder)
    assert report.added == 2
    assert [each.path for each in report.problems] == ["b_copy.md"]
    assert (await shelf.libraries.paragraph(library, "7.2")).text == "Guests leave at noon."
    other = await shelf.libraries.paragraph(library, "b_copy › 7.2")
    assert other.text == "Guests leave at dusk."


async def test_citations_in_circles_and_to_what_comes_later(
    shelf: Shelf, library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """LB-319: every order of files gives the same edges."""
    monkeypatch.setattr(ingesting, "BATCH_FILES", 1)
    circle = {
        "a": "---\nnumber: 110\n---\n1. As paragraph 120.1 says.\n",
        "b": "---\nnumber: 120\n---\n1. As paragraph 130.1 says.\n",
        "c": "---\nnumber: 130\n---\n1. As paragraph 110.1 says, and paragraph 1 itself.\n",
    }
    await shelf.take(library, write(tmp_path / "rules", **circle))
    assert await cited(shelf, library) == {
        ("110.1", "120.1"),
        ("120.1", "130.1"),
        ("130.1", "110.1"),
    }


async def test_lost_vectors_are_made_again_and_strays_are_swept(
    shelf: Shelf, library: Library, tmp_path: Path
) -> None:
    """LB-320: whatever a crash left apart, the next ingest that changes something mends."""
    folder = write(tmp_path / "rules", berths=BERTHS)
    await shelf.take(library, folder)
    vectors, collection = shelf.house.core.vectors, collection_of(library.id)
    lost = await shelf.libraries.paragraph(library, "7.2")
    await vectors.delete(collection, ids=[lost.id])
    write(folder, ferries=FERRIES)
    await shelf.take(library, folder)
    held = {each.id for each in await vectors.scroll(collection)}
    assert lost.id in held
    assert len(held) == 3
    await shelf.libraries.indexes.vectors(library.id).add(["par_of_nobody"], ["Guests leave."])
    assert "par_of_nobody" not in {
        hit.paragraph.id for hit in (await shelf.search.search(library, "guests leave")).hits
    }
    write(folder, ferries=FERRIES.replace("tower", "watch"))
    await shelf.take(library, folder)
    assert {each.id for each in await vectors.scroll(collection)} == held


async def test_two_ingests_at_once_do_not_meet(shelf: Shelf, library: Library) -> None:
    """LB-321."""
    reports = await asyncio.gather(*(shelf.take(library, shelf.house.standards) for _ in range(3)))
    assert all(not report.rejected for report in reports)
    status = await shelf.libraries.status("harbour")
    assert status.standards + status.guides == 5
    assert status.paragraphs == status.indexed_words == status.indexed_vectors
