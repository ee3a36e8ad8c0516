"""Memory capture: what is worth remembering is proposed, and nothing is kept without a yes."""

from pathlib import Path

import pytest
from sqlalchemy import select

from bottega.assistant.gates.gate import GateKind, GateReply
from bottega.assistant.hooks.adjudication import TeacherAdjudication
from bottega.assistant.hooks.feedforward import Feedforward
from bottega.assistant.hooks.memory_capture import MemoryCapture
from bottega.assistant.memory_files.access import access_of
from bottega.assistant.prompts.memory_capture import (
    CaptureInput,
    Change,
    MemoryProposal,
    MemoryProposals,
    Scope,
    is_known,
    offline,
)
from bottega.assistant.tables import MemoryEvent
from tests.assistant.hook_house import DRAFT, HookTurn, about, open_turn

SHORTER = DRAFT.replace("10 minutes", "5 minutes").replace("Ten quick", "Three quick")
SHORTENED = "Starter: 5 minutes rather than 10 (shorter, 5 minutes)."
REVISIONS = "revise 1: shorter, 5 minutes; revise 2: a more informal register"


async def judge_and_capture(house: HookTurn) -> None:
    """Two sections revised, then accepted, then what is to be remembered."""
    house.turn.class_id = "3B"
    hooks = [TeacherAdjudication(house.parts), MemoryCapture(house.parts)]
    assert await house.after(*hooks) is not None
    house.turn.output = SHORTER.replace("Pairs trace", "You two trace")
    assert await house.after(*hooks) is None


async def events(house: HookTurn) -> list[MemoryEvent]:
    """What was proposed and decided; each write has one of its own beside that."""
    async with house.core.database.read() as session:
        query = select(MemoryEvent).order_by(MemoryEvent.created_at, MemoryEvent.id)
        rows = await session.scalars(query.where(MemoryEvent.event_type.not_in(["read", "write"])))
        return list(rows.all())


async def test_what_was_revised_is_proposed_for_the_class_or_the_teacher(tmp_path: Path) -> None:
    """AS-280: pace is the class's, register the teacher's; each with why."""
    async with open_turn(tmp_path, REVISIONS, "", "") as house:
        await judge_and_capture(house)
        gate = house.gate
        assert gate.kind is GateKind.MEMORY_CAPTURE
        pace, register = gate.items
        assert (pace.title, pace.scope) == (SHORTENED, "class:3B")
        assert register.title == "Main activity: a more informal register."
        assert register.scope == "teacher"
        assert "“Starter”" in pace.text
        assert pace.options == ["confirm", "edit", "dismiss"]


async def test_each_proposal_is_confirmed_edited_or_dismissed(tmp_path: Path) -> None:
    """AS-281: confirmed and edited ones are written where they belong, dismissed ones nowhere."""
    items = [about("p1", "edit", "Starters of five minutes."), about("p2", "confirm")]
    decided = GateReply(decision="dismiss", items=items)
    async with open_turn(tmp_path, REVISIONS, "", decided) as house:
        await judge_and_capture(house)
        assert await house.learned("3B") == "- Starters of five minutes.\n"
        assert await house.learned() == "- Main activity: a more informal register.\n"
        assert "Remembered 2 of 2" in house.turn.context.feedback[-1].text


async def test_enter_remembers_nothing(tmp_path: Path) -> None:
    """AS-282: only a yes writes."""
    async with open_turn(tmp_path, REVISIONS, "", "") as house:
        await judge_and_capture(house)
        assert await house.learned("3B") == await house.learned() == ""
        assert [event.event_type for event in await events(house)].count("capture_dismissed") == 2


async def test_every_proposal_and_decision_is_an_event_and_in_the_trace(
    tmp_path: Path, database_url: str
) -> None:
    """AS-283, AS-288: proposed text, scope, decision and final text, with where it came from."""
    decided = "edit 1: Five minutes.; confirm 2"
    async with open_turn(tmp_path, REVISIONS, "", decided, database_url=database_url) as house:
        await judge_and_capture(house)
        rows = await events(house)
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
        assert (edited.actor, edited.session_id) == ("memory-capture", house.turn.session_id)
        confirmed = told["capture_confirmed"]
        assert (confirmed.scope, confirmed.class_id) == ("teacher", None)
        assert confirmed.final_text == confirmed.proposed_text
        [span] = await house.spans("memory capture_edited")
        assert span.kind == "memory"
        assert span.trace_id == edited.trace_id
        assert span.attributes["bottega.memory.final"] == "Five minutes."
        decisions = [row for row in await house.decisions() if row.kind == "memory_capture"]
        assert [(row.decision, row.text) for row in decisions] == [
            ("edit", "Five minutes."),
            ("confirm", "Main activity: a more informal register."),
        ]
        assert decisions[0].data["scope"] == "class"


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
    """AS-284: reworded, vouched for or dropped; Enter drops it."""
    named = "edit 1: Seat Olena in front."
    async with open_turn(tmp_path, "revise 1: shorter", "", named, answer) as house:
        await judge_and_capture(house)
        gate = house.gate
        assert gate.kind is GateKind.NAME_CHECK
        assert gate.items[0].title == "Seat Olena in front."
        assert "Olena" in gate.items[0].text
        assert await house.learned("3B") == kept
        [row] = [row for row in await house.decisions() if row.kind == "name_check"]
        assert row.data == {"names": ["Olena"]}
        last = [row for row in await events(house) if row.event_type != "capture_proposed"]
        assert [row.event_type for row in last] == [f"capture_{event}"]


async def test_a_reworded_note_is_looked_at_again(tmp_path: Path) -> None:
    """AS-284: a name does not get in on the second try."""
    answers = ("edit 1: Olena first.", "edit 1: First Olena.", "edit 1: The EAL pair first.")
    async with open_turn(tmp_path, "revise 1: shorter", "", *answers) as house:
        await judge_and_capture(house)
        assert [gate.kind for gate in house.person.gates].count(GateKind.NAME_CHECK) == 2
        assert await house.learned("3B") == "- The EAL pair first.\n"


async def test_notes_that_have_earned_it_are_proposed_for_good(tmp_path: Path) -> None:
    """AS-285: a promotion is for the person to confirm, and an event of its own."""
    noted = "The EAL pair needs flowcharts before a lesson on iteration"
    async with open_turn(tmp_path, "", "confirm") as house:
        house.turn.class_id = "3B"
        for _ in range(2):
            access = access_of(house.turn, "planner")
            await house.files.write("classes/3B/lessons.md", f"- {noted}", access)
        await house.after(TeacherAdjudication(house.parts), MemoryCapture(house.parts))
        [item] = house.gate.items
        assert (item.title, item.scope) == (noted, "class:3B")
        assert house.gate.data["promotions"] == [item.id]
        assert await house.learned("3B") == f"- {noted}\n"
        told = [event.event_type for event in await events(house)]
        assert sorted(told) == ["capture_confirmed", "promotion_proposed"]


async def test_with_memory_off_nothing_is_proposed(tmp_path: Path) -> None:
    """AS-286: the person is not even asked."""
    async with open_turn(tmp_path, REVISIONS, "", memory=False) as house:
        await judge_and_capture(house)
        assert GateKind.MEMORY_CAPTURE not in {gate.kind for gate in house.person.gates}
        assert await events(house) == []


async def test_nobody_is_asked_when_nothing_was_put_right_or_all_is_known(tmp_path: Path) -> None:
    """AS-287: what the memory says already is not proposed again."""
    async with open_turn(tmp_path / "a", "") as house:
        await house.after(TeacherAdjudication(house.parts), MemoryCapture(house.parts))
        assert house.gate.kind is GateKind.ADJUDICATION
    async with open_turn(tmp_path / "b", "revise 1: shorter, 5 minutes", "") as house:
        await house.learn("- Starter: 5 minutes rather than 10, shorter is better", "3B")
        await judge_and_capture(house)
        assert house.gate.kind is GateKind.ADJUDICATION


async def test_a_corrected_assumption_is_worth_remembering(tmp_path: Path) -> None:
    """AS-280: what was put right before the draft counts as well."""
    async with open_turn(tmp_path, "there are 26 pupils now", "", "yes") as house:
        await house.before(Feedforward(house.parts))
        await house.after(TeacherAdjudication(house.parts), MemoryCapture(house.parts))
        assert await house.learned("3B") == "- There are 26 pupils now.\n"


async def test_a_model_words_the_proposals(tmp_path: Path) -> None:
    """AS-289: after the last round of judging, from everything that was said."""
    proposals = MemoryProposals(
        proposals=[
            MemoryProposal(scope=Scope.CLASS, text="Shorter starters.", reason="You cut it."),
            MemoryProposal(scope=Scope.TEACHER, text="  ", reason=""),
        ]
    )
    async with open_turn(tmp_path, "revise 1: shorter", "", "yes", steps=[proposals]) as house:
        await judge_and_capture(house)
        kinds = [gate.kind for gate in house.person.gates]
        assert kinds == [GateKind.ADJUDICATION, GateKind.ADJUDICATION, GateKind.MEMORY_CAPTURE]
        assert [item.title for item in house.gate.items] == ["Shorter starters."]
        assert await house.learned("3B") == "- Shorter starters.\n"


def test_offline_a_changed_timing_is_said_in_minutes() -> None:
    """AS-280: from what the section said before and says now."""
    change = Change("too long", "Starter", "A quiz, 10 min.", "A quiz, 5 minutes.")
    [proposal] = offline(CaptureInput("loops", "3B", [change, change])).proposals
    assert proposal.text == "Starter: 5 minutes rather than 10 (too long)."
    assert proposal.scope is Scope.CLASS
    [own] = offline(CaptureInput("loops", None, [change])).proposals
    assert own.scope is Scope.TEACHER


def test_a_note_is_known_by_its_words_and_numbers() -> None:
    """AS-287: another number is another note."""
    known = ["Starters of 5 minutes work better"]
    assert is_known("5 minutes: starters work better so", known)
    assert not is_known("Flowcharts before code", known)
    assert not is_known("Plenary: 5 minutes", known)
