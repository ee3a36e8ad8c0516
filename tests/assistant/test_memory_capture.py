"""Memory capture: what is worth remembering is proposed, and nothing is kept without a yes."""

from pathlib import Path

import pytest
from sqlalchemy import select

from bottega.assistant.hooks.adjudication import TeacherAdjudication
from bottega.assistant.hooks.feedforward import Feedforward
from bottega.assistant.hooks.memory_capture import (
    CaptureInput,
    Correction,
    MemoryCapture,
    MemoryProposal,
    MemoryProposals,
    offline,
)
from bottega.assistant.memory_files.notes import is_known
from bottega.assistant.memory_files.paths import NoteScope
from bottega.assistant.memory_files.repository import MemoryEvent
from bottega.assistant.memory_files.service import access_of
from bottega.conversation.gates import GateKind, GateReply
from tests.assistant.hook_turns import DRAFT, TurnApp, about, open_turn

SHORTER = DRAFT.replace("10 minutes", "5 minutes").replace("Ten quick", "Three quick")
SHORTENED = "Starter: 5 minutes rather than 10 (shorter, 5 minutes)."
REVISIONS = "revise 1: shorter, 5 minutes; revise 2: a more informal register"


async def judge_and_capture(app: TurnApp) -> None:
    """Two sections revised, then accepted, then what is to be remembered."""
    app.turn.class_id = "3B"
    hooks = [TeacherAdjudication(app.parts), MemoryCapture(app.parts)]
    assert await app.after(*hooks) is not None
    app.turn.output = SHORTER.replace("Pairs trace", "You two trace")
    assert await app.after(*hooks) is None


async def events(app: TurnApp) -> list[MemoryEvent]:
    """What was proposed and decided; each write has one of its own beside that."""
    async with app.core.database.read() as session:
        query = select(MemoryEvent).order_by(MemoryEvent.created_at, MemoryEvent.id)
        rows = await session.scalars(query.where(MemoryEvent.event_type.not_in(["read", "write"])))
        return list(rows.all())


@pytest.mark.requirement("AS-280")
async def test_what_was_revised_is_proposed_for_the_class_or_the_teacher(tmp_path: Path) -> None:
    """Pace is the class's, register the teacher's; each with why."""
    async with open_turn(tmp_path, REVISIONS, "", "") as app:
        await judge_and_capture(app)
        gate = app.gate
        assert gate.kind is GateKind.MEMORY_CAPTURE
        pace, register = gate.items
        assert (pace.title, pace.scope) == (SHORTENED, "class:3B")
        assert register.title == "Main activity: a more informal register."
        assert register.scope == "teacher"
        assert "“Starter”" in pace.text
        assert pace.options == ["confirm", "edit", "dismiss"]


@pytest.mark.requirement("AS-281")
async def test_each_proposal_is_confirmed_edited_or_dismissed(tmp_path: Path) -> None:
    """Confirmed and edited ones are written where they belong, dismissed ones nowhere."""
    items = [about("p1", "edit", "Starters of five minutes."), about("p2", "confirm")]
    decided = GateReply(decision="dismiss", items=items)
    async with open_turn(tmp_path, REVISIONS, "", decided) as app:
        await judge_and_capture(app)
        assert await app.learned("3B") == "- Starters of five minutes.\n"
        assert await app.learned() == "- Main activity: a more informal register.\n"
        assert "Remembered 2 of 2" in app.turn.context.feedback[-1].text


@pytest.mark.requirement("AS-282")
async def test_enter_remembers_nothing(tmp_path: Path) -> None:
    """Only a yes writes."""
    async with open_turn(tmp_path, REVISIONS, "", "") as app:
        await judge_and_capture(app)
        assert await app.learned("3B") == await app.learned() == ""
        assert [event.event_type for event in await events(app)].count("capture_dismissed") == 2


@pytest.mark.requirement("AS-283", "AS-288")
async def test_every_proposal_and_decision_is_an_event_and_in_the_trace(
    tmp_path: Path, database_url: str
) -> None:
    """Proposed text, scope, decision and final text, with where it came from."""
    decided = "edit 1: Five minutes.; confirm 2"
    async with open_turn(tmp_path, REVISIONS, "", decided, database_url=database_url) as app:
        await judge_and_capture(app)
        rows = await events(app)
        told = {row.event_type: row for row in rows}
        assert sorted(row.event_type for row in rows) == [
            "capture_confirmed",
            "capture_edited",
            "capture_proposed",
            "capture_proposed",
        ]
        edited = told["capture_edited"]
        assert edited.proposed_text == SHORTENED
        assert edited.final_text == "Five minutes."
        assert (edited.scope, edited.class_id, edited.path) == ("class", "3B", "MEMORY.md")
        assert (edited.actor, edited.session_id) == ("memory-capture", app.turn.session_id)
        confirmed = told["capture_confirmed"]
        assert (confirmed.scope, confirmed.class_id) == ("teacher", None)
        assert confirmed.final_text == confirmed.proposed_text
        [span] = await app.spans("memory capture_edited")
        assert span.kind == "memory"
        assert span.trace_id == edited.trace_id
        assert span.attributes["bottega.memory.final"] == "Five minutes."
        decisions = [row for row in await app.decisions() if row.kind == "memory_capture"]
        assert [(row.decision, row.text) for row in decisions] == [
            ("edit", "Five minutes."),
            ("confirm", "Main activity: a more informal register."),
        ]
        assert decisions[0].data["scope"] == "class"


@pytest.mark.requirement("AS-284")
@pytest.mark.parametrize(
    ("answer", "kept", "event"),
    [
        ("edit 1: Seat the EAL pair in front.", "- Seat the EAL pair in front.\n", "edited"),
        ("keep 1", "- Seat Olena in front.\n", "edited"),
        ("", "", "dismissed"),
    ],
)
async def test_a_likely_name_is_stopped_and_asked_about(
    tmp_path: Path, answer: str, kept: str, event: str
) -> None:
    """Reworded, vouched for or dropped; Enter drops it."""
    named = "edit 1: Seat Olena in front."
    async with open_turn(tmp_path, "revise 1: shorter", "", named, answer) as app:
        await judge_and_capture(app)
        gate = app.gate
        assert gate.kind is GateKind.NAME_CHECK
        assert gate.items[0].title == "Seat Olena in front."
        assert "Olena" in gate.items[0].text
        assert await app.learned("3B") == kept
        [row] = [row for row in await app.decisions() if row.kind == "name_check"]
        assert row.data == {"names": ["Olena"]}
        last = [row for row in await events(app) if row.event_type != "capture_proposed"]
        assert [row.event_type for row in last] == [f"capture_{event}"]


@pytest.mark.requirement("AS-284")
async def test_a_reworded_note_is_looked_at_again(tmp_path: Path) -> None:
    """A name does not get in on the second try."""
    answers = ("edit 1: Olena first.", "edit 1: First Olena.", "edit 1: The EAL pair first.")
    async with open_turn(tmp_path, "revise 1: shorter", "", *answers) as app:
        await judge_and_capture(app)
        assert [gate.kind for gate in app.person.gates].count(GateKind.NAME_CHECK) == 2
        assert await app.learned("3B") == "- The EAL pair first.\n"


@pytest.mark.requirement("AS-285")
async def test_notes_that_have_earned_it_are_proposed_for_good(tmp_path: Path) -> None:
    """A promotion is for the person to confirm, and an event of its own."""
    noted = "The EAL pair needs flowcharts before a lesson on iteration"
    async with open_turn(tmp_path, "", "confirm") as app:
        app.turn.class_id = "3B"
        for _ in range(2):
            access = access_of(app.turn, "planner")
            await app.files.write("classes/3B/lessons.md", f"- {noted}", access)
        await app.after(TeacherAdjudication(app.parts), MemoryCapture(app.parts))
        [item] = app.gate.items
        assert (item.title, item.scope) == (noted, "class:3B")
        assert app.gate.data["promotions"] == [item.id]
        assert await app.learned("3B") == f"- {noted}\n"
        told = [event.event_type for event in await events(app)]
        assert sorted(told) == ["capture_confirmed", "promotion_proposed"]


@pytest.mark.requirement("AS-286")
async def test_with_memory_off_nothing_is_proposed(tmp_path: Path) -> None:
    """The person is not even asked."""
    async with open_turn(tmp_path, REVISIONS, "", memory=False) as app:
        await judge_and_capture(app)
        assert GateKind.MEMORY_CAPTURE not in {gate.kind for gate in app.person.gates}
        assert await events(app) == []


@pytest.mark.requirement("AS-287")
async def test_nobody_is_asked_when_nothing_was_put_right_or_all_is_known(tmp_path: Path) -> None:
    """What the memory says already is not proposed again."""
    async with open_turn(tmp_path / "a", "") as app:
        await app.after(TeacherAdjudication(app.parts), MemoryCapture(app.parts))
        assert app.gate.kind is GateKind.ADJUDICATION
    async with open_turn(tmp_path / "b", "revise 1: shorter, 5 minutes", "") as app:
        await app.learn("- Starter: 5 minutes rather than 10, shorter is better", "3B")
        await judge_and_capture(app)
        assert app.gate.kind is GateKind.ADJUDICATION


@pytest.mark.requirement("AS-280")
async def test_a_corrected_assumption_is_worth_remembering(tmp_path: Path) -> None:
    """What was put right before the draft counts as well."""
    async with open_turn(tmp_path, "there are 26 pupils now", "", "yes") as app:
        await app.before(Feedforward(app.parts))
        await app.after(TeacherAdjudication(app.parts), MemoryCapture(app.parts))
        assert await app.learned("3B") == "- There are 26 pupils now.\n"


@pytest.mark.requirement("AS-289")
async def test_a_model_words_the_proposals(tmp_path: Path) -> None:
    """After the last round of judging, from everything that was said."""
    proposals = MemoryProposals(
        proposals=[
            MemoryProposal(scope=NoteScope.CLASS, text="Shorter starters.", reason="You cut it."),
            MemoryProposal(scope=NoteScope.TEACHER, text="  ", reason=""),
        ]
    )
    async with open_turn(tmp_path, "revise 1: shorter", "", "yes", steps=[proposals]) as app:
        await judge_and_capture(app)
        kinds = [gate.kind for gate in app.person.gates]
        assert kinds == [GateKind.ADJUDICATION, GateKind.ADJUDICATION, GateKind.MEMORY_CAPTURE]
        assert [item.title for item in app.gate.items] == ["Shorter starters."]
        assert await app.learned("3B") == "- Shorter starters.\n"


@pytest.mark.requirement("AS-280")
def test_offline_a_changed_timing_is_said_in_minutes() -> None:
    """From what the section said before and says now."""
    change = Correction("too long", "Starter", "A quiz, 10 min.", "A quiz, 5 minutes.")
    [proposal] = offline(CaptureInput("loops", "3B", [change, change])).proposals
    assert proposal.text == "Starter: 5 minutes rather than 10 (too long)."
    assert proposal.scope is NoteScope.CLASS
    [own] = offline(CaptureInput("loops", None, [change])).proposals
    assert own.scope is NoteScope.TEACHER


@pytest.mark.requirement("AS-287")
def test_a_note_is_known_by_its_words_and_numbers() -> None:
    """Another number is another note."""
    known = ["Starters of 5 minutes work better"]
    assert is_known("5 minutes: starters work better so", known)
    assert not is_known("Flowcharts before code", known)
    assert not is_known("Plenary: 5 minutes", known)
