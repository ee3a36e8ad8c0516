"""From a reference to the text that a claim is judged by."""

import pytest

from bottega.core.readers.claim_reader import CrossClaimReader
from bottega.library.verify.citations import CitedPart, read_cited
from bottega.library.verify.claims import Opinion, judge_claims

RULES = {
    "7.1": "The card shall show:",
    "7.1(a)": "the name of the holder;",
    "7.1(b)": "the day on which it ends.",
    "7.2": "The card may be lent.",
}


async def judge(claim: str, ref: str) -> Opinion:
    part = CitedPart(ref, ref, *read_cited(ref, RULES))
    (opinion,) = await judge_claims(CrossClaimReader(), [(claim, [part])], {})
    return opinion


@pytest.mark.requirement("LB-206")
async def test_an_item_is_read_with_its_lead_in() -> None:
    assert read_cited("7.1(a)", RULES) == ("the name of the holder;", ("The card shall show:",))
    claim = "The card shall show the name of the holder."
    there = await judge(claim, "7.1(a)")
    assert (there.quoted, there.supports_claim) == (True, True)
    assert (await judge(claim, "7.1(b)")).score < there.score
    assert not (await judge(claim.replace("shall", "may"), "7.1(a)")).supports_claim


@pytest.mark.requirement("LB-206")
async def test_a_paragraph_is_read_with_its_items() -> None:
    for claim in (
        "The card shall show the name of the holder.",
        "The card must show when it ends.",
    ):
        assert (await judge(claim, "7.1")).supports_claim
