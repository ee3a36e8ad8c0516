"""Lists and ranges of references: "5–7" is 5, 6 and 7; "12(a)–(c)" is (a), (b) and (c) of 12."""

import re
from collections.abc import Iterator

MOST_IN_RANGE = 100

_SPLIT = re.compile(
    r"\s*(?:(?P<to>\bto\b|\bthrough\b|[–—-])|,\s*(?:and\b|or\b)?|\band\b|\bor\b|&)\s*"
)
_LAST = re.compile(r"(.*?)(\d+|(?<=\()[a-z](?=\)))(\)?)$")


def expand(listed: str) -> Iterator[str]:
    """Every reference of a list, ranges filled in; an impossible range is its two ends."""
    previous = ""
    is_range = False
    position = 0
    for separator in [*_SPLIT.finditer(listed), None]:
        end = separator.start() if separator else len(listed)
        ref = "".join(listed[position:end].split())
        if ref.startswith("(") and previous:  # "12(a) and (b)"
            ref = previous[: previous.rfind("(")] + ref if "(" in previous else previous + ref
        if is_range and ref.isdigit() and (stem := _LAST.match(previous)):
            ref = stem.group(1) + ref  # "A12–15" ends at A15
        if ref:
            yield from _between(previous, ref) if is_range else ()
            yield ref
            previous = ref
        is_range = bool(separator and separator.group("to"))
        position = separator.end() if separator else end


def _between(first: str, last: str) -> Iterator[str]:
    begin, end = _LAST.match(first), _LAST.match(last)
    if not begin or not end or begin.group(3) != end.group(3):
        return
    stem = begin.group(1)
    if end.group(1) != stem:
        return
    low, high = begin.group(2), end.group(2)
    if low.isdigit() and high.isdigit():
        if 0 < int(high) - int(low) <= MOST_IN_RANGE:
            yield from (f"{stem}{n}{begin.group(3)}" for n in range(int(low) + 1, int(high)))
    elif low.isalpha() and high.isalpha():
        between = range(ord(low) + 1, ord(high))
        yield from (f"{stem}{chr(code)}{begin.group(3)}" for code in between)
