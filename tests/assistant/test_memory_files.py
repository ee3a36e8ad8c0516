"""Memory files: where they are, what is written to them, who sees them, what a prompt gets."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.exc import IntegrityError

from bottega.assistant.loop.turn import trace_id_of
from bottega.assistant.memory_files.notes import LONGEST_FILE
from bottega.assistant.memory_files.paths import MemoryAccess, MemoryPath, WriteMode, parse_path
from bottega.assistant.memory_files.repository import MemoryFile
from bottega.assistant.memory_files.service import MemoryFiles, place_of
from bottega.core.db.database import Database
from bottega.core.traces import Traces
from bottega.core.users import LOCAL_USER, Users
from bottega.errors import BottegaError, Conflict, Forbidden, InvalidInput, NotFound, TooLarge
from tests.assistant.hook_turns import open_turn
from tests.assistant.tool_app import use

ME = MemoryAccess(LOCAL_USER)


@pytest.fixture
async def files(database: Database) -> AsyncIterator[MemoryFiles]:
    traces = Traces(database)
    await traces.start()
    yield MemoryFiles(database, traces)
    await traces.stop()


@pytest.mark.requirement("AS-540")
@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("memory/MEMORY.md", ("", "MEMORY.md")),
        ("MEMORY.md", ("", "MEMORY.md")),
        ("./memory/planning-patterns.md", ("", "planning-patterns.md")),
        ("memory/classes/3B/MEMORY.md", ("3B", "MEMORY.md")),
        ("classes/3B/lessons.md", ("3B", "lessons.md")),
        ("memory/memory.md", ("", "MEMORY.md")),
        ("memory/units/iteration.md", ("", "units/iteration.md")),
        ("classes/6ème A/élèves.md", ("6ème A", "élèves.md")),
    ],
)
def test_a_path_is_understood_with_and_without_memory(said: str, meant: tuple[str, str]) -> None:
    """Classes/… is the class's, everything else the person's own."""
    place = parse_path(said)
    assert place == MemoryPath(*meant)
    assert parse_path(str(place)) == place


@pytest.mark.requirement("AS-541")
@pytest.mark.parametrize(
    ("path", "error"),
    [
        ("../MEMORY.md", Forbidden),
        ("memory/../../etc/passwd.md", Forbidden),
        ("memory/classes/3B/../2A/MEMORY.md", Forbidden),
        ("..\\secret.md", Forbidden),
        ("/memory/MEMORY.md", Forbidden),
        ("~/notes.md", Forbidden),
        ("C:\\notes.md", InvalidInput),
        ("memory/a\0b.md", InvalidInput),
        ("memory/a\nb.md", InvalidInput),
        ("memory/.hidden.md", InvalidInput),
        ("memory/notes.txt", InvalidInput),
        ("memory/classes/3B", InvalidInput),
        ("memory/classes/3B.md", InvalidInput),
        ("memory/", InvalidInput),
        ("", InvalidInput),
        ("x" * 5000 + ".md", InvalidInput),
        ("a/b/c/d/e/f.md", InvalidInput),
    ],
)
def test_a_path_that_leads_elsewhere_is_refused(path: str, error: type[BottegaError]) -> None:
    """With what would be right, and never with a page of its own text."""
    with pytest.raises(error) as caught:
        parse_path(path)
    assert "memory/" in caught.value.message or "characters" in caught.value.message
    assert len(caught.value.message) < 500


@pytest.mark.requirement("AS-542")
@given(st.text(max_size=60))
def test_whatever_is_said_is_a_path_within_the_memory_or_refused(said: str) -> None:
    try:
        place = parse_path(said)
    except BottegaError:
        return
    assert place.name.endswith(".md")
    assert ".." not in str(place).split("/")
    assert parse_path(str(place)) == place


@pytest.mark.requirement("AS-543")
async def test_a_file_is_created_appended_to_and_replaced(files: MemoryFiles) -> None:
    """What stands there already is not said twice; a list goes on as one."""
    path = "memory/planning.md"
    first = await files.write(path, "# Planning\n\n- Bullet points.", ME)
    assert (first.path, first.is_new, first.lines) == ("memory/planning.md", True, 3)
    await files.write(path, "- Short texts.", ME)
    again = await files.write(path, "- Short texts.\n", ME)
    assert not again.is_changed
    await files.write(path, "A paragraph.", ME)
    assert await files.read(path, ME) == (
        "# Planning\n\n- Bullet points.\n- Short texts.\n\nA paragraph.\n"
    )
    # Part of a line is not the line.
    assert (await files.write(path, "- Short", ME)).is_changed

    with pytest.raises(Conflict, match=r"memory/planning\.md is there already"):
        await files.write(path, "x", ME, WriteMode.CREATE)
    await files.write("memory/new.md", "x", ME, WriteMode.CREATE)
    await files.write(path, "All new.", ME, WriteMode.REPLACE)
    assert await files.read(path, ME) == "All new.\n"
    with pytest.raises(InvalidInput, match="nothing to write"):
        await files.write(path, " \n", ME)


@pytest.mark.requirement("AS-508")
async def test_a_missing_file_is_told_with_those_that_there_are(files: MemoryFiles) -> None:
    """Read_memory's error, for either scope."""
    with pytest.raises(NotFound, match=r"no memory file 'memory/style\.md'\. There is none yet"):
        await files.read("style.md", ME)
    await files.write("classes/3B/lessons.md", "- Loops.", ME)
    with pytest.raises(NotFound, match=r"There are: memory/classes/3B/lessons\.md"):
        await files.read("memory/classes/3B/MEMORY.md", ME)
    assert await files.entrypoint("3B", ME) == ""


@pytest.mark.requirement("AS-544")
async def test_a_person_and_each_class_have_files_of_their_own(files: MemoryFiles) -> None:
    """The same name in three scopes is three files, in a sidebar's order."""
    for path in ("classes/3B/MEMORY.md", "MEMORY.md", "classes/2C/MEMORY.md", "a.md"):
        await files.write(path, f"- About {path}.", ME)
    assert await files.entrypoint(None, ME) == "- About MEMORY.md.\n"
    assert await files.entrypoint("3B", ME) == "- About classes/3B/MEMORY.md.\n"
    assert [str(place_of(row)) for row in await files.list(LOCAL_USER)] == [
        "memory/MEMORY.md",
        "memory/a.md",
        "memory/classes/2C/MEMORY.md",
        "memory/classes/3B/MEMORY.md",
    ]


@pytest.mark.requirement("AS-545")
async def test_nobody_sees_anothers_memory(files: MemoryFiles, database: Database) -> None:
    """Not by reading, listing, writing, deleting or in the events."""
    other = MemoryAccess((await Users(database).create("Another")).id)
    await files.write("MEMORY.md", "- Mine.", ME)
    assert await files.entrypoint(None, other) == ""
    await files.write("MEMORY.md", "- Theirs.", other)
    assert await files.entrypoint(None, ME) == "- Mine.\n"
    with pytest.raises(NotFound):
        await files.delete("nothing.md", other)
    await files.delete("MEMORY.md", other)
    assert await files.entrypoint(None, ME) == "- Mine.\n"
    assert [row.user_id for row in await files.list(other.user_id)] == []
    assert {event.user_id for event in await files.events(other.user_id)} == {other.user_id}


@pytest.mark.requirement("AS-546")
async def test_a_class_is_the_same_however_it_is_written(files: MemoryFiles) -> None:
    """3b is 3B, as it was written first."""
    await files.write("classes/3B/MEMORY.md", "- One.", ME)
    written = await files.write("classes/3b/MEMORY.md", "- Two.", ME)
    assert written.path == "memory/classes/3B/MEMORY.md"
    assert await files.entrypoint("3b", ME) == "- One.\n- Two.\n"


@pytest.mark.requirement("AS-547")
async def test_a_scope_without_a_class_is_unique_too(database: Database) -> None:
    """The database holds one file for a person, scope, class and path."""

    async def put_twice() -> None:
        async with database.write() as session:
            for _ in range(2):
                session.add(MemoryFile(user_id=LOCAL_USER, scope="teacher", path="MEMORY.md"))

    with pytest.raises(IntegrityError):
        await put_twice()


@pytest.mark.requirement("AS-548")
async def test_notes_written_at_the_same_time_are_all_kept(files: MemoryFiles) -> None:
    """Also to a file that is not there yet, on either database."""
    notes = [f"- Note {number}." for number in range(12)]
    await asyncio.gather(*(files.write("MEMORY.md", note, ME) for note in notes))
    assert set((await files.entrypoint(None, ME)).split("\n")) - {""} == set(notes)


@pytest.mark.requirement("AS-549")
async def test_what_would_be_too_much_is_refused(
    files: MemoryFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file's length and how many files there are."""
    await files.write("big.md", "x" * (LONGEST_FILE - 10), ME)
    with pytest.raises(TooLarge, match="another topic file"):
        await files.write("big.md", "y" * 100, ME)
    monkeypatch.setattr("bottega.assistant.memory_files.service.MOST_FILES", 1)
    with pytest.raises(Conflict, match="memory files already"):
        await files.write("one-more.md", "x", ME)
    await files.write("big.md", "fits", ME, WriteMode.REPLACE)


@pytest.mark.requirement("AS-550")
async def test_every_read_and_write_is_an_event_and_a_span(tmp_path: Path) -> None:
    """Which file, when, by whom, in which session and trace; access is counted."""
    async with open_turn(tmp_path, permission="execute") as app:
        files, turn = app.files, app.turn
        access = MemoryAccess(LOCAL_USER, "planner", turn.session_id, "a" * 32)
        await files.write("classes/3B/MEMORY.md", "- Short starters.", access)
        await files.read("classes/3B/MEMORY.md", access)
        await files.read("classes/3B/MEMORY.md", ME)
        await files.delete("classes/3B/MEMORY.md", ME)

        told = [
            (event.event_type, event.actor, event.session_id, event.trace_id)
            for event in await files.events(LOCAL_USER)
        ]
        assert told == [
            ("write", "planner", turn.session_id, "a" * 32),
            ("read", "planner", turn.session_id, "a" * 32),
            ("read", "person", None, None),
            ("delete", "person", None, None),
        ]
        first = (await files.events(LOCAL_USER))[0]
        assert (first.scope, first.class_id, first.path) == ("class", "3B", "MEMORY.md")
        assert first.final_text == "- Short starters."
        [span] = await app.spans("memory write")
        assert span.attributes["bottega.memory.path"] == "memory/classes/3B/MEMORY.md"
        assert span.attributes["bottega.memory.actor"] == "planner"
        assert span.session_id == turn.session_id
        assert len(await app.spans("memory read")) == 2


@pytest.mark.requirement("AS-551")
async def test_reading_counts_as_access_and_not_as_a_change(
    files: MemoryFiles, database: Database
) -> None:
    await files.write("a.md", "- One.", ME)
    [before] = await files.list(LOCAL_USER)
    await files.read("a.md", ME)
    await files.read("a.md", ME)
    [after] = await files.list(LOCAL_USER)
    assert (before.access_count, after.access_count) == (0, 2)
    assert after.updated_at == before.updated_at
    assert after.accessed_at is not None


@pytest.mark.requirement("AS-552")
async def test_a_long_index_comes_with_advice(files: MemoryFiles) -> None:
    """MEMORY.md only, from the 201st line on."""
    lines = "\n".join(f"- Note {number}." for number in range(200))
    assert (await files.write("MEMORY.md", lines, ME)).advice is None
    advice = (await files.write("MEMORY.md", "- One too many.", ME)).advice
    assert advice is not None
    assert "memory/MEMORY.md has 201 lines, and only the first 200 are loaded" in advice
    assert "topic files" in advice
    assert (await files.write("topic.md", f"{lines}\n- x", ME)).advice is None


@pytest.mark.requirement("AS-553", "AS-554")
async def test_an_agents_note_with_a_name_is_asked_about(tmp_path: Path) -> None:
    """Reworded, kept or dropped by the person; a kept name is not asked again."""
    note, other = "- Sit Morag by the window.", "- Pair Morag with Hamish."
    async with open_turn(tmp_path, "edit 1: - Sit the EAL pair together.", "keep", "") as app:
        for content, told in (
            (note, "Began memory/seats.md."),
            (note, "Wrote to memory/seats.md."),
            (note, "memory/seats.md says so already."),
            (other, "Nothing was written: it may name somebody"),
        ):
            answer = await use(app, "update_memory", path="seats.md", content=content)
            assert answer.startswith(told)
        assert await app.files.read("seats.md", ME) == (
            "- Sit the EAL pair together.\n- Sit Morag by the window.\n"
        )
        assert app.gate.items[0].text == "Likely a name: Morag, Hamish"
        kept = [(each.kind, each.decision) for each in await app.decisions()]
        assert kept == [("name_check", "edit"), ("name_check", "keep"), ("name_check", "dismiss")]


@pytest.mark.requirement("AS-509")
async def test_an_agent_notes_freely_and_asks_before_it_changes_an_index(tmp_path: Path) -> None:
    """Appended or begun, in this person's memory, as the agent; MEMORY.md by agreement."""
    async with open_turn(tmp_path, "deny", "allow") as app:
        path = "memory/classes/3B/lessons.md"
        await use(app, "update_memory", path=path, content="- Loops done.")
        await use(app, "update_memory", path=path, content="- Functions next.")
        assert app.person.gates == []
        assert await use(app, "read_memory", path="classes/3B/lessons.md") == (
            "- Loops done.\n- Functions next.\n"
        )
        asked = {"path": "MEMORY.md", "content": "- Prefers bullet points."}
        with pytest.raises(Forbidden, match="every later session begins with"):
            await use(app, "update_memory", **asked)  # type: ignore[arg-type]
        await use(app, "update_memory", **asked)  # type: ignore[arg-type]
        assert await app.learned() == "- Prefers bullet points.\n"
        events = await app.files.events(LOCAL_USER, session_id=app.turn.session_id)
        assert [(event.event_type, event.actor) for event in events] == [
            ("write", "planner"),
            ("write", "planner"),
            ("read", "planner"),
            ("write", "planner"),
        ]
        assert {event.trace_id for event in events} == {trace_id_of("run_1")}
        assert await use(app, "read_memory", path="memory/") == (
            "memory/MEMORY.md (lines: 1)\nmemory/classes/3B/lessons.md (lines: 2)"
        )
        over = "\n".join(f"- {n} bullets." for n in range(201))
        app.turn.order = app.turn.order.model_copy(update={"permission": "execute"})
        assert "move details into topic files" in await use(
            app, "update_memory", path="classes/3B/MEMORY.md", content=over, mode="replace"
        )


@pytest.mark.requirement("AS-562")
async def test_importance_of_a_file_is_that_of_its_most_important_note(files: MemoryFiles) -> None:
    await files.write("a.md", "- Likes maps.", ME)
    await files.write("b.md", "- Likes maps.\n- Two EAL pupils.", ME)
    await files.write("c.md", "- Two EAL pupils.\n- Nut allergy.", ME)
    assert [row.importance for row in await files.list(LOCAL_USER)] == [0.5, 0.8, 1.0]
    await files.write("c.md", "- Likes maps.", ME, WriteMode.REPLACE)
    assert (await files.list(LOCAL_USER))[2].importance == 0.5
