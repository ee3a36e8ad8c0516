"""Whether a library holds the answer at all: measured on questions that did not fit the rule."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from bench.answerability import Judged, judge_questions, score
from bottega.core.vectors.store import Vector
from bottega.errors import InvalidInput, Unavailable
from bottega.library.libraries import Libraries
from bottega.library.searching.answerable import COEFFICIENTS, AnswerabilityJudge, likelihood
from bottega.library.searching.evidence import Evidence
from bottega.library.searching.sought import has_what_is_sought
from tests.library.bookcase import put_books, put_standards
from tests.library.house import House, open_house
from tests.library.questions import questions

HARBOUR = """---
number: 7
kind: standard
---

1. The crane may lift up to 8 tonnes.

2. A visitor shall pay EUR 2 for each night.

3. The lock keeper opens the lock at noon.
"""


@pytest.fixture
async def house(tmp_path: Path, database_url: str) -> AsyncIterator[House]:
    async with open_house(tmp_path, database_url=database_url) as house:
        yield house


async def test_the_questions_are_many_and_honest(tmp_path: Path) -> None:
    """LB-431: 80 of each kind at least, half of what has no answer near the domain, none twice."""
    asked = questions()
    kinds = Counter(each.answerable for each in asked)
    domains = Counter(each.domain for each in asked)
    assert min(kinds[True], kinds[False]) >= 80
    assert domains["near"] >= kinds[False] / 2
    assert len({each.question for each in asked}) == len(asked)
    for split in ("fit", "held_out"):
        assert {each.domain for each in asked if each.split == split} == set(domains)
    async with open_house(tmp_path) as house:
        library = await put_standards(house)
        for ref in {ref for each in asked for ref in each.refs}:
            assert (await Libraries(house.core).paragraph(library, ref)).ref == ref
    assert all(bool(each.refs) == each.answerable for each in asked)


@pytest.fixture(scope="module")
def judged() -> list[Judged]:
    return asyncio.run(judge_questions())


def test_held_out_questions_are_judged_right(judged: list[Judged]) -> None:
    """LB-432: balanced accuracy of at least 0.85 where questions use the library's words."""
    held_out = [each for each in judged if each.split == "held_out"]
    in_its_words = score([each for each in held_out if each.domain != "reworded"], likelihood)
    assert in_its_words.balanced_accuracy >= 0.85
    assert in_its_words.right["near"] >= 0.75
    assert in_its_words.right["far"] >= 0.95
    assert in_its_words.right["inside"] >= 0.9


def test_questions_in_other_words_are_counted_too(judged: list[Judged]) -> None:
    """LB-433: with questions that share hardly a word with the text it is at least 0.8."""
    everything = score([each for each in judged if each.split == "held_out"], likelihood)
    assert everything.balanced_accuracy >= 0.8
    assert everything.auc >= 0.88


def test_confidence_can_be_taken_at_its_word(judged: list[Judged]) -> None:
    """LB-434: of held-out questions, what is held likely mostly has an answer, and vice versa."""
    held_out = [each for each in judged if each.split == "held_out"]
    likely = [each.answerable for each in held_out if likelihood(each.evidence) >= 0.8]
    unlikely = [each.answerable for each in held_out if likelihood(each.evidence) <= 0.2]
    assert sum(likely) / len(likely) >= 0.85
    assert sum(unlikely) / len(unlikely) <= 0.15
    assert score(held_out, likelihood).brier <= 0.14


def test_more_evidence_never_speaks_against_an_answer() -> None:
    """LB-435: each piece of evidence can only raise the confidence."""
    nothing = dict.fromkeys(COEFFICIENTS, 0.0)
    for name in COEFFICIENTS:
        assert likelihood(Evidence(**nothing | {name: 1.0})) > likelihood(Evidence(**nothing))
    assert likelihood(Evidence(**nothing)) < 0.05 < 0.95 < likelihood(Evidence(1, 1, 1, 1, 1))


async def test_reasons_say_what_is_there_and_what_is_missing(house: House) -> None:
    """LB-436: the paragraph that fits best, its words, and those that it or the library lacks."""
    library = await put_books(house, "harbour", {"harbour.md": HARBOUR})
    judge = AnswerabilityJudge(house.core)
    yes = await judge.answerable(library, "How many tonnes may the crane lift?")
    assert (yes.answerable, yes.best) == (True, "7.1")
    assert yes.reasons == ["7.1 takes up: tonnes, crane, lift."]
    no = await judge.answerable(library, "Does the lock keeper lift a zeppelin?")
    assert (no.answerable, no.best) == (False, "7.3")
    assert no.reasons == [
        "7.3 takes up: lock, keeper.",
        "The library does not have: zeppelin.",
        "The library has, but not there: lift.",
    ]


async def test_questions_about_nothing_have_no_answer(house: House) -> None:
    """LB-437: an empty question is refused; an empty library or a wordless question is a no."""
    judge = AnswerabilityJudge(house.core)
    empty = await Libraries(house.core).create("empty")
    nothing = await judge.answerable(empty, "How many tonnes may the crane lift?")
    assert (nothing.answerable, nothing.best) == (False, None)
    assert nothing.reasons == ["The library has nothing that is near to the question."]
    library = await put_books(house, "harbour", {"harbour.md": HARBOUR})
    vague = await judge.answerable(library, "What is that?")
    assert not vague.answerable
    assert vague.reasons == ["The question has no word that says what it is about."]
    with pytest.raises(InvalidInput, match="empty"):
        await judge.answerable(library, "  ")


async def test_without_vectors_words_decide(house: House) -> None:
    """LB-438: an embedder that does not answer makes it less sure, not silent."""
    library = await put_books(house, "harbour", {"harbour.md": HARBOUR})
    judge = AnswerabilityJudge(house.core)

    async def away(texts: Sequence[str]) -> Vector:
        raise Unavailable("The embedder does not answer.")

    question = "How many tonnes may the crane lift?"
    sure = await judge.answerable(library, question)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(house.core.embedder, "embed", away)
        unsure = await judge.answerable(library, question)
        no = await judge.answerable(library, "Which composer wrote the opera?")
    assert (unsure.answerable, unsure.best) == (True, "7.1")
    assert unsure.confidence < sure.confidence
    assert not no.answerable


@pytest.mark.parametrize(
    ("question", "text", "has"),
    [
        ("What does a night cost?", "A night is EUR 2.", True),
        ("What does a night cost?", "A night includes 02:00.", False),
        ("How many gates are there?", "There are two wooden gates.", True),
        ("How many gates are there?", "The gates open at 6.", False),
        ("How many boats fit?", "Not more than six vessels.", True),
        ("How deep is the basin?", "It is 4 metres deep.", True),
        ("How deep is the basin?", "It opens at 4.", False),
        ("How long is it kept?", "It is kept for ten years.", True),
        ("When does it open?", "Opens at noon.", True),
        ("Which form is used?", "On form D-7.", True),
        ("Which form is used?", "In writing.", False),
        ("Who may sign the list?", "The agent signs it.", True),
        ("Who may sign the list?", "The agent reads it.", False),
        ("Is swimming allowed?", "Swimming is forbidden.", None),
    ],
)
def test_the_form_of_a_question_tells_what_its_answer_has(
    question: str, text: str, has: bool | None
) -> None:
    """LB-439: sums, counts, measures, times, kinds and doers are recognised, or left open."""
    assert has_what_is_sought(question, text) is has
