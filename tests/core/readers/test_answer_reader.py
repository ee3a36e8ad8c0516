"""The default answer reader: which passages answer, how sure it is, and what it costs."""

import time

import pytest

from bottega.core.readers.answer_reader import FittedAnswerReader, fit_of
from bottega.core.readers.logistic import Logistic, read_file
from bottega.core.search_types import Fit

QUESTION = "What may the crane lift?"


@pytest.fixture(scope="module")
def reader() -> FittedAnswerReader:
    return FittedAnswerReader()


@pytest.mark.requirement("LB-432")
async def test_what_answers_is_told_from_what_does_not(reader: FittedAnswerReader) -> None:
    """Also where a passage repeats a word of the question and speaks of something else."""
    likely, other = await reader.read(
        QUESTION, ["The crane may lift up to 8 tonnes.", "Nobody shall stand under a load."]
    )
    assert fit_of(likely.probability) is Fit.LIKELY
    assert fit_of(other.probability) is Fit.NOTHING
    (covered,) = await reader.read(
        "covered call and protective put?",
        ["Questions not covered by policy should be evaluated on their merits."],
    )
    assert fit_of(covered.probability) is Fit.NOTHING


async def test_the_answering_sentence_is_named(reader: FittedAnswerReader) -> None:
    text = "The quay is swept daily. The crane may lift up to 8 tonnes. Lamps are lit at dusk."
    (reading,) = await reader.read(QUESTION, [text])
    assert "The crane may lift up to 8 tonnes." in reading.sentence


@pytest.mark.requirement("LB-434")
def test_probabilities_can_be_taken_at_their_word() -> None:
    """On articles that it did not learn from, as many answer as it says, about."""
    for count, held, answered in read_file("answer_reader")["fitted"]["reliability"]:
        assert abs(held - answered) < 0.15 or count < 30


@pytest.mark.requirement("LB-435")
def test_more_evidence_never_speaks_against_an_answer() -> None:
    (answers,) = Logistic.load("answer_reader", "answers")
    assert all(weight >= 0 for weight in answers.weights.values())
    assert answers(dict.fromkeys(answers.weights, 0.0)) < 0.05
    assert answers(dict.fromkeys(answers.weights, 1.0)) > 0.9


async def test_bad_input_is_read_too(reader: FittedAnswerReader) -> None:
    assert await reader.read(QUESTION, []) == []
    readings = await reader.read("", ["", "港口" * 2_000, "\x00\x01"])
    assert [each.probability < 0.5 for each in readings] == [True] * 3


async def test_ten_passages_take_less_than_half_a_second(reader: FittedAnswerReader) -> None:
    """Of one core, once the model is loaded."""
    passages = [f"On quay {n} the crane may lift up to {n} tonnes." * 4 for n in range(10)]
    await reader.read(QUESTION, passages[:1])
    start = time.process_time()
    await reader.read(QUESTION, passages)
    assert time.process_time() - start < 0.4
