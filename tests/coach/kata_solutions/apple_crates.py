from collections.abc import Iterable, Iterator
from itertools import islice


def crates(apples: Iterable[str], size: int) -> Iterator[list[str]]:
    belt = iter(apples)
    while crate := list(islice(belt, size)):
        yield crate


WRONG = """
def crates(apples, size):
    crate = []
    for apple in apples:
        crate.append(apple)
        if len(crate) == size:
            yield crate
            crate = []
    yield crate
"""

BREAKS = {
    "Really a generator": """
class Crates:
    def __init__(self, apples, size):
        self.belt, self.size = iter(apples), size

    def __iter__(self):
        return self

    def __next__(self):
        crate = []
        for apple in self.belt:
            crate.append(apple)
            if len(crate) == self.size:
                break
        if not crate:
            raise StopIteration
        return crate


def crates(apples, size):
    return Crates(apples, size)
""",
    "No counting": """
def crates(apples, size):
    crate, filled = [], 0
    for apple in apples:
        crate.append(apple)
        filled += 1
        if filled == size:
            yield crate
            crate, filled = [], 0
    if crate:
        yield crate
""",
}
