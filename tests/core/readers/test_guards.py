"""Three guards: numbers with their units, denials of what is nearly verbatim, how binding it is."""

import pytest

from bottega.core.readers.guards import MODALITY, NEGATION, NUMBERS, find_objections

OVEN = "The baker shall clean the oven within two hours of closing."
PASS = "The warden may issue a day pass to a guest whose bag has been searched."


def objections(claim: str, text: str) -> list[str]:
    return [each.guard for each in find_objections(claim, text, text)]


@pytest.mark.requirement("LB-208")
@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("The baker shall clean the oven within three hours of closing.", OVEN),
        ("A lift shall not carry more than nine persons.", "A lift shall not carry more than 8."),
        ("Lines have fewer than 60 characters.", "Lines have fewer than 80 characters."),
        ("Version 1.6.2 and later do so.", "Version 1.6.3 and later do so."),
        ("Every 5th snapshot is detailed.", "Every 10th snapshot is detailed."),
        ("Children pay EUR 12.", "Adults pay EUR 12, and children pay EUR 6."),
    ],
)
def test_another_number_is_objected_to(claim: str, text: str) -> None:
    """Also the number of something else."""
    assert NUMBERS in objections(claim, text)


@pytest.mark.requirement("LB-209")
def test_a_limit_is_not_turned_round() -> None:
    paragraph = "The fee may be up to EUR 50."
    assert objections("The fee may be at most 50 euros.", paragraph) == []
    assert objections("The fee may be at least EUR 50.", paragraph) == [NUMBERS]
    assert objections("The fee may be EUR 50.", paragraph) == [NUMBERS]


@pytest.mark.requirement("LB-210")
@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("Cheques are accepted.", "Cheques are not accepted."),
        ("Water is not included in the rent.", "Water is included in the rent."),
        ("The list includes spoons.", "The list includes forks but not spoons."),
    ],
)
def test_a_denial_of_the_same_words_is_objected_to(claim: str, text: str) -> None:
    assert NEGATION in objections(claim, text)


@pytest.mark.requirement("LB-214")
@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("Guests shall pay after they enter.", "Guests shall pay before they enter."),
        ("The valve decreases the pressure.", "The valve increases the pressure."),
    ],
)
def test_the_opposite_direction_is_objected_to(claim: str, text: str) -> None:
    (objection,) = find_objections(claim, text, text)
    assert objection.guard == NEGATION
    assert objection.reason.startswith("the claim says “")


@pytest.mark.requirement("LB-211")
@pytest.mark.parametrize("modal", ["may", "should", "need not", "shall not", "can"])
def test_a_duty_is_nothing_less_and_nothing_else(modal: str) -> None:
    assert set(objections(OVEN.replace("shall", modal), OVEN)) & {MODALITY, NEGATION}


@pytest.mark.requirement("LB-211")
@pytest.mark.parametrize("modal", ["shall", "must", "should", "has to", "is required to"])
def test_a_permission_is_no_duty(modal: str) -> None:
    assert MODALITY in objections(PASS.replace("may", modal), PASS)


@pytest.mark.requirement("LB-211", "LB-254")
@pytest.mark.parametrize("modal", ["must", "has to", "is obliged to", "is required to"])
def test_other_words_for_a_duty_are_the_same_duty(modal: str) -> None:
    assert objections(OVEN.replace("shall", modal), OVEN) == []


@pytest.mark.requirement("LB-243", "LB-245", "LB-254")
@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ("The oven is not cleaned.", "The baker leaves the oven uncleaned."),
        ("Do not open the gate prior to noon.", "Don't open the gate before noon."),
        ("A visitor who does not pay is sent away.", "A visitor who fails to pay is sent away."),
        ("Only the librarian may open the vault.", "Nobody but the librarian may open the vault."),
        ("Within 120 minutes of closing, the baker must clean the oven.", OVEN),
        ("The cook shall clean the oven within two hours of closing.", OVEN),
    ],
)
def test_nothing_else_is_objected_to(claim: str, text: str) -> None:
    """Other words for a denial, and whatever is for the reader to tell."""
    assert objections(claim, text) == []
