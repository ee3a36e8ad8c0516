import re

DEPARTURE = re.compile(
    r"""
    (?P<time>(?:[01]\d|2[0-3]):[0-5]\d)     # 00:00 to 23:59
    [ ]depart[ ](?P<origin>[A-Za-z ]+)      # harbours may have several words
    [ ]->[ ](?P<destination>[A-Za-z ]+)
    [ ]\((?P<cars>\d+)[ ]cars?\)
    """,
    re.VERBOSE,
)


def departures(log: str) -> list[tuple[str, str, str, int]]:
    matches = (DEPARTURE.fullmatch(line) for line in log.splitlines())
    return [(m["time"], m["origin"], m["destination"], int(m["cars"])) for m in matches if m]


WRONG = r"""
import re


def departures(log):
    pattern = r"^([0-2]\d:[0-5]\d) depart ([A-Za-z ]+) -> ([A-Za-z ]+) \((\d+) cars?\)$"
    return [(t, a, b, int(cars)) for t, a, b, cars in re.findall(pattern, log, re.MULTILINE)]
"""

INLINE = r"""
import re


def departures(log):
    time = r"((?:[01]\d|2[0-3]):[0-5]\d)"
    pattern = "^" + time + r" depart ([A-Za-z ]+) -> ([A-Za-z ]+) \((\d+) cars?\)$"
    return [(t, a, b, int(cars)) for t, a, b, cars in re.findall(pattern, log, re.MULTILINE)]
"""

BREAKS = {
    "Named groups": INLINE,
    "Compiled once": INLINE,
    "A pattern one can read": INLINE,
}
