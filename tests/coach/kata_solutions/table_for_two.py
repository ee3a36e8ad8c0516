from dataclasses import dataclass


@dataclass(frozen=True)
class Booking:
    guests: int
    terrace: bool
    high_chairs: int
    note: str
    minutes: int


def book(
    guests: int,
    *,
    terrace: bool = False,
    high_chairs: int = 0,
    note: str = "",
    minutes: int = 120,
) -> Booking:
    if guests < 1:
        raise ValueError(f"a table needs at least one guest, not {guests}")
    if not 0 <= high_chairs <= guests:
        raise ValueError(f"{high_chairs} high chairs do not fit {guests} guests")
    return Booking(guests, terrace, high_chairs, note, minutes)


WRONG = """
from dataclasses import dataclass


@dataclass
class book:
    guests: int
    terrace: bool = False
    high_chairs: int = 0
    note: str = ""
    minutes: int = 120

    def __post_init__(self):
        if self.guests < 1 or not 0 <= self.high_chairs <= self.guests:
            raise ValueError(self)
"""

UNTYPED = """
from types import SimpleNamespace


def book(guests, *unnamed, **wishes):
    booking = {"terrace": False, "high_chairs": 0, "note": "", "minutes": 120} | wishes
    if unnamed or len(booking) > 4:
        raise TypeError(wishes)
    if guests < 1 or not 0 <= booking["high_chairs"] <= guests:
        raise ValueError(guests)
    return SimpleNamespace(guests=guests, **booking)
"""

BREAKS = {
    "Say what you want": UNTYPED,
    "Typed from end to end": UNTYPED,
    "A result with names": UNTYPED,
}
