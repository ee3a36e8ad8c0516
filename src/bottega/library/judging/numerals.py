"""Numbers and units as they are written: "two thousand", "1.450", "weeks", "euros"."""

import re

from bottega.library.judging.words import concept

_UNITS_OF_TEN = {
    word: number
    for number, word in zip(
        range(20, 100, 10),
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"],
        strict=True,
    )
}
NUMBER_WORDS = {
    word: number
    for number, word in enumerate(
        [
            *["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"],
            *["ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen"],
            *["seventeen", "eighteen", "nineteen"],
        ]
    )
} | _UNITS_OF_TEN
ORDINALS = {
    word: number
    for number, word in enumerate(
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"], start=1
    )
} | {"ninth": 9, "tenth": 10}
MULTIPLES = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "dozen": 12}
FRACTIONS = {"half": 50.0, "halves": 50.0, "quarter": 25.0, "third": 100 / 3}
FREQUENCIES = {"once": 1, "twice": 2, "thrice": 3}
#: To one unit a dimension. Months and years stay apart from days: they have no fixed length.
UNITS = {
    "second": ("minute", 1 / 60),
    "minute": ("minute", 1),
    "hour": ("minute", 60),
    "day": ("day", 1),
    "week": ("day", 7),
    "fortnight": ("day", 14),
    "month": ("month", 1),
    "year": ("month", 12),
    "decade": ("month", 120),
    "metre": ("metre", 1),
    "meter": ("metre", 1),
    "centimetre": ("metre", 0.01),
    "centimeter": ("metre", 0.01),
    "kilometre": ("metre", 1000),
    "gram": ("gram", 1),
    "kilogram": ("gram", 1000),
    "tonne": ("gram", 1_000_000),
    "ton": ("gram", 1_000_000),
    "euro": ("EUR", 1),
    "dollar": ("USD", 1),
    "percent": ("%", 1),
}
MEASURES = frozenset(
    [
        *["minute", "day", "month", "metre", "gram", "EUR", "USD", "GBP", "%"],
        *["date", "clock", "ordinal", "working day"],
    ]
)
CURRENCIES = {"€": "EUR", "$": "USD", "£": "GBP", "eur": "EUR", "usd": "USD", "gbp": "GBP"}
MONTHS = [
    *["january", "february", "march", "april", "may", "june", "july", "august"],
    *["september", "october", "november", "december"],
]
_NOT_COUNTED = frozenset(
    [
        "in",
        "on",
        "at",
        "by",
        "for",
        "from",
        "to",
        "of",
        "or",
        "and",
        "the",
        "a",
        "an",
        "is",
        "are",
        "was",
        "were",
        "be",
        "with",
        "within",
        "before",
        "after",
        "if",
        "unless",
        "when",
        "while",
        "have",
        "has",
        "had",
        "shall",
        "must",
        "may",
        "should",
        "can",
        "per",
        "that",
        "who",
        "which",
        "lie",
        "it",
        "as",
        "not",
        "than",
        "begun",
        "does",
        "all",
        "more",
        "less",
    ]
) | {"other", "another", "new"}


def number(text: str) -> float:
    """1,450 and 1.450 are thousands where three digits follow; otherwise the sign is decimal."""
    lower = text.lower()
    if lower[0].isdigit():
        if re.fullmatch(r"\d{1,3}(?:[.,]\d{3})+", lower) and not lower.startswith("0"):
            return float(re.sub(r"[.,]", "", lower))
        whole, sign, decimals = re.match(r"([\d.,]*?)(?:([.,])(\d{1,2}|\d{4,}))?$", lower).groups()  # type: ignore[union-attr]
        return float(re.sub(r"[.,]", "", whole) + (f".{decimals}" if sign else ""))
    total = current = 0
    for word in re.split(r"[ -]+", lower):
        if word in MULTIPLES:
            current = max(current, 1) * MULTIPLES[word]
            if MULTIPLES[word] >= 1000:
                total, current = total + current, 0
        else:
            current += NUMBER_WORDS.get(word, 0)
    return float(total + current)


def is_unit(word: str | None) -> bool:
    return bool(word) and str(word).lower().rstrip("s").split()[-1] in UNITS


def with_unit(value: float, unit: str) -> tuple[float, str]:
    """In the base unit of its dimension; whole days in hours are days: 72 hours are 3 days."""
    *kind, last = unit.lower().split() or [""]
    name = last[:-1] if last.endswith("s") and not last.endswith("ss") else last
    name = {"children": "child", "people": "person", "foot": "foot", "feet": "foot"}.get(last, name)
    if kind and kind[0] == "working":
        return value, f"working {name}"
    if name in CURRENCIES:
        return value, CURRENCIES[name]
    if name not in UNITS:
        return value, concept(name) if name not in _NOT_COUNTED else ""
    base, factor = UNITS[name]
    total = value * factor
    if base == "minute" and total >= 24 * 60 and total % (24 * 60) == 0:
        return total / (24 * 60), "day"
    return total, base
