"""What of an answer goes out, and as what."""

import pytest

from bottega.research.answers.claim_filter import decide_status, filter_claims
from bottega.research.pipeline.schemas import (
    AnswerSection,
    AnswerStatus,
    Claim,
    JudgedClaim,
    Synthesis,
)

QUESTION = "What may the crane lift?"


def judged(text: str, verdict: str, *refs: str, invented: tuple[str, ...] = ()) -> JudgedClaim:
    reasons = [] if verdict == "supported" else [f"why {text}"]
    return JudgedClaim.model_validate(
        {
            "claim": Claim(text=text, citations=list(refs)),
            "verdict": verdict,
            "reasons": reasons,
            "invented": list(invented),
        }
    )


GOOD = judged("It lifts 8 tonnes.", "supported", "315.5")
OTHER = judged("Only drivers work it.", "supported", "315.6")
BAD = judged("It lifts 12 tonnes.", "unsupported", "315.5")
OPEN = judged("It is strong.", "undecided", "315.5")
BARE = judged("It is yellow.", "uncited")
FRAME = judged("The following section explains the crane.", "uncited")
FAKE = judged("It is old.", "unsupported", "315.5", invented=("999.1",))


def answer_of(
    summary: list[JudgedClaim], *sections: tuple[str, list[JudgedClaim]], title: str = "Crane"
) -> tuple[Synthesis, list[JudgedClaim]]:
    synthesis = Synthesis(
        title=title,
        summary=[each.claim for each in summary],
        sections=[
            AnswerSection(heading=heading, claims=[each.claim for each in claims])
            for heading, claims in sections
        ],
    )
    return synthesis, [*summary, *(each for _, claims in sections for each in claims)]


@pytest.mark.requirement("RS-321")
def test_claims_stay_go_or_are_marked() -> None:
    """Borne out stays; not borne out or uncited goes, and is told with why; open is
    marked."""
    synthesis, claims = answer_of([GOOD], ("Rest", [FRAME, BAD, OPEN, BARE, OTHER]))
    gated = filter_claims(synthesis, claims, QUESTION)
    assert [each.text for each in gated.synthesis.summary] == [GOOD.claim.text]
    left = [each.text for each in gated.synthesis.sections[0].claims]
    assert left == [FRAME.claim.text, OPEN.claim.text, OTHER.claim.text]
    assert [(each.text, each.why) for each in gated.removed] == [
        (BAD.claim.text, "why It lifts 12 tonnes."),
        (BARE.claim.text, "why It is yellow."),
    ]
    assert gated.unconfirmed == {OPEN.claim.text}
    assert not gated.has_invented


@pytest.mark.requirement("RS-322")
def test_an_invented_reference_takes_its_claim_and_the_verified_mark() -> None:
    """Also beside a good one, also when everything else is fine; and it is not named."""
    synthesis, claims = answer_of([GOOD, FAKE])
    gated = filter_claims(synthesis, claims, QUESTION)
    assert [each.text for each in gated.synthesis.claims] == [GOOD.claim.text]
    assert decide_status(gated, whole_passed=True, rest_passed=True) is AnswerStatus.UNVERIFIED
    assert "999.1" not in str(gated.removed)


@pytest.mark.requirement("RS-323")
def test_verified_is_what_holds_as_a_whole_and_as_what_is_left() -> None:
    """A bad answer is not made a verified one by taking most of it out."""
    gated = filter_claims(*answer_of([GOOD]), QUESTION)
    for whole in (True, False):
        for rest in (True, False):
            expected = AnswerStatus.VERIFIED if whole and rest else AnswerStatus.UNVERIFIED
            assert decide_status(gated, whole_passed=whole, rest_passed=rest) is expected


@pytest.mark.requirement("RS-324")
def test_an_answer_of_which_nothing_is_left_is_refused() -> None:
    """Sentences that only lead through it are nothing; an empty answer is nothing."""
    for claims in ([BAD, FRAME], [FAKE], [BARE], []):
        gated = filter_claims(*answer_of(list(claims)), QUESTION)
        assert gated.is_empty
        status = decide_status(gated, whole_passed=True, rest_passed=True)
        assert status is AnswerStatus.REFUSED


@pytest.mark.requirement("RS-325")
def test_headings_carry_no_figure_that_stands_nowhere() -> None:
    """Nobody verifies headings, so what they say must stand below them."""
    synthesis, claims = answer_of(
        [GOOD],
        ("Up to 12 tonnes", [OTHER]),
        ("Up to 8 tonnes", [GOOD]),
        ("Standard 315", [OTHER]),
        title="The 900 tonne crane",
    )
    gated = filter_claims(synthesis, claims, QUESTION)
    headings = [section.heading for section in gated.synthesis.sections]
    assert headings == ["More", "Up to 8 tonnes", "Standard 315"]
    assert gated.synthesis.title == QUESTION


@pytest.mark.requirement("RS-326")
def test_a_short_answer_that_went_is_replaced_by_what_is_left() -> None:
    """And a section that is empty goes with its claims."""
    synthesis, claims = answer_of([BAD], ("Gone", [BARE]), ("Crane", [GOOD, OTHER]))
    gated = filter_claims(synthesis, claims, QUESTION)
    assert [each.text for each in gated.synthesis.summary] == [GOOD.claim.text]
    assert [section.heading for section in gated.synthesis.sections] == ["Crane"]


@pytest.mark.requirement("RS-321")
def test_a_claim_that_still_stands_elsewhere_is_not_told_as_removed() -> None:
    """The same sentence with a wrong and with a right citation."""
    wrong = judged(GOOD.claim.text, "unsupported", "100.2")
    gated = filter_claims(*answer_of([wrong], ("Crane", [GOOD, BAD, BAD])), QUESTION)
    assert [each.text for each in gated.removed] == [BAD.claim.text]
