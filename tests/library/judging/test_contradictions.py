"""The contradiction check."""

import time

import pytest

from bottega.library.judging.contradictions import find_contradictions
from tests.library.judging import labelled


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ("Dogs may enter the hall.", "Dogs shall not enter the hall.", "“may”"),
        ("The tap is open.", "The tap is not open.", "denies"),
        ("The yearly fee is EUR 12.", "The yearly fee is EUR 15.", "“EUR 12”"),
        ("Pay before you enter the hall.", "Pay after you enter the hall.", "“before”"),
    ],
)
def test_a_contradiction_is_found_with_its_reason(one: str, other: str, reason: str) -> None:
    """LB-235."""
    found = find_contradictions({"1": one, "2": other}, embed=labelled.embed)
    assert not found.passed
    assert found.details[0]["between"] == ["1", "2"]
    assert reason in found.details[0]["reason"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("If it rains, the gate shall be shut.", "If it is dry, the gate shall not be shut."),
        ("Adults pay EUR 12.", "Children pay EUR 6."),
        ("The fee is due within two weeks.", "The fee is due within 14 days."),
    ],
)
def test_another_case_is_no_contradiction(one: str, other: str) -> None:
    """LB-236."""
    found = find_contradictions({"1": one, "2": other}, embed=labelled.embed)
    assert (found.passed, found.score) == (True, 1.0)


def test_a_claim_may_contradict_a_paragraph() -> None:
    """LB-237."""
    found = find_contradictions(
        {"4.1": "The log is kept for ten years."},
        ["The log is kept for five years.", "The log is kept for ten years."],
        embed=labelled.embed,
    )
    assert ["4.1", "claim 1"] in [detail["between"] for detail in found.details]
    assert ["4.1", "claim 2"] not in [detail["between"] for detail in found.details]


@pytest.mark.parametrize(
    ("name", "precision", "recall"),
    [("contradictions_tuning", 0.98, 0.96), ("contradictions_held_out", 0.90, 0.93)],
)
def test_the_check_is_as_good_as_documented(name: str, precision: float, recall: float) -> None:
    """LB-238: the second set was written before the rules were changed for the first."""
    pairs = labelled.rows(name)
    found = [
        bool(find_contradictions({"a": p["a"], "b": p["b"]}, embed=labelled.embed).details)
        for p in pairs
    ]
    right = sum(said and pair["label"] for said, pair in zip(found, pairs, strict=True))
    assert len(pairs) >= 60
    assert right / sum(found) >= precision
    assert right / sum(pair["label"] for pair in pairs) >= recall


@pytest.mark.parametrize(("number", "seconds"), [(200, 1.0), (1000, 10.0)])
def test_many_paragraphs_are_compared_quickly(number: int, seconds: float) -> None:
    """LB-239."""
    paragraphs = labelled.many_paragraphs(number)
    labelled.embed(["once, so that the vectors are loaded"])
    start = time.process_time()
    find_contradictions(paragraphs, embed=labelled.embed)
    assert len(paragraphs) == number
    assert time.process_time() - start < seconds


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Small boats may enter the lock.", "Large boats shall not enter the lock."),
        ("Dogs shall not enter the hall.", "Guide dogs may enter the hall."),
        ("The first copy is free.", "The second copy costs EUR 2."),
    ],
)
def test_two_differences_make_two_cases(one: str, other: str) -> None:
    """LB-236: what is said of others, or of some of them, is not denied of all."""
    assert find_contradictions({"1": one, "2": other}, embed=labelled.embed).passed
