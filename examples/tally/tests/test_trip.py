import pytest
from tally import Transfer, Trip


def test_one_payer_is_paid_back_by_the_others() -> None:
    trip = Trip(["ada", "ben", "cleo"])
    trip.pay("ada", 90, "hotel")
    assert sorted(trip.settle(), key=lambda t: t.giver) == [
        Transfer("ben", "ada", 30),
        Transfer("cleo", "ada", 30),
    ]


def test_a_stranger_cannot_pay() -> None:
    with pytest.raises(ValueError, match="zoe"):
        Trip(["ada"]).pay("zoe", 1, "tea")
