from itertools import accumulate


def till_roll(sales: list[int]) -> list[int]:
    return list(accumulate(sales))


WRONG = """
def till_roll(sales):
    total, roll = 0, []
    for sale in sales:
        roll.append(total)
        total += sale
    return roll
"""

BY_INDEX = """
def till_roll(sales):
    return [sum(sales[: i + 1]) for i in range(len(sales))]
"""

BREAKS = {
    "No index": BY_INDEX,
    "One pass": BY_INDEX,
    "The library knows this": BY_INDEX,
}
