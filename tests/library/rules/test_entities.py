"""Entity grounding."""

import pytest

from bottega.library.verify.citations import read_cited
from bottega.library.verify.entities import verify_entities
from tests.library.rules import labelled


@pytest.mark.requirement("LB-231")
def test_the_labelled_entities_are_judged_right() -> None:
    texts = labelled.standards()
    wrong = []
    for row in labelled.rows("entities"):
        cited = [read_cited(ref, texts.paragraphs) for ref in row["refs"]]
        paragraphs = [" ".join((*leads, text)) for text, leads in cited]
        result = verify_entities([row["entity"]], paragraphs, terms=texts.terms)
        if result.details[0]["grounded"] != row["grounded"]:
            wrong.append(row["entity"])
    assert wrong == []


@pytest.mark.requirement("LB-231")
def test_an_entity_may_go_by_another_name() -> None:
    text = ["The HM shall sign."]
    assert not verify_entities(["harbour master"], text).details[0]["grounded"]
    found = verify_entities(["harbour master"], text, aliases={"Harbour master": ["HM"]})
    assert found.details[0]["how"] == "alias"


@pytest.mark.requirement("LB-232")
def test_the_axis_passes_with_four_of_five() -> None:
    text = ["An oak, an ash, a beech and an elm stand here."]
    four = verify_entities(["oak", "ash", "beech", "elm", "palm"], text)
    assert (four.score, four.passed) == (0.8, True)
    assert [detail["entity"] for detail in four.details if not detail["grounded"]] == ["palm"]
    assert not verify_entities(["oak", "palm"], text).passed
    assert verify_entities([], text).passed
