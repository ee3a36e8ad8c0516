"""Libraries: names, owners, status, and what is left when one is removed."""

import pytest
from sqlalchemy import func, select

from bottega.core.users import LOCAL_USER
from bottega.errors import Conflict, InvalidInput, NotFound
from bottega.library.documents.service import collection_of
from bottega.library.documents.tables import (
    LibraryDocument,
    LibraryEdge,
    LibraryParagraph,
    LibraryTerm,
)
from bottega.library.parsers.document import Kind
from tests.library.builders import LibraryApp


@pytest.mark.requirement("LB-301")
@pytest.mark.parametrize("name", ["", "ISA", "1st", "two words", "a" * 32, "is-a", "isä"])
async def test_a_name_that_no_tool_could_have_is_refused(app: LibraryApp, name: str) -> None:
    with pytest.raises(InvalidInput, match="tools are named after it"):
        await app.libraries.create(name)


@pytest.mark.requirement("LB-301")
async def test_a_name_is_used_once(app: LibraryApp) -> None:
    made = await app.libraries.create("isa", "Standards")
    assert (made.name, made.title) == ("isa", "Standards")
    with pytest.raises(Conflict, match="'isa' already"):
        await app.libraries.create("isa")
    assert (await app.libraries.ensure("isa")).id == made.id
    assert app.topics().count("library.created") == 1


@pytest.mark.requirement("LB-302")
async def test_asking_for_what_is_not_there_says_what_is(app: LibraryApp) -> None:
    with pytest.raises(NotFound, match="none yet"):
        await app.libraries.get("isa")
    await app.libraries.create("harbour")
    await app.libraries.create("baking")
    with pytest.raises(NotFound, match="There are: baking, harbour") as refused:
        await app.libraries.get("isa")
    assert refused.value.details["valid_options"] == ["baking", "harbour"]


@pytest.mark.requirement("LB-302")
async def test_nobody_sees_anothers_library(app: LibraryApp) -> None:
    other = await app.core.users.create("ada")
    await app.libraries.create("private", user_id=other.id)
    assert [each.name for each in await app.libraries.list(other.id)] == ["private"]
    assert await app.libraries.list(LOCAL_USER) == []
    with pytest.raises(NotFound):
        await app.libraries.get("private")
    with pytest.raises(NotFound):
        await app.libraries.remove("private")
    # Nor does a name that is taken tell of it: names are each user's own.
    mine = await app.libraries.create("private")
    assert (await app.libraries.get("private")).id == mine.id
    await app.libraries.remove("private")
    assert [each.name for each in await app.libraries.list(other.id)] == ["private"]


@pytest.mark.requirement("LB-303")
async def test_removing_leaves_no_row_no_word_and_no_vector(app: LibraryApp) -> None:
    library = await app.libraries.create("harbour")
    kept = await app.libraries.create("kept")
    for each in (library, kept):
        await app.take(each, app.standards)
    await app.libraries.remove("harbour")
    core, collection = app.core, collection_of(library.id)
    async with core.database.read() as session:
        for table in (LibraryDocument, LibraryParagraph, LibraryTerm, LibraryEdge):
            left = select(func.count()).select_from(table).where(table.library_id == library.id)
            assert await session.scalar(left) == 0, table
    assert await core.text_index.count(collection) == 0
    assert await core.vectors.collection(collection) is None
    assert (await app.refs(kept, "crane licence"))[0] == "315.1(c)"
    [event] = [event for event in app.events if event.topic == "library.removed"]
    assert event.payload["library"] == "harbour"


@pytest.mark.requirement("LB-304")
async def test_the_status_counts_what_can_be_found(app: LibraryApp) -> None:
    library = await app.libraries.create("harbour")
    (app.standards / "broken.pdf").write_bytes(b"no pdf at all")
    report = await app.take(library, app.standards)
    status = await app.libraries.status("harbour")
    assert (status.standards, status.guides) == (4, 1)
    assert status.paragraphs == status.indexed_words == status.indexed_vectors == report.paragraphs
    assert status.terms > 10
    assert set(status.edges) == {"cites", "maps_to"}
    assert [each.path for each in status.rejections] == ["broken.pdf"]
    guides = await app.libraries.documents(library, Kind.GUIDE)
    assert [each.title for each in guides] == ["A skipper's guide to Saltmere"]


@pytest.mark.requirement("LB-305")
async def test_a_paragraph_is_found_as_people_cite_it(app: LibraryApp) -> None:
    library = await app.libraries.create("harbour")
    await app.take(library, app.standards)
    found = await app.libraries.paragraph(library, "315.12(a)")
    assert found.text.startswith("at least 72 hours")
    assert found.start is not None
    assert found.start.startswith("line ")
    for written in (found.id, "Standard 315, paragraph 12 (a)", " 315.12 (a) "):
        assert (await app.libraries.paragraph(library, written)).id == found.id
    with pytest.raises(NotFound, match=r"nearest is 315\.12\.") as refused:
        await app.libraries.paragraph(library, "315.12(z)")
    assert refused.value.details["nearest"] == "315.12"
    elsewhere = await app.libraries.create("empty")
    with pytest.raises(NotFound):
        await app.libraries.paragraph(elsewhere, found.id)
