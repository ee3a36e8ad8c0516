from collections.abc import Iterable
from math import ceil
from typing import Protocol


class Priced(Protocol):
    def price(self) -> int: ...


class Letter:
    def __init__(self, grams: int) -> None:
        self.is_light = grams <= 20

    def price(self) -> int:
        return {True: 80, False: 150}[self.is_light]


class Box:
    def __init__(self, grams: int) -> None:
        self.grams = grams

    def price(self) -> int:
        return 400 + 100 * ceil(self.grams / 1000)


class Tube:
    def __init__(self, centimetres: int) -> None:
        self.centimetres = centimetres

    def price(self) -> int:
        return 9 * self.centimetres


def total(things: Iterable[Priced]) -> int:
    return sum(thing.price() for thing in things)


WRONG = """
class Letter:
    def __init__(self, grams):
        self.grams = grams

    def price(self):
        return 80 if self.grams <= 20 else 150


class Box(Letter):
    def price(self):
        return 400 + 100 * (self.grams // 1000 + 1)


class Tube:
    def __init__(self, centimetres):
        self.centimetres = centimetres

    def price(self):
        return 9 * self.centimetres


def total(things):
    return sum(thing.price() for thing in things if isinstance(thing, (Letter, Tube)))
"""

INHERITING = """
class Letter:
    def __init__(self, grams):
        self.grams = grams

    def price(self):
        return 80 if self.grams <= 20 else 150


class Box(Letter):
    def price(self):
        return 400 + 100 * -(-self.grams // 1000)


class Tube:
    def __init__(self, centimetres):
        self.centimetres = centimetres

    def price(self):
        return 9 * self.centimetres


def total(things):
    return sum(thing.price() for thing in things)
"""

BREAKS = {"No questions about types": INHERITING, "Say what you expect": INHERITING}
