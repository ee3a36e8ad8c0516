from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Pin:
    east: int
    north: int
    label: str = ""

    def moved(self, east: int = 0, north: int = 0) -> "Pin":
        return replace(self, east=self.east + east, north=self.north + north)


WRONG = """
from dataclasses import dataclass


@dataclass
class Pin:
    east: int
    north: int
    label: str = ""

    def moved(self, east=0, north=0):
        return Pin(self.east + east, self.north + north, self.label)
"""

BY_HAND = """
class Pin:
    def __init__(self, east, north, label=""):
        self.__dict__.update(east=east, north=north, label=label)

    def __setattr__(self, name, value):
        raise AttributeError(name)

    def __eq__(self, other):
        return self.__dict__ == other.__dict__

    def __hash__(self):
        return hash((self.east, self.north, self.label))

    def __repr__(self):
        return f"Pin(east={self.east}, north={self.north}, label={self.label!r})"

    def moved(self, east=0, north=0):
        return Pin(self.east + east, self.north + north, self.label)
"""

BREAKS = {"Let the decorator write it": BY_HAND, "Moved, not rebuilt": BY_HAND}
