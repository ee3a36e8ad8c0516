"""What replies to a paused run mean, by their words."""

import json
from pathlib import Path

import pytest

from bottega.core.llm.tasks import Tier
from bottega.core.readers.wordllama import WordLlamaEmbedder
from bottega.research.pipeline.replies import (
    Classification,
    MessageKind,
    classify_breakout,
    classify_breakout_response,
    is_breakout_intent,
    is_proceed,
    offline,
    open_question,
    prompt,
    read_message,
    wants_to_modify,
)

MESSAGES = Path(__file__).parent / "data" / "breakout_messages.jsonl"

COMMANDS = [
    f"{verb}{the}{what}"
    for verb in ("exit", "stop", "cancel", "skip", "leave", "forget")
    for the in (" ", " the ", " this ")
    for what in ("pipeline", "agent")
]


@pytest.mark.requirement("RS-401")
@pytest.mark.parametrize(
    "reply",
    [
        *COMMANDS,
        "break out",
        "Breakout!",
        "please break-out of this",
        "something else",
        "I want to do something else - just tell me what the weather in zurich is today",
        "let's do something different",
        "I have a different question",
        "a different topic please",
        "change topic",
        "Can we change the topic?",
        "new question: who won?",
        "New topic",
        "never mind",
        "nevermind",
        "Never mind, what's the weather?",
        "never mind what is the weather today",
        "forget it",
        "I've changed my mind",
        "I CHANGED MY MIND",
        "never mind the pipeline",
    ],
)
def test_asking_to_leave_is_heard(reply: str) -> None:
    """The phrases for leaving, in any case and with an article."""
    assert is_breakout_intent(reply)


@pytest.mark.requirement("RS-402")
@pytest.mark.parametrize("reply", ["3", "3.", " 3 ", "exit", "Quit", "stop", "CANCEL", "leave"])
def test_the_third_line_of_the_menu_leaves(reply: str) -> None:
    """By its number or its word, when that is the whole reply."""
    assert is_breakout_intent(reply)


@pytest.mark.requirement("RS-403")
@pytest.mark.parametrize(
    "reply",
    [
        "don't cancel the pipeline",
        "don’t break out",
        "dont stop the pipeline",
        "do not exit the agent",
        "this is not a new question",
        "This is NOT a new question",
        "I don't have a new question",
        "I don't want to do something else",
        "I do not want to talk about something different",
        "don't stop agent from continuing",
        "never forget it",
        "I haven't changed my mind",
        "I have not changed my mind",
        "no need to break out",
        "no new topic, thanks",
        "rather than something else, take the second one",
        "not a new question but a detail",
    ],
)
def test_what_is_denied_is_not_asked_for(reply: str) -> None:
    """A phrase under a negation does not leave, as the ancestor's did (its finding F2)."""
    assert not is_breakout_intent(reply)


@pytest.mark.requirement("RS-403")
@pytest.mark.parametrize(
    "reply",
    [
        "No, something else",
        "no something else please",
        "I don't like this, something else",
        "I don't care, forget it",
        "not now, never mind",
        "why not something else?",
        "Can't we do something else?",
        "why don't we change the topic",
        "that is not what I need but a different question",
        "I don't want to do this any more I would rather do something else",
    ],
)
def test_a_negation_elsewhere_takes_nothing_back(reply: str) -> None:
    """It reaches a few words, and not past the end of its clause."""
    assert is_breakout_intent(reply)


@pytest.mark.requirement("RS-404")
@pytest.mark.parametrize(
    "reply",
    [
        "never mind the last part",
        "nevermind about the fees, only the dates",
        "add a new question about pilots",
        "please include a new topic: fees",
        "Stage 3 looks good",
        "drop number 3",
        "33",
        "I want to do the search now",
        "I want to ask about fees too",
        "instead just use the first standard",
        "stop at the year 2020",
        "the agents' newsletter",
        "cancellation of berths",
        "topics: new and old",
        "proceed",
        "",
    ],
)
def test_work_on_the_plan_stays_in_the_run(reply: str) -> None:
    """Words of leaving inside other words or about the plan are no wish to leave."""
    assert not is_breakout_intent(reply)


@pytest.mark.requirement("RS-405")
@pytest.mark.parametrize(
    ("reply", "meaning"),
    [
        *((word, "deny") for word in ("no", "No.", "nah", "nope", "stay", "keep going")),
        *((word, "deny") for word in ("continue", "proceed", "resume", "go back", "go on")),
        *((word, "deny") for word in ("carry on", "never mind", "forget I said that", "back to")),
        *((word, "confirm") for word in ("yes", "yeah", "yep", "sure", "confirm", "quit", "leave")),
        *((word, "confirm") for word in ("exit", "terminate", "stop", "abort", "end it")),
        *(
            (word, "confirm")
            for word in ("close it", "cancel", "cancel the pipeline", "Yes please")
        ),
        ("ok", "confirm"),
        ("okay, fine", "confirm"),
        ("hmm no thanks", "deny"),
        ("I'd rather not", "deny"),
        ("let's go back to the research", "deny"),
        ("I think we should keep going with the research as it was planned", "deny"),
    ],
)
def test_an_answer_to_the_confirmation_is_read(reply: str, meaning: str) -> None:
    """Staying and leaving by their words; "cancel" leaves (finding F4)."""
    assert classify_breakout_response(reply) == meaning


@pytest.mark.requirement("RS-406")
@pytest.mark.parametrize(
    ("reply", "meaning"),
    [("1", "confirm"), ("1.", "confirm"), (" 1 ", "confirm"), ("2", "deny"), ("2.", "deny")],
)
def test_a_number_is_the_answer_when_it_stands_alone(reply: str, meaning: str) -> None:
    """Findings F3 and D2."""
    assert classify_breakout_response(reply) == meaning


@pytest.mark.requirement("RS-406")
@pytest.mark.parametrize("reply", ["Stage 1 looks good", "Check citation 2", "12", "1, 2 and 3"])
def test_a_number_inside_a_reply_is_no_answer(reply: str) -> None:
    """By equality only."""
    assert classify_breakout_response(reply) == "implicit_confirm"


@pytest.mark.requirement("RS-407")
@pytest.mark.parametrize(
    ("reply", "meaning"),
    [
        ("yes, continue", "deny"),
        ("yes please stay", "deny"),
        ("stop, go back", "deny"),
        ("don't stop", "deny"),
        ("please don't leave", "deny"),
        ("I'm not sure", "deny"),
        ("don't continue", "confirm"),
        ("I don't want to stay", "confirm"),
        ("no problem, quit", "confirm"),
    ],
)
def test_staying_is_looked_for_first_and_negation_turns_a_word_round(
    reply: str, meaning: str
) -> None:
    """ "yes" leaves, "continue" stays, and what loses nothing goes first (decision D5)."""
    assert classify_breakout_response(reply) == meaning


@pytest.mark.requirement("RS-408")
@pytest.mark.parametrize(
    "reply",
    [
        "What is the weather in Zurich?",
        "how do I leave Zurich by train?",
        "is there no rain in Zurich today?",
        "ok what's the weather like today",
        "the capital of Peru",
    ],
)
def test_whoever_moves_on_has_left(reply: str) -> None:
    """Neither yes nor no is a confirmation, and the person's next question (D3)."""
    assert classify_breakout_response(reply) == "implicit_confirm"


@pytest.mark.requirement("RS-409")
@pytest.mark.parametrize(
    "reply",
    [
        *("1", "1.", "proceed", "continue", "Yes", "yes please", "go ahead", "ok", "OK!", "okay"),
        *("looks good", "sounds great", "ok looks good, go ahead please", "sure", "lgtm"),
        *("proceed with the plan", "Stage 1 looks good", "that's fine", "no changes, proceed"),
        *("no, go ahead", "let's go", "carry on then, thanks"),
    ],
)
def test_going_on_is_heard(reply: str) -> None:
    """The words for going on, alone or together."""
    assert is_proceed(reply)
    assert not is_breakout_intent(reply)


@pytest.mark.requirement("RS-409")
@pytest.mark.parametrize(
    "reply",
    [
        *("", "2", "3", "10", "don't proceed", "not ok", "yes but only the fees"),
        *("yes, focus on fees", "continue with more on fees", "start with the fees"),
        *("good question", "ok so what about fees?", "the right of way"),
    ],
)
def test_going_on_with_a_wish_is_a_change(reply: str) -> None:
    """Whoever adds a wish to the yes wants another plan."""
    assert not is_proceed(reply)


@pytest.mark.requirement("RS-410")
def test_the_second_line_of_the_menu_asks_to_change_the_plan() -> None:
    """Exactly `2`, or its word."""
    assert all(map(wants_to_modify, ("2", "2.", "Modify", "change the plan")))
    assert not any(map(wants_to_modify, ("1", "22", "change the second one", "modify number 2")))


@pytest.mark.requirement("RS-411")
@pytest.mark.parametrize(
    ("pending", "reply", "question"),
    [
        ("Actually what is the weather?", "yes", "Actually what is the weather?"),
        ("3", "1", None),
        ("exit the pipeline", "yes", None),
        ("I have a new question", "sure", None),
        ("let's talk about something else please", "1.", None),
        ("3", "yes, tell me who won", "yes, tell me who won"),
        ("something else - who won?", "1", "something else - who won?"),
    ],
)
def test_leaving_keeps_the_question_that_was_asked(
    pending: str, reply: str, question: str | None
) -> None:
    """The question that led to leaving is answered (F1); a bare "3" asks nothing."""
    assert open_question(pending, reply) == question


@pytest.mark.requirement("RS-412")
async def test_a_question_about_something_else_is_told_from_work_on_the_plan() -> None:
    """Measured without a model on 96 messages of ours, half of which no rule was fitted to:
    none that belongs to the run is taken for leaving, and nine of ten that leave are found."""
    embedder = WordLlamaEmbedder()
    rows = [json.loads(line) for line in MESSAGES.read_text(encoding="utf-8").splitlines()]
    left = {MessageKind.BREAKOUT: 0, MessageKind.PIPELINE_RESPONSE: 0}
    for row in rows:
        paused = await read_message(embedder, row["topic"], row["sub_queries"], row["message"])
        left[row["classification"]] += offline(paused).settled is MessageKind.BREAKOUT
    total = sum(row["classification"] == "breakout" for row in rows)
    assert len(rows) >= 60
    assert left[MessageKind.PIPELINE_RESPONSE] == 0
    assert left[MessageKind.BREAKOUT] >= 0.9 * total


@pytest.mark.requirement("RS-412")
async def test_the_question_that_words_cannot_tell_is_told_by_its_meaning() -> None:
    """The ancestor's own example."""
    topic, sub_queries = "What dues does a visitor pay?", ["berth dues", "waiving dues"]
    for message, kind in {
        "Actually what is the weather in zurich today?": MessageKind.BREAKOUT,
        "focus on fees": MessageKind.PIPELINE_RESPONSE,
    }.items():
        assert not is_breakout_intent(message)
        paused = await read_message(WordLlamaEmbedder(), topic, sub_queries, message)
        assert offline(paused).settled is kind


@pytest.mark.requirement("RS-413")
def test_below_the_threshold_nothing_is_settled() -> None:
    """Under 0.7 a classification is unclear, and unclear goes on (decisions D4, D6)."""
    for confidence, kind in ((0.69, MessageKind.UNCLEAR), (0.7, MessageKind.BREAKOUT)):
        found = Classification(classification=MessageKind.BREAKOUT, confidence=confidence)
        assert found.settled is kind


@pytest.mark.requirement("RS-414")
async def test_the_model_is_told_the_topic_and_five_sub_queries() -> None:
    """The fast model gets topic, at most five sub-queries and the message, as data."""
    paused = await read_message(WordLlamaEmbedder(), "dues", list("abcdefg"), "hello")
    assert json.loads(prompt(paused)) == {
        "topic": "dues",
        "sub_queries": ["a", "b", "c", "d", "e"],
        "message": "hello",
    }
    assert classify_breakout.tier is Tier.FAST
