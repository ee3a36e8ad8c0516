"""A small model reads a paragraph and a claim about it: other words, small changes, long texts."""

from collections.abc import Sequence

import pytest

from bottega.core.readers.claim_reader import CrossClaimReader

PARAGRAPH = (
    "The harbour master may close the northern gate for up to three hours when the wind exceeds "
    "eight Beaufort. Skippers shall be told at least thirty minutes before. A closure cannot be "
    "undone before its time has run out."
)


async def support(text: str, claims: Sequence[str]) -> list[float]:
    readings = await CrossClaimReader().read([(claim, [text]) for claim in claims])
    return [each.supported for each in readings]


@pytest.mark.requirement("LB-246")
@pytest.mark.parametrize(
    ("same", "other"),
    [
        ("Once ordered, a closure is irreversible.", "A closure may be reversed at any time."),
        (
            "In strong winds the gate in the north can be shut.",
            "The gate in the north must never be shut.",
        ),
        ("Captains are warned 30 minutes or more ahead.", "Captains need no warning."),
    ],
)
async def test_other_words_for_the_same_are_likelier_than_for_something_else(
    same: str, other: str
) -> None:
    """Hardly a word is shared."""
    said, unsaid = await support(PARAGRAPH, [same, other])
    assert said > unsaid


@pytest.mark.requirement("LB-246")
async def test_the_same_words_for_something_else_are_not() -> None:
    """Hardly a word is changed."""
    claims = [
        "Skippers may be told at least thirty minutes before.",
        "The harbour master may close the southern gate for up to three hours.",
        "Skippers may close the northern gate when the wind exceeds eight Beaufort.",
        "A closure can be undone before its time has run out.",
    ]
    assert max(await support(PARAGRAPH, claims)) < 0.5


@pytest.mark.requirement("LB-247")
async def test_a_long_paragraph_is_read_where_it_speaks_of_the_claim() -> None:
    """What stands at its end, behind some thousand words, and at its beginning."""
    filler = "The quay is swept on every working day, and the lamps are lit at dusk. " * 80
    text = f"The crane is inspected once a year. {filler} Visitors leave the pier by nine."
    said = await support(
        text,
        [
            "The crane is inspected every year.",
            "Visitors leave the pier by nine.",
            "Visitors may stay on the pier until midnight.",
        ],
    )
    assert said[0] > 0.5
    assert said[1] > said[2]


@pytest.mark.requirement("LB-247")
async def test_a_claim_without_end_is_read_as_far_as_it_fits() -> None:
    endless = "港口" * 5_000
    for text, claim in ((PARAGRAPH, endless), (endless, PARAGRAPH), ("", "")):
        assert len(await support(text, [claim])) == 1
