"""Numbers by what they mean."""

import pytest

from bottega.core.readers.quantities import Limit, find_quantities


@pytest.mark.requirement("LB-207")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("two weeks", "14 days"),
        ("72 hours", "three days"),
        ("half an hour", "30 minutes"),
        ("two years", "24 months"),
        ("a decade", "ten years"),
        ("half of the dues", "50 % of the dues"),
        ("a quarter of the crew", "25 percent of the crew"),
        ("EUR 1,000", "1.000 euros"),
        ("EUR 1.80", "1,80 euros"),
        ("€ 2,500", "two thousand five hundred euros"),
        ("30 November", "November 30th"),
        ("the end of November", "30 November"),
        ("06:00", "six in the morning"),
        ("9 p.m.", "21:00"),
        ("noon", "12:00"),
        ("0.5 metres", "50 centimetres"),
    ],
)
def test_the_same_amount_in_other_words_agrees(one: str, other: str) -> None:
    (here,), (there,) = find_quantities(one), find_quantities(other)
    assert here.agrees(there)
    assert there.agrees(here)


@pytest.mark.requirement("LB-207")
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("two weeks", "two months"),
        ("ten working days", "ten days"),
        ("EUR 14", "14 days"),
        ("1 March", "1 May"),
        ("12 months", "12 hours"),
        ("5 percent", "EUR 5"),
    ],
)
def test_other_amounts_do_not_agree(one: str, other: str) -> None:
    (here,), (there,) = find_quantities(one), find_quantities(other)
    assert not here.agrees(there)


@pytest.mark.requirement("LB-209")
@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("within 20 minutes", Limit.AT_MOST),
        ("no later than two hours before", Limit.AT_MOST),
        ("up to 8 tonnes", Limit.AT_MOST),
        ("by 30 November", Limit.AT_MOST),
        ("a week at the latest", Limit.AT_MOST),
        ("shall not be longer than eight hours", Limit.AT_MOST),
        ("at least 48 hours", Limit.AT_LEAST),
        ("24 metres or more", Limit.AT_LEAST),
        ("more than EUR 100", Limit.OVER),
        ("shorter than six metres", Limit.UNDER),
        ("watched by two persons", Limit.EXACT),
    ],
)
def test_limits_are_recognised(text: str, limit: Limit) -> None:
    (quantity,) = find_quantities(text)
    assert quantity.limit is limit


@pytest.mark.requirement("LB-207")
def test_a_reference_is_not_a_number() -> None:
    assert find_quantities("see paragraphs 210.9 and 450.5") == ()
