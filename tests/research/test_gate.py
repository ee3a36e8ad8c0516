"""What of an answer goes out, and as what."""

from bottega.research.answering.gate import decide_status, pass_gate
from bottega.research.pipeline.outputs import (
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


def test_claims_stay_go_or_are_marked() -> None:
    """RS-321: borne out stays; not borne out or uncited goes, and is told with why; open is
    marked."""
    synthesis, claims = answer_of([GOOD], ("Rest", [FRAME, BAD, OPEN, BARE, OTHER]))
    gated = pass_gate(synthesis, claims, QUESTION)
    assert [each.text for each in gated.synthesis.summary] == [GOOD.claim.text]
    left = [each.text for each in gated.synthesis.sections[0].claims]
    assert left == [FRAME.claim.text, OPEN.claim.text, OTHER.claim.text]
    assert [(each.text, each.why) for each in gated.removed] == [
        (BAD.claim.text, "why It lifts 12 tonnes."),
        (BARE.claim.text, "why It is yellow."),
    ]
    assert gated.unconfirmed == {OPEN.claim.text}
    assert not gated.has_invented


def test_an_invented_reference_takes_its_claim_and_the_verified_mark() -> None:
    """RS-322: also beside a good one, also when everything else is fine; and it is not named."""
    synthesis, claims = answer_of([GOOD, FAKE])
    gated = pass_gate(synthesis, claims, QUESTION)
    assert [each.text for each in gated.synthesis.claims] == [GOOD.claim.text]
    assert decide_status(gated, whole_passed=True, rest_passed=True) is AnswerStatus.UNVERIFIED
    assert "999.1" not in str(gated.removed)


def test_verified_is_what_holds_as_a_whole_and_as_what_is_left() -> None:
    """RS-323: a bad answer is not made a verified one by taking most of it out."""
    gated = pass_gate(*answer_of([GOOD]), QUESTION)
    for whole in (True, False):
        for rest in (True, False):
            expected = AnswerStatus.VERIFIED if whole and rest else AnswerStatus.UNVERIFIED
            assert decide_status(gated, whole_passed=whole, rest_passed=rest) is expected


def test_an_answer_of_which_nothing_is_left_is_refused() -> None:
    """RS-324: sentences that only lead through it are nothing; an empty answer is nothing."""
    for claims in ([BAD, FRAME], [FAKE], [BARE], []):
        gated = pass_gate(*answer_of(list(claims)), QUESTION)
        assert gated.is_empty
        status = decide_status(gated, whole_passed=True, rest_passed=True)
        assert status is AnswerStatus.REFUSED


def test_headings_carry_no_figure_that_stands_nowhere() -> None:
    """RS-325: nobody verifies headings, so what they say must stand below them."""
    synthesis, claims = answer_of(
        [GOOD],
        ("Up to 12 tonnes", [OTHER]),
        ("Up to 8 tonnes", [GOOD]),
        ("Standard 315", [OTHER]),
        title="The 900 tonne crane",
    )
    gated = pass_gate(synthesis, claims, QUESTION)
    headings = [section.heading for section in gated.synthesis.sections]
    assert headings == ["More", "Up to 8 tonnes", "Standard 315"]
    assert gated.synthesis.title == QUESTION


def test_a_short_answer_that_went_is_replaced_by_what_is_left() -> None:
    """RS-326: and a section that is empty goes with its claims."""
    synthesis, claims = answer_of([BAD], ("Gone", [BARE]), ("Crane", [GOOD, OTHER]))
    gated = pass_gate(synthesis, claims, QUESTION)
    assert [each.text for each in gated.synthesis.summary] == [GOOD.claim.text]
    assert [section.heading for section in gated.synthesis.sections] == ["Crane"]


def test_a_claim_that_still_stands_elsewhere_is_not_told_as_removed() -> None:
    """RS-321: the same sentence with a wrong and with a right citation."""
    wrong = judged(GOOD.claim.text, "unsupported", "100.2")
    gated = pass_gate(*answer_of([wrong], ("Crane", [GOOD, BAD, BAD])), QUESTION)
    assert [each.text for each in gated.removed] == [BAD.claim.text]
