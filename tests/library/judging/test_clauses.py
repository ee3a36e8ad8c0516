"""Long sentences as foreign documents have them: clauses, denials, other wordings."""

import pytest

from bottega.library.judging.judge import judge_claim
from bottega.library.judging.statements import read_clauses
from bottega.library.judging.verdicts import Verdict
from tests.library.judging import labelled

LONG = (
    "When a boat takes a new berth, the plan is updated, and then checked to see if it still holds."
)


@pytest.mark.parametrize(
    ("claim", "paragraph"),
    [
        ("The oven is not cleaned.", "The baker leaves the oven uncleaned."),
        ("Work is licensed without charge.", "Work is licensed at no charge to all parties."),
        (
            "The flag checks files without opening them.",
            "The flag checks files, but does not open them.",
        ),
    ],
)
def test_a_denial_may_be_worded_in_another_way(claim: str, paragraph: str) -> None:
    """LB-243."""
    assert judge_claim(claim, paragraph, embed=labelled.embed).leaning is Verdict.SUPPORTED


@pytest.mark.parametrize(
    ("claim", "paragraph"),
    [
        (
            "You may advertise the pass as your own product.",
            "You may copy the pass, provided that you do not advertise it as your own product.",
        ),
        ("The rule creates a total order.", "The rule creates a partial order, not a total order."),
        (
            "If no clerk is present, new letters are accepted.",
            "If some clerk is present, new letters are accepted.",
        ),
    ],
)
def test_what_the_paragraph_denies_is_not_supported(claim: str, paragraph: str) -> None:
    """LB-243."""
    assert judge_claim(claim, paragraph, embed=labelled.embed).leaning is Verdict.UNSUPPORTED


def test_a_clause_keeps_the_conditions_of_its_sentence() -> None:
    """LB-244."""
    clauses = read_clauses(LONG)
    assert clauses
    assert all(any("berth" in c for c in each.conditions) for each in clauses)


def test_a_claim_may_rest_on_a_clause_but_not_without_its_condition() -> None:
    """LB-244."""
    kept = judge_claim(
        "The plan is updated when a boat takes a new berth.", LONG, embed=labelled.embed
    )
    assert kept.leaning is Verdict.SUPPORTED
    dropped = judge_claim("The plan is always updated.", LONG, embed=labelled.embed)
    assert dropped.leaning is Verdict.UNSUPPORTED


@pytest.mark.parametrize(
    ("claim", "paragraph"),
    [
        ("Do not open the gate prior to noon.", "Don't open the gate before noon."),
        ("You cannot enter without a pass.", "It is not possible to enter without a pass."),
        ("A visitor who does not pay is sent away.", "A visitor who fails to pay is sent away."),
    ],
)
def test_another_wording_makes_no_difference(claim: str, paragraph: str) -> None:
    """LB-245."""
    assert judge_claim(claim, paragraph, embed=labelled.embed).leaning is Verdict.SUPPORTED
