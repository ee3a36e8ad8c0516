"""One check at a time, each with what passes it and what does not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bottega.library.judging.judge import judge_claim
from bottega.library.judging.verdicts import ErrorCategory, Judgement, MatchLevel, Verdict
from tests.library.judging.labelled import embed

OVEN = "The baker shall clean the oven within two hours of closing."
PASS = "The warden may issue a day pass to a guest whose bag has been searched."
KEY = "Nobody but the librarian may open the vault."
CAP = "A lift shall not carry more than eight persons."
SHED = "Paint should be stored in the north shed, unless the shed is full."


def judge(claim: str, paragraph: str, **terms: str) -> Judgement:
    return judge_claim(claim, paragraph, terms=terms, embed=embed)


def failures(judgement: Judgement) -> set[str]:
    return {check.name for check in judgement.checks if check.outcome == "failed"}


@pytest.mark.parametrize(
    ("claim", "paragraph"),
    [
        ("The oven has to be cleaned by the baker.", OVEN),
        ("Within 120 minutes of closing, the baker must clean the oven.", OVEN),
        ("A day pass may be issued to guests whose bags were searched.", PASS),
        ("Only the librarian may open the vault.", KEY),
        ("The vault may be opened by the librarian.", KEY),
        ("Up to eight persons may be carried by a lift.", CAP),
        ("Unless the north shed is full, paint should be kept in it.", SHED),
        ("According to the house rules, the baker must clean the oven.", OVEN),
        ("The standard says that the oven has to be cleaned by the baker.", OVEN),
    ],
)
def test_a_paraphrase_or_a_part_is_supported(claim: str, paragraph: str) -> None:
    """LB-217."""
    judgement = judge(claim, paragraph)
    assert judgement.leaning is Verdict.SUPPORTED, judgement.reasons


@pytest.mark.parametrize(
    ("claim", "paragraph", "check"),
    [
        ("The baker shall clean the oven within three hours of closing.", OVEN, "numbers"),
        ("A lift shall not carry more than nine persons.", CAP, "numbers"),
    ],
)
def test_another_number_is_not_supported(claim: str, paragraph: str, check: str) -> None:
    """LB-208."""
    judgement = judge(claim, paragraph)
    assert judgement.verdict is Verdict.UNSUPPORTED
    assert check in failures(judgement)


def test_the_number_of_something_else_is_not_supported() -> None:
    """LB-208."""
    paragraph = "Adults pay EUR 12, and children pay EUR 6."
    assert judge("Children pay EUR 6.", paragraph).verdict is Verdict.SUPPORTED
    assert "numbers" in failures(judge("Children pay EUR 12.", paragraph))


def test_a_limit_is_not_turned_round() -> None:
    """LB-209."""
    paragraph = "The fee may be up to EUR 50."
    assert judge("The fee may be at most 50 euros.", paragraph).verdict is Verdict.SUPPORTED
    assert "numbers" in failures(judge("The fee may be at least EUR 50.", paragraph))
    assert "numbers" in failures(judge("The fee may be EUR 50.", paragraph))


@pytest.mark.parametrize(
    ("claim", "paragraph"),
    [
        ("Cheques are accepted.", "Cheques are not accepted."),
        ("Water is not included in the rent.", "Water is included in the rent."),
        ("The list includes spoons.", "The list includes forks but not spoons."),
        ("Flares may not be sold.", "Fireworks shall not be sold, except flares."),
    ],
)
def test_a_denial_is_not_supported(claim: str, paragraph: str) -> None:
    """LB-210."""
    judgement = judge(claim, paragraph)
    assert judgement.verdict is Verdict.UNSUPPORTED
    assert failures(judgement) & {"negation", "modality", "conditions"}


@pytest.mark.parametrize("modal", ["may", "should", "need not", "shall not", "can"])
def test_a_duty_is_nothing_less_and_nothing_else(modal: str) -> None:
    """LB-211."""
    judgement = judge(OVEN.replace("shall", modal), OVEN)
    assert judgement.verdict is Verdict.UNSUPPORTED
    assert "modality" in failures(judgement)


@pytest.mark.parametrize("modal", ["shall", "must", "should", "has to", "is required to"])
def test_a_permission_is_no_duty(modal: str) -> None:
    """LB-211."""
    assert "modality" in failures(judge(PASS.replace("may", modal), PASS))


@pytest.mark.parametrize("modal", ["must", "has to", "is obliged to", "is required to"])
def test_other_words_for_a_duty_are_the_same_duty(modal: str) -> None:
    """LB-211."""
    assert judge(OVEN.replace("shall", modal), OVEN).verdict is Verdict.SUPPORTED


def test_only_and_all_are_not_added() -> None:
    """LB-212."""
    paragraph = "Some members may vote by letter."
    assert "quantifiers" in failures(judge("All members may vote by letter.", paragraph))
    assert "quantifiers" in failures(judge("Only members may swim.", "Members may swim."))


@pytest.mark.parametrize(
    ("claim", "paragraph"),
    [
        ("The guard shall obey the driver.", "The driver shall obey the guard."),
        ("The cook shall clean the oven within two hours of closing.", OVEN),
        ("The oven shall be cleaned by the waiter.", OVEN),
        ("Anyone may open the vault.", "Only the librarian may open the vault."),
    ],
)
def test_another_actor_is_not_supported(claim: str, paragraph: str) -> None:
    """LB-213."""
    judgement = judge(claim, paragraph)
    assert judgement.verdict is Verdict.UNSUPPORTED
    assert failures(judgement) & {"roles", "things", "names"}


@pytest.mark.parametrize(
    ("claim", "paragraph"),
    [
        ("Guests shall pay after they enter.", "Guests shall pay before they enter."),
        ("The valve decreases the pressure.", "The valve increases the pressure."),
        ("Paint should be stored in the south shed, unless the shed is full.", SHED),
    ],
)
def test_the_opposite_direction_is_not_supported(claim: str, paragraph: str) -> None:
    """LB-214."""
    assert "direction" in failures(judge(claim, paragraph))


@pytest.mark.parametrize(
    ("claim", "paragraph"),
    [
        ("Paint should be stored in the north shed.", SHED),
        ("The warden may issue a day pass to a guest.", PASS),
        ("The clerk shall sign payments.", "The clerk shall sign payments of more than EUR 500."),
        ("Swimming is allowed.", "Swimming is allowed from 1 May to 30 September."),
        ("Fireworks shall not be sold.", "Fireworks shall not be sold, except flares."),
        ("Boats may moor here in all cases.", "Boats may moor here if a buoy is free."),
    ],
)
def test_a_dropped_condition_is_not_supported(claim: str, paragraph: str) -> None:
    """LB-215."""
    judgement = judge(claim, paragraph)
    assert judgement.verdict is Verdict.UNSUPPORTED
    assert "conditions" in failures(judgement)


@pytest.mark.parametrize(
    ("claim", "paragraph"),
    [
        ("The baker shall clean the oven and the chimney within two hours of closing.", OVEN),
        ("Scripts must use /usr/bin/perl.", "Scripts must use /usr/bin/python3."),
        ("The tide table is published in autumn.", OVEN),
    ],
)
def test_what_is_not_there_is_not_supported(claim: str, paragraph: str) -> None:
    """LB-216."""
    judgement = judge(claim, paragraph)
    assert judgement.verdict is Verdict.UNSUPPORTED
    assert judgement.error_category is ErrorCategory.CONTENT_MISMATCH


def test_a_defined_term_has_to_be_there_itself() -> None:
    """LB-216."""
    terms = {"Warden": "the person who keeps the gate", "Porter": "the person who carries bags"}
    judgement = judge(
        "The porter may issue a day pass.", "The warden may issue a day pass.", **terms
    )
    assert failures(judgement) & {"names", "roles"}


def test_a_term_may_be_claimed_in_the_words_of_its_definition() -> None:
    """LB-218."""
    paragraph = "A long boat shall carry a lamp."
    definition = "a boat with a length of 24 metres or more"
    claim = "A boat with a length of 24 metres or more shall carry a lamp."
    assert judge(claim, paragraph, **{"Long boat": definition}).verdict is Verdict.SUPPORTED
    assert judge(claim, paragraph).verdict is Verdict.UNSUPPORTED


def test_a_judgement_says_what_is_wrong() -> None:
    """LB-219."""
    wrong = judge("The baker shall clean the oven within three hours of closing.", OVEN)
    assert wrong.reasons == ("the claim says “three hours”, the paragraph two hours",)
    assert wrong.error_category is ErrorCategory.CONTENT_MISMATCH
    assert judge(OVEN, OVEN).match_level is MatchLevel.EXACT
    assert judge("The tide table is published.", OVEN).match_level is MatchLevel.NONE


def test_the_rules_work_without_an_embedder() -> None:
    """LB-222."""
    assert judge_claim("The baker must clean the oven.", OVEN).verdict is Verdict.SUPPORTED
    assert judge_claim("The baker may clean the oven.", OVEN).verdict is Verdict.UNSUPPORTED


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=200), st.text(max_size=300))
def test_judging_any_text_gives_the_same_verdict_twice(claim: str, paragraph: str) -> None:
    """LB-221."""
    first = judge_claim(claim, paragraph)
    assert 0 <= first.score <= 1
    assert judge_claim(claim, paragraph) == first
