from collections.abc import Sequence


def reading_at(minutes: Sequence[int], now: int) -> int:
    low, high = 0, len(minutes)
    while low < high:
        middle = (low + high) // 2
        if minutes[middle] <= now:
            low = middle + 1
        else:
            high = middle
    return low - 1


WRONG = """
from bisect import bisect_left


def reading_at(minutes, now):
    return bisect_left(minutes, now) - 1
"""

BREAKS = {
    "By hand": """
from bisect import bisect_right


def reading_at(minutes, now):
    return bisect_right(minutes, now) - 1
""",
    "No early way out": """
def reading_at(minutes, now):
    low, high = 0, len(minutes) - 1
    if high < 0 or minutes[0] > now:
        return -1
    while low < high:
        middle = (low + high + 1) // 2
        if minutes[middle] == now:
            return middle
        if minutes[middle] < now:
            low = middle
        else:
            high = middle - 1
    return low
""",
}
