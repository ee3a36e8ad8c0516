"""Libraries: names, owners, status, and what is left when one is removed."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import func, select

from bottega.core.users import LOCAL_USER
from bottega.errors import Conflict, InvalidInput, NotFound
from bottega.library.indexes import collection_of
from bottega.library.reading import Kind
from bottega.library.tables import LibraryDocument, LibraryEdge, LibraryParagraph, LibraryTerm
from tests.library.shelf import Shelf, open_shelf


@pytest.fixture
async def shelf(tmp_path: Path) -> AsyncIterator[Shelf]:
    async with open_shelf(tmp_path) as shelf:
        yield shelf


@pytest.mark.parametrize("name", ["", "ISA", "1st", "two words", "a" * 32, "is-a", "isä"])
async def test_a_name_that_no_tool_could_have_is_refused(shelf: Shelf, name: str) -> None:
    """LB-301."""
    with pytest.raises(InvalidInput, match="tools are named after it"):
        await shelf.libraries.create(name)


async def test_a_name_is_used_once(shelf: Shelf) -> None:
    """LB-301."""
    made = await shelf.libraries.create("isa", "Standards")
    assert (made.name, made.title) == ("isa", "Standards")
    with pytest.raises(Conflict, match="'isa' already"):
        await shelf.libraries.create("isa")
    assert (await shelf.libraries.ensure("isa")).id == made.id
    assert shelf.topics().count("library.created") == 1


async def test_asking_for_what_is_not_there_says_what_is(shelf: Shelf) -> None:
    """LB-302."""
    with pytest.raises(NotFound, match="none yet"):
        await shelf.libraries.get("isa")
    await shelf.libraries.create("harbour")
    await shelf.libraries.create("baking")
    with pytest.raises(NotFound, match="There are: baking, harbour") as refused:
        await shelf.libraries.get("isa")
    assert refused.value.details["valid_options"] == ["baking", "harbour"]


async def test_nobody_sees_anothers_library(shelf: Shelf) -> None:
    """LB-302."""
    other = await shelf.house.core.users.create("ada")
    await shelf.libraries.create("private", user_id=other.id)
    assert [each.name for each in await shelf.libraries.list(other.id)] == ["private"]
    assert await shelf.libraries.list(LOCAL_USER) == []
    with pytest.raises(NotFound):
        await shelf.libraries.get("private")
    with pytest.raises(NotFound):
        await shelf.libraries.remove("private")
    # Names are those of tools, so they are unique in the house.
    with pytest.raises(Conflict):
        await shelf.libraries.create("private")


async def test_removing_leaves_no_row_no_word_and_no_vector(shelf: Shelf) -> None:
    """LB-303."""
    library = await shelf.libraries.create("harbour")
    kept = await shelf.libraries.create("kept")
    for each in (library, kept):
        await shelf.take(each, shelf.house.standards)
    await shelf.libraries.remove("harbour")
    core, collection = shelf.house.core, collection_of(library.id)
    async with core.database.read() as session:
        for table in (LibraryDocument, LibraryParagraph, LibraryTerm, LibraryEdge):
            left = select(func.count()).select_from(table).where(table.library_id == library.id)
            assert await session.scalar(left) == 0, table
    assert await core.text_index.count(collection) == 0
    assert await core.vectors.collection(collection) is None
    assert (await shelf.refs(kept, "crane licence"))[0] == "315.1(c)"
    [event] = [event for event in shelf.house.heard if event.topic == "library.removed"]
    assert event.payload["library"] == "harbour"


async def test_the_status_counts_what_can_be_found(shelf: Shelf) -> None:
    """LB-304."""
    library = await shelf.libraries.create("harbour")
    (shelf.house.standards / "broken.pdf").write_bytes(b"no pdf at all")
    report = await shelf.take(library, shelf.house.standards)
    status = await shelf.libraries.status("harbour")
    assert (status.standards, status.guides) == (4, 1)
    assert status.paragraphs == status.indexed_words == status.indexed_vectors == report.paragraphs
    assert status.terms > 10
    assert set(status.edges) == {"cites", "maps_to"}
    assert [each.path for each in status.rejections] == ["broken.pdf"]
    guides = await shelf.libraries.documents(library, Kind.GUIDE)
    assert [each.title for each in guides] == ["A skipper's guide to Saltmere"]


async def test_a_paragraph_is_found_as_people_cite_it(shelf: Shelf) -> None:
    """LB-305."""
    library = await shelf.libraries.create("harbour")
    await shelf.take(library, shelf.house.standards)
    found = await shelf.libraries.paragraph(library, "315.12(a)")
    assert found.text.startswith("at least 72 hours")
    assert found.start is not None
    assert found.start.startswith("line ")
    for written in (found.id, "Standard 315, paragraph 12 (a)", " 315.12 (a) "):
        assert (await shelf.libraries.paragraph(library, written)).id == found.id
    with pytest.raises(NotFound, match=r"nearest is 315\.12\.") as refused:
        await shelf.libraries.paragraph(library, "315.12(z)")
    assert refused.value.details["nearest"] == "315.12"
    elsewhere = await shelf.libraries.create("empty")
    with pytest.raises(NotFound):
        await shelf.libraries.paragraph(elsewhere, found.id)
