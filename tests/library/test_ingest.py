"""Ingest: what comes in, what is skipped, replaced and removed, and what bad files cost."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.core import clock
from bottega.core.runs import RunEvent, RunStatus, StepFailed
from bottega.core.search.text_index import TextDocument
from bottega.errors import InvalidInput
from bottega.library.documents.service import collection_of
from bottega.library.documents.tables import Library, LibraryEdge, LibraryUpload
from bottega.library.ingest import files as uploading
from bottega.library.ingest import repository as rows
from bottega.library.ingest import service as ingesting
from bottega.library.parsers.document import Kind
from bottega.library.parsers.reader import LARGEST_FILE
from tests.library.builders import LibraryApp, open_library_app, write

BERTHS = "---\nnumber: 7\n---\n# Berths\n\n1. A berth has a number.\n\n2. Guests leave at noon.\n"
FERRIES = "---\nnumber: 8\n---\n# Ferries\n\n1. Ferries call the tower (see paragraph 7.2).\n"


@pytest.fixture
async def library(app: LibraryApp) -> Library:
    return await app.libraries.create("harbour")


async def cited(app: LibraryApp, library: Library) -> set[tuple[str, str]]:
    """The pairs of references between which the documents' words lead."""
    async with app.core.database.read() as session:
        edges = (await session.scalars(select(LibraryEdge))).all()
    ids = {end for edge in edges for end in (edge.source_id, edge.target_id)}
    refs = {key: (await app.libraries.paragraph(library, key)).ref for key in ids}
    return {(refs[edge.source_id], refs[edge.target_id]) for edge in edges}


@pytest.mark.requirement("LB-306")
async def test_a_folder_becomes_a_library(tmp_path: Path, database_url: str) -> None:
    """On SQLite and on PostgreSQL."""
    async with open_library_app(tmp_path, database_url) as app:
        library = await app.libraries.create("harbour")
        report = await app.take(library, app.standards)
        assert (report.added, report.rejected, report.problems) == (5, [], [])
        status = await app.libraries.status("harbour")
        assert status.paragraphs == report.paragraphs >= 150
        assert status.indexed_vectors == status.indexed_words == report.paragraphs
        assert status.library.root == str(app.standards)
        assert ("315.A6", "315.12") in await cited(app, library)
        assert (await app.refs(library, "who may work the crane"))[0] == "315.6"


@pytest.mark.requirement("LB-307")
async def test_unchanged_files_are_skipped(app: LibraryApp, library: Library) -> None:
    await app.take(library, app.standards)
    before = await app.libraries.status("harbour")
    report = await app.take(library, app.standards)
    assert (report.unchanged, report.added, report.replaced, report.paragraphs) == (5, 0, 0, 0)
    after = await app.libraries.status("harbour")
    assert after.library.version == before.library.version


@pytest.mark.requirement("LB-308")
async def test_a_changed_file_is_replaced_and_ids_stay(tmp_path: Path, database_url: str) -> None:
    """What is new is found, what is gone is not, and what leads to the rest stays."""
    async with open_library_app(tmp_path, database_url) as app:
        library = await app.libraries.create("harbour")
        folder = write(tmp_path / "rules", berths=BERTHS, ferries=FERRIES)
        await app.take(library, folder)
        before = await app.libraries.paragraph(library, "7.2")
        write(folder, berths=BERTHS.replace("A berth has a number", "A mooring has a lantern"))
        report = await app.take(library, folder)
        assert (report.replaced, report.unchanged, report.added) == (1, 1, 0)
        assert (await app.libraries.paragraph(library, "7.2")).id == before.id
        assert ("8.1", "7.2") in await cited(app, library)
        assert (await app.refs(library, "lantern", search_type="keyword")) == ["7.1"]
        assert await app.refs(library, "number", search_type="keyword") == []
        write(folder, berths=BERTHS.partition("2.")[0])
        await app.take(library, folder)
        status = await app.libraries.status("harbour")
        assert status.paragraphs == status.indexed_words == status.indexed_vectors == 2
        assert "7.2" not in await app.refs(library, "guests leave at noon")
        assert await cited(app, library) == set()


@pytest.mark.requirement("LB-309")
async def test_removed_and_renamed_files_are_followed(
    app: LibraryApp, library: Library, tmp_path: Path
) -> None:
    """A renamed file keeps its references and ids."""
    folder = write(tmp_path / "rules", berths=BERTHS, ferries=FERRIES)
    await app.take(library, folder)
    before = await app.libraries.paragraph(library, "7.1")
    (folder / "berths.md").rename(folder / "moorings.md")
    (folder / "ferries.md").unlink()
    report = await app.take(library, folder)
    assert (report.removed, report.added, report.problems) == (2, 1, [])
    after = await app.libraries.paragraph(library, "7.1")
    assert (after.id, after.path) == (before.id, "moorings.md")
    assert [each.path for each in await app.libraries.documents(library)] == ["moorings.md"]
    assert await app.refs(library, "ferries tower", search_type="keyword") == []


@pytest.mark.requirement("LB-310")
async def test_a_replacement_that_fails_half_way_changes_nothing(
    app: LibraryApp, library: Library, tmp_path: Path
) -> None:
    """Rows and words change together or not at all, and the next ingest makes it good."""
    folder = write(tmp_path / "rules", berths=BERTHS)
    await app.take(library, folder)
    write(folder, berths=BERTHS.replace("Guests leave at noon", "Guests pay in herring"))
    index = app.core.text_index
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
        await app.take(library, folder)
    assert (await app.libraries.paragraph(library, "7.2")).text == "Guests leave at noon."
    assert await app.refs(library, "herring", search_type="keyword") == []
    assert await app.refs(library, "noon", search_type="keyword") == ["7.2"]
    index.put = put  # type: ignore[method-assign]
    assert (await app.take(library, folder)).replaced == 1
    assert await app.refs(library, "herring", search_type="keyword") == ["7.2"]


@pytest.mark.requirement("LB-311")
async def test_bad_files_are_named_and_the_rest_goes_in(
    app: LibraryApp, library: Library, tmp_path: Path
) -> None:
    """Too large, encrypted, empty, no text: each with its reason; a good one goes in."""
    folder = write(tmp_path / "rules", berths=BERTHS, empty="")
    with (folder / "vast.txt").open("wb") as vast:
        vast.truncate(LARGEST_FILE + 1)
    (folder / "locked.docx").write_bytes(b"\xd0\xcf\x11\xe0" + bytes(600))
    (folder / "noise.txt").write_bytes(bytes(range(256)) * 20)
    (folder / "photo.png").write_bytes(b"\x89PNG")
    report = await app.take(library, folder)
    reasons = {each.path: each.reason for each in report.rejected}
    assert reasons == {
        "empty.md": "empty",
        "vast.txt": "too_large",
        "locked.docx": "encrypted",
        "noise.txt": "not_text",
    }
    assert all(each.path in each.message for each in report.rejected)
    assert (report.added, report.ignored) == (1, 1)
    rejected = (await app.libraries.status("harbour")).rejections
    assert [each.path for each in rejected] == sorted(reasons)
    (folder / "empty.md").write_text("# No more\n\nNow it says something.\n")
    (folder / "vast.txt").unlink()
    await app.take(library, folder)
    rejected = (await app.libraries.status("harbour")).rejections
    assert [each.path for each in rejected] == ["locked.docx", "noise.txt"]


@pytest.mark.requirement("LB-312")
async def test_a_file_gone_bad_leaves_what_was_good_of_it(
    app: LibraryApp, library: Library, tmp_path: Path
) -> None:
    folder = write(tmp_path / "rules", berths=BERTHS)
    await app.take(library, folder)
    (folder / "berths.md").write_bytes(bytes(500))
    report = await app.take(library, folder)
    assert [each.path for each in report.rejected] == ["berths.md"]
    assert (report.removed, report.replaced) == (0, 0)
    assert (await app.refs(library, "guests leave at noon"))[0] == "7.2"


@pytest.mark.requirement("LB-313")
async def test_an_empty_folder_is_named_and_empties_nothing(
    app: LibraryApp, library: Library, tmp_path: Path
) -> None:
    folder = write(tmp_path / "rules", berths=BERTHS)
    await app.take(library, folder)
    (folder / "berths.md").unlink()
    report = await app.take(library, folder)
    [rejected] = report.rejected
    assert rejected.reason == "empty"
    assert str(folder) in rejected.message
    assert report.removed == 0
    assert (await app.refs(library, "guests leave at noon"))[0] == "7.2"
    with pytest.raises(InvalidInput, match="no folder and no file"):
        await app.ingest.folder(library, tmp_path / "nowhere")


@pytest.mark.requirement("LB-314")
async def test_the_kind_is_stated_or_given(
    app: LibraryApp, library: Library, tmp_path: Path
) -> None:
    """`kind` beats frontmatter, which beats the default, and a change of it counts."""
    guide = "---\nkind: guide\n---\n# How to moor\n\nSlowly, with fenders.\n"
    folder = write(tmp_path / "rules", berths=BERTHS, mooring=guide)
    await app.take(library, folder)
    kinds = {each.path: each.kind for each in await app.libraries.documents(library)}
    assert kinds == {"berths.md": Kind.STANDARD, "mooring.md": Kind.GUIDE}
    report = await app.take(library, folder, kind=Kind.GUIDE)
    assert (report.replaced, report.unchanged) == (1, 1)
    kinds = {each.path: each.kind for each in await app.libraries.documents(library)}
    assert set(kinds.values()) == {Kind.GUIDE}
    found = await app.search.guides(library, "guests leave at noon")
    assert found.hits[0].paragraph.ref == "7.2"


@pytest.mark.requirement("LB-315")
async def test_uploads_and_other_folders_are_no_folders_to_remove(
    tmp_path: Path, database_url: str
) -> None:
    """What one source lacks was not taken from another."""
    async with open_library_app(tmp_path, database_url) as app:
        library = await app.libraries.create("harbour")
        await app.take(library, write(tmp_path / "rules", berths=BERTHS))
        await app.take(library, write(tmp_path / "more", ferries=FERRIES))
        files = [("notes.txt", b"Seagulls are not fed."), ("bad.pdf", b"%PDF-1.7 nothing")]
        report = await app.ingest.wait(await app.ingest.upload(library, files))
        assert (report.added, [each.path for each in report.rejected]) == (1, ["upload:bad.pdf"])
        await app.take(library, tmp_path / "rules")
        paths = [each.path for each in await app.libraries.documents(library)]
        assert sorted(paths) == sorted(
            [(tmp_path / "more" / "ferries.md").as_posix(), "berths.md", "upload:notes.txt"]
        )
        assert len(await app.refs(library, "seagulls fed", search_type="keyword")) == 1
        again = await app.ingest.upload(library, [("notes.txt", b"Seagulls are fed.")])
        assert (await app.ingest.wait(again)).replaced == 1


@pytest.mark.requirement("LB-315")
@pytest.mark.parametrize("name", ["../evil.md", "a/b.md", "..", "", "c:\\evil.md"])
async def test_an_upload_has_a_plain_name(app: LibraryApp, library: Library, name: str) -> None:
    with pytest.raises(InvalidInput, match="plain file name"):
        await app.ingest.upload(library, [(name, b"text")])


async def waiting(app: LibraryApp) -> list[str]:
    """The names of the uploads that nobody has taken."""
    async with app.core.database.read() as session:
        return list(await session.scalars(select(LibraryUpload.name)))


@pytest.mark.requirement("LB-601")
async def test_uploads_wait_in_the_database_until_they_are_taken(
    tmp_path: Path, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On both databases, through the end of the process that took them in."""
    monkeypatch.setattr(ingesting, "BATCH_FILES", 1)
    async with open_library_app(tmp_path, database_url) as app:
        library = await app.libraries.create("harbour")
        files = [("gulls.txt", b"Gulls are not fed."), ("seals.txt", b"Seals may be watched.")]
        async with app.core.bus.subscribe("library.ingesting") as news:
            run_id = await app.ingest.upload(library, files)
            await anext(news)
        await app.core.runs.stop()
        assert await waiting(app) == ["gulls.txt", "seals.txt"]
    async with open_library_app(tmp_path, database_url) as app:
        await app.core.runs.recover()
        assert (await app.ingest.wait(run_id)).added == 2
        assert await waiting(app) == []
    assert not (tmp_path / "data" / "uploads").exists()


@pytest.mark.requirement("LB-601")
async def test_uploads_that_no_run_will_take_are_let_go(
    app: LibraryApp, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a run that fails or is cancelled, and of one that was never started."""

    async def fail(*_: object) -> None:
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(rows, "write_document", fail)
    with pytest.raises(StepFailed):
        await app.ingest.wait(await app.ingest.upload(library, [("a.txt", b"Text.")]))
    assert await waiting(app) == []
    monkeypatch.undo()

    long_ago = clock.now() - timedelta(days=1)
    async with app.core.database.write() as session:
        for name, moment in (("lost.txt", long_ago), ("coming.txt", clock.now())):
            row = {"batch": f"run_{name}", "name": name, "content": b"x", "created_at": moment}
            session.add(LibraryUpload(library_id=library.id, **row))
    await app.ingest.wait(await app.ingest.upload(library, [("b.txt", b"More text.")]))
    assert await waiting(app) == ["coming.txt"]


@pytest.mark.requirement("LB-601")
async def test_an_upload_that_is_too_large_is_named_and_not_read(
    app: LibraryApp, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the same bound as files of a folder."""
    monkeypatch.setattr(uploading, "LARGEST_FILE", 10)
    files = [("large.txt", b"Larger than ten bytes."), ("small.txt", b"Small.")]
    report = await app.ingest.wait(await app.ingest.upload(library, files))
    assert (report.added, [each.reason for each in report.rejected]) == (1, ["too_large"])


@pytest.mark.requirement("LB-602")
async def test_progress_is_read_from_the_end_of_a_long_run(
    app: LibraryApp, library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not from all of its events."""
    monkeypatch.setattr(ingesting, "BATCH_FILES", 1)
    folder = write(tmp_path / "many", **{f"rule{n}": f"# Rule {n}\n\nText.\n" for n in range(30)})
    run_id = await app.ingest.folder(library, folder)
    await app.ingest.wait(run_id)
    runs = app.core.runs
    events, read = runs.events, 0

    async def count(run_id: str, *, after: int = 0) -> Sequence[RunEvent]:
        nonlocal read
        found = await events(run_id, after=after)
        read += len(found)
        return found

    monkeypatch.setattr(runs, "events", count)
    progress = await app.ingest.progress(run_id)
    assert (progress.done, progress.total, progress.report.added) == (30, 30, 30)
    assert 0 < read <= ingesting.LAST_EVENTS < 30


@pytest.mark.requirement("LB-316")
async def test_an_ingest_goes_on_after_its_process_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was taken in before is not read again, the rest is."""
    monkeypatch.setattr(ingesting, "BATCH_FILES", 1)
    async with open_library_app(tmp_path) as app:
        library = await app.libraries.create("harbour")
        async with app.core.bus.subscribe("library.ingesting") as news:
            run_id = await app.ingest.folder(library, app.standards)
            async for event in news:
                if event.payload["done"] == 2:
                    break
        await app.core.runs.stop()
        assert (await app.ingest.progress(run_id)).status is RunStatus.RUNNING
        assert len(await app.libraries.documents(library)) < 5
    async with open_library_app(tmp_path) as app:
        await app.core.runs.recover()
        report = await app.ingest.wait(run_id)
        assert report.added + report.unchanged == 5
        assert len(await app.libraries.documents(library)) == 5
        assert ("315.A6", "315.12") in await cited(app, library)


@pytest.mark.requirement("LB-317")
async def test_progress_is_told(app: LibraryApp, library: Library) -> None:
    """While it goes on by events, at any time by asking."""
    run_id = await app.ingest.folder(library, app.standards)
    report = await app.ingest.wait(run_id)
    progress = await app.ingest.progress(run_id)
    assert (progress.status, progress.done, progress.total) == (RunStatus.COMPLETED, 5, 5)
    assert (progress.library, progress.report) == ("harbour", report)
    told = [event for event in app.events if event.topic == "library.ingesting"]
    assert [event.payload["done"] for event in told] == [0, 5]
    assert not any(event.durable for event in told)
    [done] = [event for event in app.events if event.topic == "library.ingested"]
    assert done.payload["report"]["added"] == 5


@pytest.mark.requirement("LB-318")
async def test_two_documents_with_the_same_references_both_go_in(
    app: LibraryApp, library: Library, tmp_path: Path
) -> None:
    """The second's are told apart by its name, and the report says so."""
    folder = write(tmp_path / "rules", a_berths=BERTHS, b_copy=BERTHS.replace("noon", "dusk"))
    report = await app.take(library, folder)
    assert report.added == 2
    assert [each.path for each in report.problems] == ["b_copy.md"]
    assert (await app.libraries.paragraph(library, "7.2")).text == "Guests leave at noon."
    other = await app.libraries.paragraph(library, "b_copy › 7.2")
    assert other.text == "Guests leave at dusk."


@pytest.mark.requirement("LB-319")
async def test_citations_in_circles_and_to_what_comes_later(
    app: LibraryApp, library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every order of files gives the same edges."""
    monkeypatch.setattr(ingesting, "BATCH_FILES", 1)
    circle = {
        "a": "---\nnumber: 110\n---\n1. As paragraph 120.1 says.\n",
        "b": "---\nnumber: 120\n---\n1. As paragraph 130.1 says.\n",
        "c": "---\nnumber: 130\n---\n1. As paragraph 110.1 says, and paragraph 1 itself.\n",
    }
    await app.take(library, write(tmp_path / "rules", **circle))
    assert await cited(app, library) == {
        ("110.1", "120.1"),
        ("120.1", "130.1"),
        ("130.1", "110.1"),
    }


@pytest.mark.requirement("LB-320")
async def test_lost_vectors_are_made_again_and_strays_are_swept(
    app: LibraryApp, library: Library, tmp_path: Path
) -> None:
    """Whatever a crash left apart, the next ingest that changes something mends."""
    folder = write(tmp_path / "rules", berths=BERTHS)
    await app.take(library, folder)
    vectors, collection = app.core.vectors, collection_of(library.id)
    lost = await app.libraries.paragraph(library, "7.2")
    await vectors.delete(collection, ids=[lost.id])
    write(folder, ferries=FERRIES)
    await app.take(library, folder)
    held = {each.id for each in await vectors.scroll(collection)}
    assert lost.id in held
    assert len(held) == 3
    await app.libraries.indexes.vectors(library.id).add(["par_of_nobody"], ["Guests leave."])
    assert "par_of_nobody" not in {
        hit.paragraph.id for hit in (await app.search.search(library, "guests leave")).hits
    }
    write(folder, ferries=FERRIES.replace("tower", "watch"))
    await app.take(library, folder)
    assert {each.id for each in await vectors.scroll(collection)} == held


@pytest.mark.requirement("LB-321")
async def test_two_ingests_at_once_do_not_meet(app: LibraryApp, library: Library) -> None:
    reports = await asyncio.gather(*(app.take(library, app.standards) for _ in range(3)))
    assert all(not report.rejected for report in reports)
    status = await app.libraries.status("harbour")
    assert status.standards + status.guides == 5
    assert status.paragraphs == status.indexed_words == status.indexed_vectors


@pytest.mark.requirement("LB-306")
async def test_a_page_is_read_once_and_index_pages_are_skipped(
    app: LibraryApp, library: Library, tmp_path: Path
) -> None:
    """A folder as Sphinx makes it: what is left out is named, with the reason."""
    folder = tmp_path / "manual"
    (folder / "_sources").mkdir(parents=True)
    links = "".join(f'<li><a href="p{each}.html">Page {each}</a></li>' for each in range(12))
    pages = {
        "berths.html": "<h1>1. Berths</h1><p>A berth has a number.</p>",
        "_sources/berths.rst.txt": "Berths\n======\n\nA berth has a number.\n",
        "_sources/ferries.rst.txt": "Ferries\n=======\n\nFerries call the tower.\n",
        "genindex.html": "<h1>Index</h1><p>Nothing.</p>",
        "search.html": "<h1>Search</h1><p>Please activate JavaScript.</p>",
        "index.html": f"<h1>Contents</h1><ul>{links}</ul>",
    }
    for name, text in pages.items():
        (folder / name).write_text(text)
    report = await app.take(library, folder)
    assert (report.added, report.paragraphs, report.rejected) == (2, 2, [])
    skipped = {each.path: (each.reason, each.message) for each in report.skipped}
    assert skipped["_sources/berths.rst.txt"] == (
        "same_text",
        "_sources/berths.rst.txt: the source of berths.html, which is read.",
    )
    assert {path for path, (reason, _) in skipped.items() if reason == "navigation"} == {
        "genindex.html",
        "search.html",
        "index.html",
    }
    assert (await app.libraries.status("harbour")).rejections == []
