from collections.abc import Callable

SECONDS_PER_CENT = 30


class Meter:
    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._up_at = clock()

    def pay(self, cents: int) -> None:
        self._up_at = self._clock() + self.left() + cents * SECONDS_PER_CENT

    def left(self) -> float:
        return max(self._up_at - self._clock(), 0)

    def expired(self) -> bool:
        return self.left() == 0


WRONG = """
class Meter:
    def __init__(self, clock):
        self.clock = clock
        self.up_at = clock()

    def pay(self, cents):
        self.up_at += 30 * cents

    def left(self):
        return max(self.up_at - self.clock(), 0)

    def expired(self):
        return self.left() == 0
"""

BREAKS = {
    "No clock of its own": """
import time


class Meter:
    def __init__(self, clock=time.monotonic):
        self.clock = clock
        self.up_at = clock()

    def pay(self, cents):
        self.up_at = max(self.up_at, self.clock()) + 30 * cents

    def left(self):
        return max(self.up_at - self.clock(), 0)

    def expired(self):
        return self.left() == 0
""",
    "One number": """
class Meter:
    def __init__(self, clock):
        self.clock = clock
        self.paid_at = clock()
        self.bought = 0

    def pay(self, cents):
        self.bought = self.left() + 30 * cents
        self.paid_at = self.clock()

    def left(self):
        return max(self.paid_at + self.bought - self.clock(), 0)

    def expired(self):
        return self.left() == 0
""",
}
