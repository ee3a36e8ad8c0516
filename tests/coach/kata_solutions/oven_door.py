from collections.abc import Iterator
from contextlib import contextmanager


class Oven:
    def __init__(self, heating: bool = True) -> None:
        self.heating = heating
        self.door_open = False
        self.log: list[str] = []


@contextmanager
def open_door(oven: Oven) -> Iterator[Oven]:
    was_heating = oven.heating
    oven.heating, oven.door_open = False, True
    try:
        yield oven
    finally:
        oven.heating, oven.door_open = was_heating, False


WRONG = """
from contextlib import contextmanager


class Oven:
    def __init__(self, heating=True):
        self.heating = heating
        self.door_open = False
        self.log = []


@contextmanager
def open_door(oven):
    was_heating = oven.heating
    oven.heating, oven.door_open = False, True
    yield oven
    oven.heating, oven.door_open = was_heating, False
"""

OVEN = """
class Oven:
    def __init__(self, heating=True):
        self.heating = heating
        self.door_open = False
        self.log = []


"""

BREAKS = {
    "With a yield": OVEN
    + """
class open_door:
    def __init__(self, oven):
        self.oven = oven

    def __enter__(self):
        self.was_heating = self.oven.heating
        self.oven.heating, self.oven.door_open = False, True
        return self.oven

    def __exit__(self, *error):
        self.oven.heating, self.oven.door_open = self.was_heating, False
""",
    "Nothing is swallowed": OVEN
    + """
from contextlib import contextmanager


@contextmanager
def open_door(oven):
    was_heating = oven.heating
    oven.heating, oven.door_open = False, True
    try:
        yield oven
    except BaseException:
        oven.heating, oven.door_open = was_heating, False
        raise
    oven.heating, oven.door_open = was_heating, False
""",
}
