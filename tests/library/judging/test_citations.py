"""From a reference to the text that a claim is judged by."""

from bottega.library.judging.citations import Cited, find_cited, judge_citation
from bottega.library.judging.verdicts import ErrorCategory, Verdict

RULES = {
    "7.1": "The card shall show:",
    "7.1(a)": "the name of the holder;",
    "7.1(b)": "the day on which it ends.",
    "7.2": "The card may be lent.",
}


def test_a_missing_sub_paragraph_is_told_apart_from_a_missing_paragraph() -> None:
    """LB-205."""
    for ref, category in [
        ("7.1(z)", ErrorCategory.SUB_PARA_NOT_FOUND),
        ("7.9", ErrorCategory.NOT_FOUND),
        ("9.1(a)", ErrorCategory.NOT_FOUND),
    ]:
        judgement = judge_citation("The card may be lent.", ref, RULES)
        assert judgement.verdict is Verdict.UNSUPPORTED
        assert judgement.error_category is category
        assert judgement.reasons == (f"there is no paragraph {ref}",)


def test_an_item_is_read_with_its_lead_in() -> None:
    """LB-206."""
    assert find_cited("7.1(a)", RULES) == Cited(
        "the name of the holder;", ("The card shall show:",)
    )
    claim = "The card shall show the name of the holder."
    assert judge_citation(claim, "7.1(a)", RULES).verdict is Verdict.SUPPORTED
    assert judge_citation(claim, "7.1(b)", RULES).verdict is Verdict.UNSUPPORTED
    weaker = "The card may show the name of the holder."
    assert judge_citation(weaker, "7.1(a)", RULES).verdict is Verdict.UNSUPPORTED


def test_a_paragraph_is_read_with_its_items() -> None:
    """LB-206."""
    for claim in (
        "The card shall show the name of the holder.",
        "The card must show when it ends.",
    ):
        assert judge_citation(claim, "7.1", RULES).leaning is Verdict.SUPPORTED
