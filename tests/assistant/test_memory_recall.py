"""What of the memory reaches a prompt, a question or a run: ranked, within a budget, traced."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from bottega.assistant.loop.turn import trace_id_of
from bottega.assistant.memory_files.notebook import MemoryNotebook
from bottega.assistant.memory_files.notes import MemoryNote, Priority, as_item, notes_of
from bottega.assistant.memory_files.paths import MemoryAccess
from bottega.assistant.memory_files.ranking import (
    MemoryFileStore,
    RecalledNote,
    choose,
    ranked,
    render,
)
from bottega.assistant.memory_files.service import place_of
from bottega.core import clock
from bottega.core.llm.testing import ToolUse
from bottega.core.users import LOCAL_USER
from bottega.memory.recall import Recall
from bottega.memory.stores import Importance, MemoryStore, RecalledItem, Scope
from tests.assistant.hook_turns import open_turn
from tests.assistant.tool_app import open_tools

ME = MemoryAccess(LOCAL_USER)


@pytest.mark.requirement("AS-555")
def test_a_file_is_known_by_its_notes() -> None:
    """Items and paragraphs with their lines; constraints by their words."""
    text = (
        "# 3B\n\nA lively class\nof 24.\n\n## Needs\n- Two EAL pupils\n  like flowcharts\n"
        "* One severe nut allergy\n1. Shorter starters\n"
    )
    assert notes_of(text) == [
        MemoryNote("A lively class of 24.", 3, 5, "3B"),
        MemoryNote("Two EAL pupils like flowcharts", 7, 9, "Needs"),
        MemoryNote("One severe nut allergy", 9, 10, "Needs"),
        MemoryNote("Shorter starters", 10, 11, "Needs"),
    ]
    assert [note.priority for note in notes_of(text)] == [
        Priority.OTHER,
        Priority.NEEDS,
        Priority.SAFEGUARDING,
        Priority.OTHER,
    ]
    assert as_item("* Shorter\n  starters ") == "- Shorter starters"


def remembered(text: str, *, line: int = 1, **fields: object) -> RecalledNote:
    now = clock.now()
    item = RecalledItem(
        id=f"f:{line}",
        store="memory_files",
        content=text,
        scope=Scope.CLASS,
        owner=LOCAL_USER,
        relevance=0.5,
        importance=Importance.MEDIUM,
        created_at=now,
        updated_at=now,
    )
    return RecalledNote(MemoryNote(text, line, line + 1, ""), replace(item, **fields))  # type: ignore[arg-type]


@pytest.mark.requirement("AS-556")
def test_notes_are_ranked_by_relevance_importance_recency_and_access() -> None:
    """Each weighs less than the one before; ties keep the order of the file."""
    now = clock.now()
    notes = [
        remembered("tie", line=6),
        remembered("plain", line=5),
        remembered("used", line=4, use_count=5),
        remembered("old", line=3, updated_at=now - timedelta(days=365)),
        remembered("unimportant", line=2, importance=Importance.LOW),
        remembered("relevant", line=1, relevance=1.0),
    ]
    order = [each.note.text for each, _ in ranked(notes, now)]
    assert order == ["relevant", "used", "plain", "tie", "unimportant", "old"]
    assert [each.note.text for each, _ in ranked(notes[::-1], now)] == order
    points = {each.note.text: round(score, 3) for each, score in ranked(notes, now)}
    assert points["plain"] == 0.5 * 0.5 + 0.25 * 0.5 + 0.15
    assert points["relevant"] - points["plain"] == pytest.approx(0.25)
    assert points["plain"] - points["unimportant"] == pytest.approx(0.125)
    assert points["plain"] - points["old"] == pytest.approx(0.15, abs=0.001)
    assert points["used"] - points["plain"] == pytest.approx(0.05)


@pytest.mark.requirement("AS-557")
def test_constraints_come_first_where_there_is_little_room() -> None:
    """Safeguarding, then needs, then the best; a note that does not fit is passed over."""
    now = clock.now()
    notes = [
        remembered("Loves robots " + "and maps " * 20, line=1, relevance=1.0),
        remembered("Two EAL pupils use flowcharts", line=2, relevance=0.0),
        remembered("Severe nut allergy in the group", line=3, relevance=0.0),
        remembered("Short starters", line=4, relevance=0.2),
    ]
    choices = choose(notes, 32, now)
    assert [each.recalled.note.line for each in choices] == [3, 2, 1, 4]
    assert [each.is_chosen for each in choices] == [True, True, False, True]
    assert render(choices) == (
        "- Two EAL pupils use flowcharts\n- Severe nut allergy in the group\n- Short starters\n"
        "(No room for 1 of 4 notes; read_memory has them.)"
    )
    assert [each.is_chosen for each in choose(notes, 1000, now)] == [True] * 4
    assert not any(each.is_chosen for each in choose(notes, 0, now))


@pytest.mark.requirement("AS-558")
async def test_a_prompt_gets_a_short_index_whole(tmp_path: Path) -> None:
    """And its being read is told once, however often the prompt is assembled."""
    async with open_turn(tmp_path) as app:
        notebook = MemoryNotebook(app.files)
        assert await notebook.entrypoint(app.turn, None) == ""
        await app.learn("# Me\n\n- Short texts.")
        loader = MemoryNotebook(app.files)
        for _ in range(3):
            assert await loader.for_prompt(app.turn, None) == "# Me\n\n- Short texts.\n"
        events = await app.files.events(LOCAL_USER, session_id=app.turn.session_id)
        assert [(event.event_type, event.actor) for event in events] == [("read", "prompt")]
        assert await app.spans("memory selection") == []


@pytest.mark.requirement("AS-559")
async def test_of_an_index_that_is_too_long_a_prompt_gets_the_best(tmp_path: Path) -> None:
    """Within the first 200 lines; what was chosen and left out stands in the trace."""
    async with open_turn(tmp_path, said="a lesson on loops and iteration for 3B") as app:
        filler = [f"- The corridor display number {n} is about rivers." for n in range(1, 190)]
        lines = [*filler, "- Traces loops on paper before code.", "- Nut allergy in the group."]
        beyond = "- Safeguarding note that nobody loads."
        await app.learn("\n".join([*lines, *["- More."] * 9, beyond]), "3B")
        notebook = MemoryNotebook(app.files, prompt_tokens=120)
        text = await notebook.for_prompt(app.turn, "3B")
        assert "- Nut allergy in the group." in text
        assert "- Traces loops on paper before code." in text
        assert beyond not in text
        assert "of 200 notes; read_memory has them" in text
        assert text == await notebook.for_prompt(app.turn, "3B")
        span = (await app.spans("memory selection"))[0]
        assert span.attributes["bottega.memory.path"] == "memory/classes/3B/MEMORY.md"
        assert span.attributes["bottega.memory.chosen"][0].startswith("L191 ")
        assert span.attributes["bottega.memory.budget"] == 120
        chosen, left = (
            span.attributes[f"bottega.memory.{each}"] for each in ("chosen", "left_out")
        )
        assert len(chosen) + len(left) == 200


@pytest.mark.requirement("AS-560")
async def test_a_confirmed_note_is_added_once(tmp_path: Path) -> None:
    """To the right index, as a list item, with the turn's session and trace."""
    async with open_turn(tmp_path) as app:
        notebook = MemoryNotebook(app.files)
        for _ in range(2):
            await notebook.add(app.turn, "3B", "Short\nstarters.", actor="memory-capture")
        await notebook.add(app.turn, None, "Informal tone.", actor="memory-capture")
        assert await app.learned("3B") == "- Short starters.\n"
        assert await app.learned() == "- Informal tone.\n"
        write = (await app.files.events(LOCAL_USER))[0]
        assert (write.actor, write.session_id) == ("memory-capture", app.turn.session_id)
        assert write.trace_id == trace_id_of("run_1")


@pytest.mark.requirement("AS-561")
async def test_recall_finds_notes_of_memory_files(tmp_path: Path) -> None:
    """By scope, with the place they stand at; their use is counted; others' stay unseen."""
    async with open_turn(tmp_path) as app:
        store = MemoryFileStore(app.core.database, app.core.embedder)
        as_store: MemoryStore = store
        recall = Recall(app.core.traces)
        recall.add_store(as_store)
        await store.start()
        await app.learn("- Prefers bullet points in every plan.")
        await app.learn("# 3B\n\n- Flowcharts help the EAL pair before code.", "3B")
        other = await app.core.users.create("Another")
        theirs = MemoryAccess(other.id)
        await app.files.write("MEMORY.md", "- Flowcharts bore everybody.", theirs)

        found = await recall.recall("flowcharts before code", scopes={Scope.CLASS})
        [only] = found.ranked
        assert only.item.content == "Flowcharts help the EAL pair before code."
        assert only.item.evidence == "memory/classes/3B/MEMORY.md:L3"
        assert (only.item.scope, only.item.importance) == (Scope.CLASS, Importance.HIGH)
        everywhere = await recall.recall("flowcharts or bullet points in a plan", budget=10_000)
        assert {each.item.owner for each in everywhere.ranked} == {LOCAL_USER}
        await store.flush()
        rows = {str(place_of(row)): row for row in await app.files.list(LOCAL_USER)}
        assert rows["memory/classes/3B/MEMORY.md"].access_count >= 1
        await store.stop()


@pytest.mark.requirement("AS-580")
async def test_a_run_begins_with_what_is_remembered(tmp_path: Path) -> None:
    """The person's index, the class's once it is known, topics only when they are read."""
    read = ToolUse("read_memory", {"path": "memory/classes/3B/lessons.md"})
    async with open_tools(tmp_path, read, "Done.") as app:
        lines = "\n".join(f"- Habit {number}." for number in range(1, 206))
        await app.files.write("MEMORY.md", lines, ME)
        await app.files.write("classes/3B/MEMORY.md", "- Short starters.", ME)
        await app.files.write("classes/3B/lessons.md", "- Loops were planned.", ME)
        await app.files.write("classes/2A/MEMORY.md", "- Loud.", ME)
        await app.start("a lesson on iteration for 3B")
        prompt = app.instructions(0)
        assert "- Habit 200." in prompt
        assert "- Habit 201." not in prompt
        assert "- Short starters." in prompt
        assert "- Loud." not in prompt
        assert "- Loops were planned." not in prompt
        assert "- Loops were planned." in app.told_to_model(1)


@pytest.mark.requirement("AS-581")
async def test_what_an_agent_notes_in_a_run_stands_in_its_trace(tmp_path: Path) -> None:
    """The write's event and its span are of the run's trace and session."""
    note = ToolUse("update_memory", {"path": "classes/3B/lessons.md", "content": "- Loops done."})
    async with open_tools(tmp_path, note, "Done.") as app:
        run = await app.start()
        result = await app.result(run)
        [event] = await app.files.events(LOCAL_USER)
        assert (event.trace_id, event.session_id) == (result.trace_id, run.session_id)
        assert (event.event_type, event.actor) == ("write", "planner")
        spans = {span.name: span for span in await app.spans(result.trace_id)}
        assert spans["memory write"].attributes["bottega.memory.path"] == (
            "memory/classes/3B/lessons.md"
        )
        assert spans["memory write"].run_id == run.id


@pytest.mark.requirement("AS-582")
async def test_a_run_without_memory_neither_loads_nor_offers_it(tmp_path: Path) -> None:
    """--no-memory; a model that asks for it all the same is told that it is not there."""
    read = ToolUse("read_memory", {"path": "MEMORY.md"})
    async with open_tools(tmp_path, read, "Done.") as app:
        await app.files.write("MEMORY.md", "- Habit.", ME)
        await app.start(memory=False)
        assert "- Habit." not in app.instructions(0)
        assert "- Habit." not in app.told_to_model(1)
        assert "Unknown tool name: 'read_memory'" in app.told_to_model(1)
        assert [event.event_type for event in await app.files.events(LOCAL_USER)] == ["write"]
