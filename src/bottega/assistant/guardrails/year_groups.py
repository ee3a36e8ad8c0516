"""How old a class is, from what its profile says: `S3`, `Year 9`, `Grade 8`, `ages 12 to 14`."""

import re
from collections.abc import Callable
from dataclasses import dataclass

_AGES = re.compile(
    r"\b(?:ages?|aged)\s*:?\s*(?P<from>\d{1,2})(?:\s*(?:-|–|to|and)\s*(?P<to>\d{1,2}))?\b"
    r"|\b(?P<olds>\d{1,2})(?:\s*(?:-|–|to)\s*(?P<olds_to>\d{1,2}))?[-\s]year[-\s]olds?\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class YearGroup:
    #: As the profile has it.
    name: str
    youngest: int
    oldest: int


Ages = Callable[[int], tuple[int, int]]

#: The youngest and the oldest of a year, by how the year is called.
_YEARS: tuple[tuple[re.Pattern[str], Ages], ...] = (
    (re.compile(r"\b(?:S|Secondary\s)([1-6])\b"), lambda year: (year + 10, year + 12)),
    (re.compile(r"\b(?:P|Primary\s)([1-7])\b"), lambda year: (year + 3, year + 5)),
    (re.compile(r"\b(?:Year|Yr\.?|Y)\s?(1[0-3]|[1-9])\b", re.I), lambda year: (year + 4, year + 5)),
    (re.compile(r"\bGrade\s?(1[0-2]|[1-9])\b", re.I), lambda y: (y + 5, y + 6)),
    (re.compile(r"\b(1[0-2]|[1-9])(?:st|nd|rd|th)\s+grade\b", re.I), lambda y: (y + 5, y + 6)),
    (
        re.compile(r"\b(?:KS|Key\sStage\s)([1-5])\b", re.IGNORECASE),
        lambda stage: ((5, 7), (7, 11), (11, 14), (14, 16), (16, 18))[stage - 1],
    ),
)


def year_group(profile: str) -> YearGroup | None:
    """What a profile says first; ages go before the name of a year."""
    if found := _AGES.search(profile):
        youngest = int(found["from"] or found["olds"])
        oldest = int(found["to"] or found["olds_to"] or youngest)
        if 3 <= youngest <= oldest <= 25:
            return YearGroup(found[0], youngest, oldest)
    named = [
        (found.start(), YearGroup(found[0], *ages(int(found[1]))))
        for pattern, ages in _YEARS
        if (found := pattern.search(profile))
    ]
    return min(named, key=lambda each: each[0])[1] if named else None
