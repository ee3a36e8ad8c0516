"""Verdicts on citations: what is quoted, what a guard vetoes, what stays open, and why."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

import pytest

from bottega.core.readers.claim_reader import (
    ClaimPair,
    ClaimReader,
    ClaimReading,
    CrossClaimReader,
)
from bottega.core.readers.guards import NUMBERS, Objection
from bottega.library.verify.citations import CitedPart
from bottega.library.verify.claims import Opinion, judge_claims
from bottega.library.verify.verdicts import MatchLevel, Verdict

OVEN = "The baker shall clean the oven within two hours of closing."
OTHER_WORDS = "Two hours after closing at the latest the oven is clean, thanks to the baker."


class FixedReader:
    """A reader that is as sure as it is told to be."""

    name: ClassVar[str] = "fixed"
    bounds: ClassVar[tuple[float, float]] = (0.3, 0.7)

    def __init__(self, supported: float, *objections: Objection) -> None:
        self.supported = supported
        self.objections = objections
        self.asked: list[ClaimPair] = []

    async def read(self, pairs: Sequence[ClaimPair]) -> list[ClaimReading]:
        self.asked += pairs
        return [ClaimReading(self.supported, 0.0, objections=self.objections) for _ in pairs]


async def judge(
    claim: str,
    text: str,
    reader: ClaimReader | None = None,
    terms: Mapping[str, str] | None = None,
) -> Opinion:
    part = CitedPart("id", "1.1", text)
    chosen = reader or CrossClaimReader()
    (opinion,) = await judge_claims(chosen, [(claim, [part])], terms or {})
    return opinion


@pytest.mark.requirement("LB-219", "LB-253")
async def test_a_verdict_says_why_and_how_close_it_is() -> None:
    wrong = await judge("The baker shall clean the oven within three hours of closing.", OVEN)
    assert wrong.verdict is not Verdict.SUPPORTED
    assert not wrong.supports_claim
    assert wrong.reasons == ["the claim says “three hours”, the paragraph two hours"]
    assert (wrong.method, wrong.passage) == (CrossClaimReader.name, OVEN)
    exact = await judge(OVEN, OVEN)
    assert (exact.match_level, exact.quoted, exact.method) == (MatchLevel.EXACT, True, "verbatim")
    other = await judge("The tide table is published.", OVEN)
    assert other.match_level is MatchLevel.NONE
    assert "tide" in other.reasons[0]


@pytest.mark.requirement("LB-242")
async def test_the_same_words_in_other_places_are_no_quotation() -> None:
    text = "Letters from the council go to the mayor."
    turned = await judge("Letters from the mayor go to the council.", text)
    assert not turned.quoted
    assert turned.score < 1
    assert (await judge(text, text)).quoted


@pytest.mark.requirement("LB-218")
async def test_a_term_may_be_claimed_in_the_words_of_its_definition() -> None:
    paragraph = "A long boat shall carry a lamp."
    definition = "a boat with a length of 24 metres or more"
    claim = "A boat with a length of 24 metres or more shall carry a lamp."
    assert (await judge(claim, paragraph, terms={"Long boat": definition})).supports_claim
    assert not (await judge(claim, paragraph)).supports_claim


@pytest.mark.requirement("LB-250")
@pytest.mark.parametrize(
    ("sure", "verdict", "leans"),
    [
        (0.9, Verdict.SUPPORTED, True),
        (0.6, Verdict.UNDECIDED, True),
        (0.4, Verdict.UNDECIDED, False),
        (0.1, Verdict.UNSUPPORTED, False),
    ],
)
async def test_what_the_reader_is_not_sure_about_is_open(
    sure: float, verdict: Verdict, leans: bool
) -> None:
    opinion = await judge(OTHER_WORDS, OVEN, FixedReader(sure))
    assert (opinion.verdict, opinion.supports_claim) == (verdict, leans)
    assert opinion.is_open is (verdict is Verdict.UNDECIDED)


@pytest.mark.requirement("LB-250")
async def test_an_objection_decides_however_sure_the_reader_is() -> None:
    """A right guard is not overruled and not hidden."""
    sure = FixedReader(0.99, Objection(NUMBERS, "the claim says “60”, the paragraph 80"))
    opinion = await judge(OTHER_WORDS, OVEN, sure)
    assert opinion.verdict is Verdict.UNSUPPORTED
    assert opinion.reasons == ["the claim says “60”, the paragraph 80"]
    assert opinion.is_vetoed


@pytest.mark.requirement("LB-250")
async def test_what_stands_there_word_by_word_is_not_read() -> None:
    """And each claim is read with the words that lead to its paragraph."""
    reader = FixedReader(0.9)
    lead = CitedPart("id", "1(a)", "on the pier;", ("Nobody may smoke:",))
    asked = [(OVEN, [CitedPart("id", "2", OVEN)]), ("No smoking.", [lead])]
    await judge_claims(reader, asked, {})
    assert reader.asked == [("No smoking.", ["Nobody may smoke on the pier."])]


@pytest.mark.requirement("LB-240", "LB-222")
async def test_the_default_reader_says_when_it_is_unsure() -> None:
    """It has vectors of its own, whatever a library's embedder is."""
    opinion = await judge("The oven is for the baker to keep tidy.", OVEN)
    assert opinion.verdict is Verdict.UNDECIDED
    assert 0 < opinion.score < 1
