"""Likely names of pupils and colleagues are found in what is to be remembered, and little else."""

from pathlib import Path

import pytest

from bottega.assistant.guardrails.names import NameClue, find_names, likely_names
from tests.assistant.guardrail_sets import HELD_OUT, TUNING, name_figures, sentences
from tests.assistant.hook_turns import open_turn


def found(text: str, *known: str) -> list[str]:
    return [each.text for each in likely_names(text, known)]


@pytest.mark.requirement("AS-312")
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Keep Sophie and Jack apart.", ["Sophie", "Jack"]),
        ("sarah struggles with fractions", ["sarah"]),
        ("MOHAMMED needs a scribe", ["MOHAMMED"]),
        ("Oliver's mum asked for larger print.", ["Oliver"]),
        ("Chloe McDonald was moved.", ["Chloe McDonald"]),
        ("Katie B. cried.", ["Katie B."]),
        ("Praise for Łukasz and Małgorzata.", ["Łukasz", "Małgorzata"]),
    ],
)
def test_first_names_are_found_however_they_are_written(text: str, names: list[str]) -> None:
    assert found(text) == names


@pytest.mark.requirement("AS-313")
@pytest.mark.parametrize(
    ("text", "name", "clue"),
    [
        ("Miss Henderson takes the class.", "Miss Henderson", NameClue.TITLE),
        ("Ask Mr. Brzezicki for the key.", "Mr. Brzezicki", NameClue.TITLE),
        ("J. Smith has a reading age of nine.", "J. Smith", NameClue.INITIALS),
        ("M. O'Brien may use a laptop.", "M. O'Brien", NameClue.INITIALS),
        ("pupil Okonkwo is new", "Okonkwo", NameClue.NAMED),
        ("the girl called Xochitl translates", "Xochitl", NameClue.NAMED),
        ("Please remind Brzezicki of the form.", "Brzezicki", NameClue.IN_CONTEXT),
    ],
)
def test_titles_initials_and_how_a_person_is_spoken_of_give_a_name_away(
    text: str, name: str, clue: NameClue
) -> None:
    """Also names that are on no list."""
    [finding] = likely_names(text)
    assert (finding.text, finding.clue) == (name, clue)
    assert text[finding.start : finding.end] == name


@pytest.mark.requirement("AS-314")
@pytest.mark.parametrize(
    ("name", "as_a_name", "as_a_word"),
    [
        ("Will", "Will needs a seat near the door.", "Will the class cope?"),
        ("Grace", "I told Grace to take a break.", "Grace periods for homework work well."),
        ("Mark", "Mark's father works nights.", "Mark the exit tickets."),
        ("April", "April cannot sit still.", "In April the class goes to Aviemore."),
        ("Ruby", "Ruby shouted out.", "Ruby and Julia are programming languages."),
        ("Jade", "Jade and Kyle share a desk.", "Jade green paper is easier to read."),
    ],
)
def test_a_name_that_is_also_a_word_counts_only_where_it_is_a_person(
    name: str, as_a_name: str, as_a_word: str
) -> None:
    assert name in found(as_a_name)
    assert found(as_a_word) == []


@pytest.mark.requirement("AS-347")
@pytest.mark.parametrize(
    "text",
    [
        "Piaget and Vygotsky both speak for group work.",
        "Bloom's taxonomy helps.",
        "Ada Lovelace, Grace Hopper and Alan Turing are good hooks.",
        "Romeo and Juliet was too long.",
        "The EAL pair in 3B speaks Ukrainian.",
        "In March, Glasgow and Paris are compared in French.",
        "Use Scratch before Python on Mondays.",
        "Class 1B forgets passwords.",
    ],
)
def test_theories_books_places_subjects_and_classes_are_no_names(text: str) -> None:
    assert found(text) == []


@pytest.mark.requirement("AS-348")
async def test_words_of_the_workspace_are_known(tmp_path: Path) -> None:
    """A word it writes with a capital is no name, unless it is treated as a person."""
    files = {"workspace/curriculum/cfe-computing.md": "# Computing\n\nThe Otis lift controller.\n"}
    async with open_turn(tmp_path, files=files) as app:
        assert await find_names(app.turn, "The Otis exercise went well with Ewan.") == ["Ewan"]
        assert await find_names(app.turn, "Otis forgot his planner. Otis is late.") == ["Otis"]
    assert found("The Otis exercise went well.") == ["Otis"]


@pytest.mark.requirement("AS-349")
def test_names_are_found_with_few_mistakes() -> None:
    """Precision comes first, since every mistake is a question to the teacher."""
    labelled = sentences()
    assert len(labelled) >= 200
    for split, precision, recall in ((TUNING, 0.95, 0.95), (HELD_OUT, 0.9, 0.9)):
        figures = name_figures(each for each in labelled if each.split == split)
        assert figures.precision >= precision
        assert figures.recall >= recall
