"""Relation preservation."""

from bottega.library.judging.relations import Edge, Relation, verify_relation, verify_relations
from tests.library.judging import labelled


def test_the_labelled_relations_are_judged_right() -> None:
    """LB-233."""
    texts = labelled.standards().paragraphs
    wrong = [
        row
        for row in labelled.rows("relations")
        if verify_relation(
            row["source"], row["target"], row["type"], (), texts=texts, embed=labelled.embed
        ).passed
        != row["holds"]
    ]
    assert wrong == []


def test_an_edge_holds_in_its_direction_only() -> None:
    """LB-233."""
    edges = {Edge("1.1", "2.2", "hop")}
    assert verify_relation("1.1", "2.2", "hop", edges).passed
    turned = verify_relation("2.2", "1.1", "hop", edges)
    assert not turned.passed
    assert turned.details[0]["reason"] == "it is the other way round: 1.1 hop 2.2"
    assert not verify_relation("1.1", "2.2", "cites", edges).passed


def test_texts_that_contradict_each_other_are_related_by_that_both_ways() -> None:
    """LB-233."""
    texts = {"1.1": "Dogs may enter the hall.", "1.2": "Dogs shall not enter the hall."}
    assert verify_relation("1.1", "1.2", "contradicts", (), texts=texts).passed
    assert verify_relation("1.2", "1.1", "contradicts", (), texts=texts).passed


def test_the_axis_passes_with_seven_of_ten() -> None:
    """LB-234."""
    edges = [Edge("1", str(n), "hop") for n in range(2, 9)]
    ten = [Relation("1", str(n), "hop") for n in range(2, 12)]
    result = verify_relations(ten, edges)
    assert (result.score, result.passed, len(result.details)) == (0.7, True, 10)
    assert not verify_relations(ten[1:], edges).passed
