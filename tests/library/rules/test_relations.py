"""Relation preservation."""

import pytest

from bottega.library.verify.relations import StoredEdge, verify_relation
from tests.library.rules import labelled


@pytest.mark.requirement("LB-233")
def test_the_labelled_relations_are_judged_right() -> None:
    texts = labelled.standards().paragraphs
    wrong = [
        row
        for row in labelled.rows("relations")
        if verify_relation(row["source"], row["target"], row["type"], (), texts=texts).passed
        != row["holds"]
    ]
    assert wrong == []


@pytest.mark.requirement("LB-233")
def test_an_edge_holds_in_its_direction_only() -> None:
    edges = {StoredEdge("1.1", "2.2", "hop")}
    assert verify_relation("1.1", "2.2", "hop", edges).passed
    turned = verify_relation("2.2", "1.1", "hop", edges)
    assert not turned.passed
    assert turned.details[0]["reason"] == "it is the other way round: 1.1 hop 2.2"
    assert not verify_relation("1.1", "2.2", "cites", edges).passed


@pytest.mark.requirement("LB-233")
def test_texts_that_contradict_each_other_are_related_by_that_both_ways() -> None:
    texts = {"1.1": "Dogs may enter the hall.", "1.2": "Dogs shall not enter the hall."}
    assert verify_relation("1.1", "1.2", "contradicts", (), texts=texts).passed
    assert verify_relation("1.2", "1.1", "contradicts", (), texts=texts).passed
