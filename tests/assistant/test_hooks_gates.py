"""Gates: what may be answered, typed lines, and a person who takes their time."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue

from bottega.assistant.hooks.reflection import CONFIDENCE_GATE as CONFIDENCE
from bottega.assistant.loop.turn import decisions_of, put_decision, record
from bottega.assistant.printing import print_gate
from bottega.assistant.sessions.tables import AssistantDecision
from bottega.conversation.gates import Gate, GateDecision, GateItem, GateKind, GateReply
from bottega.conversation.pauses import RunPerson
from bottega.conversation.replies import (
    LONGEST_TEXT,
    check_reply,
    parse_line,
    read_reply,
    settle_items,
)
from bottega.errors import InvalidInput
from tests.assistant.hook_turns import about, open_turn

FEEDFORWARD = Gate(
    kind=GateKind.FEEDFORWARD,
    text="Shall I go on?",
    options=["confirm", "modify", "dismiss"],
    default="confirm",
)


def sections(*titles: str) -> Gate:
    options = ["accept", "revise", "alternatives"]
    return Gate(
        kind=GateKind.ADJUDICATION,
        text="Is it right?",
        items=[
            GateItem(id=title.casefold(), title=title, options=options, default="accept")
            for title in titles
        ],
        options=options,
        default="accept",
    )


LESSON = sections("Starter", "Main activity", "Plenary")

CAPTURE = Gate(
    kind=GateKind.MEMORY_CAPTURE,
    text="Remember?",
    items=[
        GateItem(id=f"p{n}", title=f"Note {n}", options=["confirm", "edit", "dismiss"])
        for n in (1, 2, 3)
    ],
    options=["confirm", "dismiss"],
    default="dismiss",
)


@pytest.mark.requirement("AS-215")
def test_an_answer_that_is_no_option_is_refused_with_those_that_are() -> None:
    """For the whole and for an item."""
    with pytest.raises(InvalidInput, match=r"'yes please'.*confirm, modify, dismiss") as refused:
        check_reply(FEEDFORWARD, GateReply(decision="yes please"))
    assert refused.value.details["valid_options"] == ["confirm", "modify", "dismiss"]
    with pytest.raises(InvalidInput, match=r"'Starter'.*accept, revise, alternatives"):
        check_reply(LESSON, GateReply(decision="accept", items=[about("starter", "burn")]))


@pytest.mark.requirement("AS-216")
def test_an_item_that_is_not_there_or_is_answered_twice_is_refused() -> None:
    """Naming the items that there are."""
    with pytest.raises(InvalidInput, match=r"'homework'.*starter, main activity, plenary"):
        check_reply(LESSON, GateReply(decision="accept", items=[about("homework", "accept")]))
    twice = [about("starter", "accept"), about("starter", "alternatives")]
    with pytest.raises(InvalidInput, match="twice"):
        check_reply(LESSON, GateReply(decision="accept", items=twice))


@pytest.mark.requirement("AS-217")
def test_what_needs_a_text_is_refused_without_one() -> None:
    """Spaces are no text, a text has an end, and items may say it for the whole."""
    for text in (None, "   "):
        with pytest.raises(InvalidInput, match="'modify' needs a text: what is different"):
            check_reply(FEEDFORWARD, GateReply(decision="modify", text=text))
    with pytest.raises(InvalidInput, match="'revise' needs a text"):
        check_reply(LESSON, GateReply(decision="accept", items=[about("starter", "revise")]))
    with pytest.raises(InvalidInput, match="at most 50,000"):
        check_reply(FEEDFORWARD, GateReply(decision="modify", text="x" * (LONGEST_TEXT + 1)))
    items = [about("starter", "revise", " shorter ")]
    checked = check_reply(LESSON, GateReply(decision="revise", items=items))
    assert checked.items == [about("starter", "revise", "shorter")]


@pytest.mark.requirement("AS-218")
@pytest.mark.parametrize("reply", [("rate", None), ("rate", 0), ("rate", 6), ("skip", 3)])
def test_a_rating_is_a_number_from_one_to_five(reply: tuple[str, int | None]) -> None:
    """Given with `rate`, and with nothing else."""
    decision, rating = reply
    with pytest.raises(InvalidInput, match="1 to 5"):
        check_reply(CONFIDENCE, GateReply(decision=decision, rating=rating))


@pytest.mark.requirement("AS-218")
def test_a_rating_is_taken_only_where_it_was_asked_for() -> None:
    """Other gates refuse one."""
    assert check_reply(CONFIDENCE, GateReply(decision="rate", rating=5)).rating == 5
    with pytest.raises(InvalidInput, match="No rating is asked for"):
        check_reply(FEEDFORWARD, GateReply(decision="confirm", rating=3))


@pytest.mark.requirement("AS-219")
@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (GateReply(decision="accept"), ["accept", "accept", "accept"]),
        (GateReply(decision="alternatives"), ["alternatives", "alternatives", "alternatives"]),
        (
            GateReply(decision="alternatives", items=[about("plenary", "accept")]),
            ["alternatives", "alternatives", "accept"],
        ),
        (GateReply(decision="revise", text="plainer"), ["revise", "revise", "revise"]),
        # Without a text for the whole, what is not named is what Enter means.
        (
            GateReply(decision="revise", items=[about("starter", "revise", "shorter")]),
            ["revise", "accept", "accept"],
        ),
    ],
)
def test_items_that_are_not_named_take_the_answer_to_the_whole(
    reply: GateReply, expected: Sequence[str]
) -> None:
    """Or what Enter means."""
    settled = settle_items(LESSON, check_reply(LESSON, reply))
    assert [item.decision for item in settled] == expected


@pytest.mark.requirement("AS-220")
@pytest.mark.parametrize("gate", [FEEDFORWARD, LESSON, CAPTURE, CONFIDENCE])
@pytest.mark.parametrize("line", ["", "   ", "\n", None])
def test_enter_is_the_default_of_every_gate(gate: Gate, line: str | None) -> None:
    """An empty line, or nothing at all."""
    assert read_reply(gate, line) == GateReply(decision=gate.default)


@pytest.mark.requirement("AS-221")
@pytest.mark.parametrize(
    ("gate", "line", "decision"),
    [
        (FEEDFORWARD, "confirm", "confirm"),
        (FEEDFORWARD, "Confirm.", "confirm"),
        (FEEDFORWARD, "1", "confirm"),
        (FEEDFORWARD, "3", "dismiss"),
        (FEEDFORWARD, "yes", "confirm"),
        (FEEDFORWARD, "OK!", "confirm"),
        (FEEDFORWARD, "no", "dismiss"),
        (LESSON, "accept all", "accept"),
        (LESSON, "y", "accept"),
        (LESSON, "alternatives", "alternatives"),
        (CAPTURE, "yes", "confirm"),
        (CAPTURE, "none", "dismiss"),
        (CONFIDENCE, "skip", "skip"),
    ],
)
def test_an_option_is_typed_by_its_word_its_number_or_what_people_say(
    gate: Gate, line: str, decision: str
) -> None:
    """Whatever its case and full stop."""
    assert parse_line(gate, line) == GateReply(decision=decision)


@pytest.mark.requirement("AS-221")
def test_a_typed_number_rates_where_a_rating_is_asked_for() -> None:
    """It is no place in a menu there."""
    assert parse_line(CONFIDENCE, " 4 ") == GateReply(decision="rate", rating=4)
    with pytest.raises(InvalidInput, match="rate, skip"):
        parse_line(CONFIDENCE, "9")


@pytest.mark.requirement("AS-222")
@pytest.mark.parametrize(
    ("gate", "line", "items"),
    [
        (LESSON, "revise 1: shorter starter", [about("starter", "revise", "shorter starter")]),
        (LESSON, "Revise Starter: five minutes", [about("starter", "revise", "five minutes")]),
        (LESSON, "alternatives 3", [about("plenary", "alternatives")]),
        (LESSON, "2: with a partner", [about("main activity", "revise", "with a partner")]),
        (LESSON, "accept 1, 3", [about("starter", "accept"), about("plenary", "accept")]),
        (
            LESSON,
            "revise 1: shorter; alternatives main activity",
            [about("starter", "revise", "shorter"), about("main activity", "alternatives")],
        ),
        (
            LESSON,
            "revise 1: questions first; then pairs",
            [about("starter", "revise", "questions first; then pairs")],
        ),
        (CAPTURE, "yes 1 and 2", [about("p1", "confirm"), about("p2", "confirm")]),
        (CAPTURE, "edit 3: Five minutes.", [about("p3", "edit", "Five minutes.")]),
        (
            CAPTURE,
            "confirm 1\ndismiss 2\nedit 3: Less.",
            [about("p1", "confirm"), about("p2", "dismiss"), about("p3", "edit", "Less.")],
        ),
    ],
)
def test_an_item_is_answered_by_its_number_or_its_name(
    gate: Gate, line: str, items: list[Any]
) -> None:
    """Several at once, and a text may have semicolons of its own."""
    assert parse_line(gate, line) == GateReply(decision=gate.default, items=items)


@pytest.mark.requirement("AS-223")
@pytest.mark.parametrize(
    ("gate", "line", "expected"),
    [
        (FEEDFORWARD, "there are three EAL pupils", ("modify", None)),
        (FEEDFORWARD, "confirm, but they are 26 now", ("modify", None)),
        (FEEDFORWARD, "no class today: it is a cover lesson", ("modify", None)),
        (FEEDFORWARD, "modify: 26 pupils", ("modify", "26 pupils")),
        (LESSON, "accept all but make it shorter", ("revise", None)),
        (LESSON, "revise: plainer words", ("revise", "plainer words")),
    ],
)
def test_anything_else_is_the_text_that_the_gate_can_take(
    gate: Gate, line: str, expected: tuple[str, str | None]
) -> None:
    """A line that only begins like an option is not that option."""
    decision, text = expected
    assert parse_line(gate, line) == GateReply(decision=decision, text=text or line)


@pytest.mark.requirement("AS-223")
@pytest.mark.parametrize(
    ("gate", "line"),
    [(CAPTURE, "maybe later"), (LESSON, "2"), (LESSON, "no"), (CONFIDENCE, "rather")],
)
def test_a_line_that_can_mean_nothing_is_refused_with_what_may_be_said(
    gate: Gate, line: str
) -> None:
    """A bare number or "no" does not say what to do."""
    with pytest.raises(InvalidInput, match="it may be") as refused:
        parse_line(gate, line)
    assert refused.value.details["valid_options"] == gate.options


@pytest.mark.requirement("AS-222")
def test_a_number_that_is_no_items_is_refused() -> None:
    """Rather than taken for a wish about the whole."""
    for line in ("revise 9: shorter", "accept 1, 4", "alternatives 0"):
        with pytest.raises(InvalidInput, match="there are 1 to 3"):
            parse_line(LESSON, line)


@pytest.mark.requirement("AS-224")
def test_a_gate_is_printed_in_plain_lines_with_how_to_answer() -> None:
    """Items by number, Enter first, an example for one item."""
    printed = print_gate(
        LESSON.model_copy(
            update={"items": [LESSON.items[0].model_copy(update={"text": "Ten questions. " * 60})]}
        )
    )
    lines = printed.splitlines()
    assert lines[0] == "Is it right?"
    assert lines[2] == "  1. Starter"
    assert "     …" in lines
    assert max(map(len, lines)) < 120
    assert "Enter = accept" in printed
    assert "`revise 1: …`" in printed
    # What is printed as a way to answer is understood.
    assert parse_line(LESSON, "revise 1: …").items[0].decision == "revise"
    assert "2 = modify (say what is different)" in print_gate(FEEDFORWARD)
    assert "1 to 5 = your rating" in print_gate(CONFIDENCE)


@pytest.mark.requirement("AS-224")
def test_a_printed_gate_cannot_play_with_the_terminal() -> None:
    """A model's text loses what moves cursors or turns writing round."""
    nasty = FEEDFORWARD.model_copy(update={"text": "Fine\x1b[2J\x07\u202e, shall I?\r"})
    assert print_gate(nasty).startswith("Fine[2J, shall I?\n")


class Pausing:
    """A run that gives the replies of a script."""

    def __init__(self, *replies: JsonValue) -> None:
        self.replies = list(replies)
        self.prompts: list[Any] = []
        self.told: list[tuple[str, Any]] = []

    async def pause(self, reason: str, *, prompt: JsonValue = None) -> JsonValue:
        self.prompts.append(prompt)
        return self.replies.pop(0)

    async def emit(self, type: str, payload: Any = None) -> None:
        self.told.append((type, payload))


@pytest.mark.requirement("AS-226")
async def test_a_reply_that_does_not_fit_is_asked_for_again_with_what_is_wrong() -> None:
    """The core's door takes any JSON, and the run stays whole."""
    run = Pausing({"decision": "burn"}, 7, {"decision": "modify", "more": 1}, "26 pupils")
    reply = await RunPerson(run).ask(FEEDFORWARD)
    assert reply == GateReply(decision="modify", text="26 pupils")
    problems = [prompt.get("problem") for prompt in run.prompts]
    assert problems[0] is None
    assert "'burn'" in problems[1]
    assert all(problems[1:])
    assert [name for name, _ in run.told] == ["gate", "gate_answered"]


@pytest.mark.requirement("AS-228", "AS-229")
async def test_decisions_are_rows_and_spans(tmp_path: Path, database_url: str) -> None:
    """Read back in order and by kind, with their trace; later hooks know them."""
    rated = GateDecision(GateKind.CONFIDENCE, "rate", data={"rating": 4})
    revised = GateDecision(
        GateKind.ADJUDICATION, "revise", "Starter", "short\0er", {"before": "10"}
    )
    async with open_turn(tmp_path, database_url=database_url) as app:
        await record(app.turn, rated)
        await record(app.turn, revised)
        assert [decision["decision"] for decision in app.turn.decisions] == ["rate", "revise"]
        async with app.core.database.read() as session:
            rows = await decisions_of(session, app.turn.session_id)
            [only] = await decisions_of(session, app.turn.session_id, GateKind.ADJUDICATION)
        assert [row.kind for row in rows] == ["confidence", "adjudication"]
        assert (only.item, only.decision, only.text) == ("Starter", "revise", "short\ufffder")
        assert only.data == {"before": "10"}
        assert only.run_id == app.turn.run_id
        [span] = await app.spans("decision adjudication")
        assert span.trace_id == only.trace_id
        assert span.session_id == app.turn.session_id
        assert span.attributes["bottega.decision.item"] == "Starter"


@pytest.mark.requirement("AS-228")
async def test_a_decision_that_is_put_twice_is_kept_once(tmp_path: Path) -> None:
    """As after a crash in the middle of it; a subagent's own are others."""
    twice = AssistantDecision(id="d1", kind="adjudication", decision="accept", data={})
    async with open_turn(tmp_path) as app:
        twice.session_id = app.turn.session_id
        for _ in range(2):
            async with app.core.database.write() as session:
                await put_decision(session, twice)
        await record(app.turn, GateDecision(GateKind.CONFIDENCE, "skip"))
        await record(replace(app.turn, decisions=[]), GateDecision(GateKind.CONFIDENCE, "skip"))
        kept = [row.decision for row in await app.decisions()]
        assert sorted(kept) == ["accept", "skip", "skip"]
