"""Reflection and confidence: the person looks with their own eyes before they judge."""

from pathlib import Path

import pytest

from bottega.assistant.hooks.adjudication import TeacherAdjudication
from bottega.assistant.hooks.feedforward import Feedforward
from bottega.assistant.hooks.reflection import (
    ReflectionPrompt,
    ReflectionQuestion,
    ReflectionQuestions,
)
from bottega.conversation.gates import GateKind, GateReply
from bottega.errors import ModelError
from tests.assistant.hook_turns import about, open_turn


@pytest.mark.requirement("AS-255")
async def test_the_questions_come_from_what_is_known_and_what_was_asked(tmp_path: Path) -> None:
    """A correction, the class's profile, what was learned; at most three."""
    async with open_turn(tmp_path, "26 pupils now", "") as app:
        await app.learn("- Starters of 5 minutes work better", "3B")
        await app.before(Feedforward(app.parts))
        await app.after(ReflectionPrompt(app.parts))
        gate = app.gate
        assert gate.kind is GateKind.REFLECTION
        corrected, profile, learned = [item.title for item in gate.items]
        assert "“26 pupils now”" in corrected
        assert "profile of 3B says: “Mixed ability, 24 pupils”" in profile
        assert "“Starters of 5 minutes work better”" in learned
        assert gate.data["offline"] is True


@pytest.mark.requirement("AS-255")
async def test_without_context_they_come_from_the_request_and_the_draft(tmp_path: Path) -> None:
    """Another command on another text is asked about other things."""
    said = "review this function"
    draft = "## Names\n\nFine.\n\n## Error handling\n\nNone.\n"
    async with open_turn(
        tmp_path, "", said=said, output=draft, without=["workspace"], memory=False
    ) as app:
        await app.after(ReflectionPrompt(app.parts))
        request, section = [item.title for item in app.gate.items]
        assert "“review this function”" in request
        assert "“Error handling”" in section


@pytest.mark.requirement("AS-257")
async def test_answers_are_kept_question_by_question(tmp_path: Path) -> None:
    """With the question, in rows and in the trace; what is left out is skipped."""
    items = [about("q2", "answer", "Yes, in the worksheet.")]
    async with open_turn(tmp_path, GateReply(decision="skip", items=items)) as app:
        await app.after(ReflectionPrompt(app.parts))
        rows = await app.decisions()
        assert [row.decision for row in rows] == ["skip", "answer", "skip"]
        assert rows[1].item == app.gate.items[1].title
        assert rows[1].text == "Yes, in the worksheet."
        spans = await app.spans("decision reflection")
        assert [span.attributes["bottega.decision.text"] for span in spans] == [
            "",
            rows[1].text,
            "",
        ]


@pytest.mark.requirement("AS-257")
async def test_one_answer_may_be_to_all_of_it(tmp_path: Path) -> None:
    """Free text is kept as what they said."""
    async with open_turn(tmp_path, "The EAL pair needs a word list") as app:
        await app.after(ReflectionPrompt(app.parts))
        [row] = await app.decisions()
        assert (row.decision, row.item) == ("answer", None)
        assert row.text == "The EAL pair needs a word list"


@pytest.mark.requirement("AS-258")
async def test_it_may_be_skipped(tmp_path: Path) -> None:
    """Enter skips, and that is known, too."""
    async with open_turn(tmp_path, "") as app:
        await app.after(ReflectionPrompt(app.parts))
        assert {row.decision for row in await app.decisions()} == {"skip"}


@pytest.mark.requirement("AS-256", "AS-259")
async def test_it_asks_once_a_turn_and_before_the_draft_is_judged(tmp_path: Path) -> None:
    """Not again after every revision."""
    async with open_turn(tmp_path, "", "revise 1: shorter", "") as app:
        hooks = [ReflectionPrompt(app.parts), TeacherAdjudication(app.parts)]
        assert await app.after(*hooks) is not None
        assert await app.after(*hooks) is None
        kinds = [gate.kind for gate in app.person.gates]
        assert kinds == [GateKind.REFLECTION, GateKind.ADJUDICATION, GateKind.ADJUDICATION]


@pytest.mark.requirement("AS-260")
async def test_a_model_asks_better_questions(tmp_path: Path) -> None:
    """Its own, at most three; without luck ours."""
    question = ReflectionQuestion(question="Who is lost by minute ten?", about="Main activity")
    several = ReflectionQuestions(questions=[question] * 5)
    async with open_turn(tmp_path / "a", "", steps=[several]) as app:
        await app.after(ReflectionPrompt(app.parts))
        assert [item.title for item in app.gate.items] == ["Who is lost by minute ten?"] * 3
        assert app.gate.data["offline"] is False
    async with open_turn(tmp_path / "b", "", steps=[ModelError("Away.")]) as app:
        await app.after(ReflectionPrompt(app.parts))
        assert app.gate.data["offline"] is True


@pytest.mark.requirement("AS-261")
async def test_confidence_is_asked_first_and_once_where_the_order_wants_it(
    tmp_path: Path,
) -> None:
    """A rating from 1 to 5, before anything is judged, kept as a number."""
    answers = ("4", "", "revise 1: shorter", "")
    async with open_turn(tmp_path, *answers, ask_confidence=True) as app:
        hooks = [ReflectionPrompt(app.parts), TeacherAdjudication(app.parts)]
        await app.after(*hooks)
        await app.after(*hooks)
        kinds = [gate.kind for gate in app.person.gates]
        assert kinds[0] is GateKind.CONFIDENCE
        assert kinds.count(GateKind.CONFIDENCE) == 1
        row = (await app.decisions())[0]
        assert (row.kind, row.decision, row.data) == ("confidence", "rate", {"rating": 4})
        [span] = await app.spans("decision confidence")
        assert '"rating": 4' in span.attributes["bottega.decision.data"]


@pytest.mark.requirement("AS-262")
@pytest.mark.parametrize("wanted", [True, False])
async def test_confidence_is_asked_of_nobody_else(tmp_path: Path, wanted: bool) -> None:
    """Without the order's wish there is no such gate, and Enter skips it."""
    answers = ("", "") if wanted else ("",)
    async with open_turn(tmp_path, *answers, ask_confidence=wanted) as app:
        await app.after(TeacherAdjudication(app.parts))
        kinds = [gate.kind for gate in app.person.gates]
        assert (GateKind.CONFIDENCE in kinds) is wanted
        skipped = [row for row in await app.decisions() if row.kind == "confidence"]
        assert [row.decision for row in skipped] == (["skip"] if wanted else [])
