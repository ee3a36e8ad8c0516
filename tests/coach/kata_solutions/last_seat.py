from collections.abc import Callable, Generator


class Theatre:
    def __init__(self, free: int) -> None:
        self.free = free
        self.sold = 0


def sell(
    theatre: Theatre, seats: int, pay: Callable[[], Generator[None, None, bool]]
) -> Generator[None, None, str]:
    if theatre.free < seats:
        return "sold out"
    theatre.free -= seats
    paid = False
    try:
        paid = yield from pay()
    finally:
        if not paid:
            theatre.free += seats
    if not paid:
        return "unpaid"
    theatre.sold += seats
    return "sold"


WRONG = """
class Theatre:
    def __init__(self, free):
        self.free, self.sold = free, 0


def sell(theatre, seats, pay):
    if theatre.free < seats:
        return "sold out"
    theatre.free -= seats
    paid = yield from pay()
    if not paid:
        theatre.free += seats
        return "unpaid"
    theatre.sold += seats
    return "sold"
"""

CAREFUL = """
class Theatre:
    def __init__(self, free):
        self.free, self.sold = free, 0


def sell(theatre, seats, pay):
    if theatre.free < seats:
        return "sold out"
    theatre.free -= seats
    if theatre.free < 0:
        theatre.free += seats
        return "sold out"
    try:
        paid = yield from pay()
    except BaseException:
        theatre.free += seats
        raise
    if not paid:
        theatre.free += seats
        return "unpaid"
    theatre.sold += seats
    return "sold"
"""

BREAKS = {"Given back whatever happens": CAREFUL, "One look": CAREFUL}
