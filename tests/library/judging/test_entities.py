"""Entity grounding."""

from bottega.library.judging.citations import Cited, find_cited
from bottega.library.judging.entities import verify_entities
from tests.library.judging import labelled


def test_the_labelled_entities_are_judged_right() -> None:
    """LB-231."""
    texts = labelled.standards()
    wrong = []
    for row in labelled.rows("entities"):
        cited = [find_cited(ref, texts.paragraphs) for ref in row["refs"]]
        paragraphs = [" ".join((*c.neighbours, c.text)) for c in cited if isinstance(c, Cited)]
        assert len(paragraphs) == len(row["refs"])
        result = verify_entities([row["entity"]], paragraphs, terms=texts.terms)
        if result.details[0]["grounded"] != row["grounded"]:
            wrong.append(row["entity"])
    assert wrong == []


def test_an_entity_may_go_by_another_name() -> None:
    """LB-231."""
    text = ["The HM shall sign."]
    assert not verify_entities(["harbour master"], text).details[0]["grounded"]
    found = verify_entities(["harbour master"], text, aliases={"Harbour master": ["HM"]})
    assert found.details[0]["how"] == "alias"


def test_the_axis_passes_with_four_of_five() -> None:
    """LB-232."""
    text = ["An oak, an ash, a beech and an elm stand here."]
    four = verify_entities(["oak", "ash", "beech", "elm", "palm"], text)
    assert (four.score, four.passed) == (0.8, True)
    assert [detail["entity"] for detail in four.details if not detail["grounded"]] == ["palm"]
    assert not verify_entities(["oak", "palm"], text).passed
    assert verify_entities([], text).passed
