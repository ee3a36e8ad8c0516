from collections.abc import Callable

PRICES = {
    (5, 1): 0,
    (6, 1): 5,
    (17, 1): 5,
    (18, 1): 12,
    (64, 9): 12,
    (65, 1): 8,
    (18, 10): 9,
    (64, 10): 9,
    (5, 10): 0,
    (6, 10): 5,
    (65, 10): 8,
}


def check_ticket(ticket: Callable[[int, int], int]) -> None:
    for (age, group), price in PRICES.items():
        assert ticket(age, group) == price, f"{age} years, group of {group}: should be {price}"


WRONG = """
def check_ticket(ticket):
    for age, price in ((3, 0), (5, 0), (6, 5), (17, 5), (18, 12), (64, 12), (65, 8)):
        assert ticket(age, 1) == price
    assert ticket(30, 20) == 9
"""

BARE = """
def check_ticket(ticket):
    for age, price in ((5, 0), (6, 5), (17, 5), (18, 12), (64, 12), (65, 8)):
        assert ticket(age, 9) == price
    for age, price in ((5, 0), (17, 5), (18, 9), (65, 8)):
        assert ticket(age, 10) == price
"""

BREAKS = {"Say which one": BARE, "A table of examples": BARE}
