"""Whether a library holds the answer at all: measured on questions that did not fit the rule."""

from collections import Counter
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from bench._intervals import area_under_curve, interval
from bench.answerability import judge_questions
from bottega.core.readers.embedder import Vector
from bottega.core.search_types import Fit
from bottega.errors import InvalidInput, Unavailable
from bottega.library.documents.service import Libraries
from bottega.library.search.answerability import AnswerabilityJudge
from tests.app import App, open_app
from tests.library.builders import put_library, put_standards
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
async def app(tmp_path: Path, database_url: str) -> AsyncIterator[App]:
    async with open_app(tmp_path, database_url=database_url) as app:
        yield app


@pytest.mark.requirement("LB-431")
async def test_the_questions_are_many_and_honest(tmp_path: Path) -> None:
    """80 of each kind at least, half of what has no answer near the domain, none twice."""
    asked = questions()
    kinds = Counter(each.answerable for each in asked)
    domains = Counter(each.domain for each in asked)
    assert min(kinds[True], kinds[False]) >= 80
    assert domains["near"] >= kinds[False] / 2
    assert len({each.question for each in asked}) == len(asked)
    for split in ("fit", "held_out"):
        assert {each.domain for each in asked if each.split == split} == set(domains)
    async with open_app(tmp_path) as app:
        library = await put_standards(app)
        for ref in {ref for each in asked for ref in each.refs}:
            assert (await Libraries(app.core).paragraph(library, ref)).ref == ref
    assert all(bool(each.refs) == each.answerable for each in asked)


@pytest.mark.requirement("LB-432", "LB-433", "LB-434")
async def test_questions_with_an_answer_are_told_from_those_without(tmp_path: Path) -> None:
    """In the library's words and in others; the figures are in the bench."""
    judged = await judge_questions(questions()[::6])
    truth = np.array([each.answerable for each in judged])
    likely = np.array([each.confidence for each in judged])
    assert interval(truth, likely, area_under_curve)[0] > 0.5
    far = [each for each in judged if each.domain == "far"]
    assert not any(each.fit is Fit.LIKELY for each in far)


@pytest.mark.requirement("LB-436")
async def test_reasons_say_what_is_there_and_what_is_missing(app: App) -> None:
    """The paragraph that fits best, its words, and those that it or the library lacks."""
    library = await put_library(app, "harbour", {"harbour.md": HARBOUR})
    judge = AnswerabilityJudge(app.core)
    yes = await judge.answerable(library, "How many tonnes may the crane lift?")
    assert (yes.answerable, yes.best) == (True, "7.1")
    assert yes.reasons == ["7.1 takes up: tonnes, crane, lift."]
    no = await judge.answerable(library, "Does the lock keeper lift a zeppelin?")
    assert no.best == "7.3"
    assert no.confidence < yes.confidence
    assert no.reasons == [
        "7.3 takes up: lock, keeper.",
        "The library does not have: zeppelin.",
        "The library has, but not there: lift.",
    ]


@pytest.mark.requirement("LB-437")
async def test_questions_about_nothing_have_no_answer(app: App) -> None:
    """An empty question is refused; an empty library or a wordless question is a no."""
    judge = AnswerabilityJudge(app.core)
    empty = await Libraries(app.core).create("empty")
    nothing = await judge.answerable(empty, "How many tonnes may the crane lift?")
    assert (nothing.answerable, nothing.best) == (False, None)
    assert nothing.reasons == ["The library has nothing that is near to the question."]
    library = await put_library(app, "harbour", {"harbour.md": HARBOUR})
    vague = await judge.answerable(library, "What is that?")
    assert not vague.answerable
    assert vague.reasons == ["The question has no word that says what it is about."]
    with pytest.raises(InvalidInput, match="empty"):
        await judge.answerable(library, "  ")


@pytest.mark.requirement("LB-438")
async def test_without_vectors_words_decide(app: App) -> None:
    """What words find is read all the same."""
    library = await put_library(app, "harbour", {"harbour.md": HARBOUR})
    judge = AnswerabilityJudge(app.core)

    async def away(texts: Sequence[str]) -> Vector:
        raise Unavailable("The embedder does not answer.")

    question = "How many tonnes may the crane lift?"
    sure = await judge.answerable(library, question)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app.core.embedder, "embed", away)
        unsure = await judge.answerable(library, question)
        no = await judge.answerable(library, "Which composer wrote the opera?")
    assert (unsure.answerable, unsure.best) == (True, "7.1")
    assert unsure.confidence == sure.confidence
    assert not no.answerable


@pytest.mark.requirement("LB-439")
async def test_the_passages_are_shown_with_the_sentence_that_answers(app: App) -> None:
    """Likeliest first, each with its probability, and with what is said of it."""
    library = await put_library(app, "harbour", {"harbour.md": HARBOUR})
    judged = await AnswerabilityJudge(app.core).answerable(library, "What may the crane lift?")
    assert judged.passages[0].ref == judged.best == "7.1"
    assert "The crane may lift up to 8 tonnes." in judged.passages[0].sentence
    assert judged.fit is judged.passages[0].fit is Fit.LIKELY
    chances = [each.probability for each in judged.passages]
    assert chances == sorted(chances, reverse=True)
    assert judged.confidence == chances[0]
    assert judged.method
