"""Numbers as they are written and as they are meant: value, what is counted, and the limit.

"two weeks" is 14 days, "half" is 50 %, "EUR 1,000" is "1.000 euros", "six in the morning" is 06:00,
"no later than" and "within" are upper limits.
"""

import re
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

from bottega.core.text.words import stem

_VOCABULARY = Path(__file__).with_name("vocabulary.toml")
_TABLES: dict[str, str] = tomllib.loads(_VOCABULARY.read_text("utf-8"))
SPELT = {name: _TABLES[name].split() for name in ("ones", "tens", "ordinals", "months")}
#: What may stand behind a number without being what it counts.
NOT_COUNTED = frozenset(_TABLES["not_counted"].split())
#: Texts whose numbers are remembered: one judgement looks at the same ones over and over.
KEPT_TEXTS = 2_000

NUMBER_WORDS = {word: number for number, word in enumerate(SPELT["ones"])} | {
    word: 10 * number for number, word in enumerate(SPELT["tens"], start=2)
}
ORDINALS = {word: number for number, word in enumerate(SPELT["ordinals"], start=1)}
MONTHS = SPELT["months"]
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
        return value, stem(name) if name not in NOT_COUNTED else ""
    base, factor = UNITS[name]
    total = value * factor
    if base == "minute" and total >= 24 * 60 and total % (24 * 60) == 0:
        return total / (24 * 60), "day"
    return total, base


class Limit(StrEnum):
    EXACT = "exactly"
    AT_LEAST = "at least"
    AT_MOST = "at most"
    OVER = "more than"
    UNDER = "less than"


@dataclass(frozen=True, slots=True)
class Quantity:
    value: float
    #: What is counted: a unit (`hour`, `EUR`, `%`, `date`, `clock`) or a noun; empty if unsaid.
    unit: str
    limit: Limit
    #: As it is written, with its unit.
    text: str
    start: int
    end: int

    @property
    def is_measure(self) -> bool:
        return self.unit in MEASURES

    def agrees(self, other: "Quantity") -> bool:
        """The same number of the same unit. Two counts agree: nouns may be paraphrased."""
        return abs(self.value - other.value) < 1e-9 * max(1.0, abs(other.value)) and (
            self.unit == other.unit
            or not self.unit
            or not other.unit
            or not (self.is_measure or other.is_measure)
        )


_WORDS = "|".join(sorted([*NUMBER_WORDS, *MULTIPLES], key=len, reverse=True))
_SPELT = rf"(?:{_WORDS})(?:[ -](?:and )?(?:{_WORDS}))*"
_DIGITS = r"\d+(?:[.,]\d{3})*(?:[.,]\d+)?"
_MONTH = rf"(?:{'|'.join(MONTHS)})"
_UNIT = r"(?:working |calendar )?[a-z]+"
PATTERNS = [
    ("reference", r"\b(?:paragraphs?|sections?|para\.?|form)\s+[A-Z]*-?\d[\w.()]*"
     r"(?:(?:,| and| to|–)\s+[A-Z]?\d[\w.()]*)*"),
    ("version", r"(?<![\w.])(?P<version>\d+(?:\.\d+){2,})(?!\w)"),
    ("label", r"\b(?:channel|force|class|phase|release|version|standards?|level|part|step)\s+"
     r"\d+(?:\.\d+)?(?![\d.]*\.\d)(?:(?:\s+to|\s+and|,)\s+\d+\b)*"),
    ("date", rf"\b(?:the )?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<month>{_MONTH})\b"),
    ("date_us", rf"\b(?P<month2>{_MONTH}) (?P<day2>\d{{1,2}})(?:st|nd|rd|th)?\b"),
    ("month_end", rf"\bend of (?P<month3>{_MONTH})\b"),
    ("clock", r"\b(?P<hour>\d{1,2}):(?P<minute>\d{2})\b"),
    ("clock12", rf"\b(?P<hour12>\d{{1,2}}|{_WORDS})\s*(?:o'clock\s*)?(?P<half>a\.?m\.?|p\.?m\.?"
     r"|in the (?:morning|afternoon|evening)|at night)(?!\w)"),
    ("noon", r"\b(?P<noon>noon|midday|midnight)\b"),
    ("money", rf"(?P<currency>€|\$|£|\bEUR|\bUSD|\bGBP)\s*(?P<amount>{_DIGITS})"),
    ("percent", rf"(?P<share>{_DIGITS}|{_SPELT})\s*(?:%|percent\b|per cent\b)"),
    ("part_of_hour", r"\b(?:an? |the )?(?P<part>half|quarter of)(?: an?)? "
     r"(?P<whole>hour|day|year)\b"),
    ("fraction", r"\b(?:an? |one )?(?P<fraction>half|halves|quarter|third)"
     r"(?= of\b|s\b|\b(?! (?:year|time|day|month|week|party|person)))"),
    ("ordinal", r"(?:(?<=\b(?:the|its|per) )|(?<=\b(?:this|that) )|(?<=\ba ))"
     rf"(?P<ordinal>{'|'.join(ORDINALS)}|\d+(?:st|nd|rd|th))"
     rf"(?= (?!{_SPELT}\b)[a-z])"),
    ("frequency", r"\b(?P<frequency>twice|thrice|(?<!at )once"
     r"(?= (?:an?|per|every) (?:hour|day|week|month|year)\b| in an? | only|[.,;]|$))"),
    ("number", rf"(?<![\w.])(?P<number>{_DIGITS}|{_SPELT})(?![\w/]|\.\w)"
     rf"(?:[- ](?P<unit>{_UNIT}))?"),
    ("single", r"\b(?:an?|per|each|every) "
     r"(?P<single>hour|minute|day|week|fortnight|month|year|decade)\b"),
]  # fmt: skip
QUANTITY = re.compile("|".join(f"(?P<k_{name}>{pattern})" for name, pattern in PATTERNS), re.I)
#: How a limit is said before the number, and after it.
BEFORE = [
    (Limit.AT_LEAST, r"at least|not? (?:less|fewer|shorter|lower|earlier|older)? ?than|minimum of"
     r"|not? (?:less|fewer) than|greater than or equal to|no earlier than|from"),
    (Limit.AT_MOST, r"at most|(?:limited|restricted|confined) to|not? (?:be )?(?:\w+ )?"
     r"(?:more|longer|later|older|greater|higher|faster|further) than|up to|maximum of|within|by"
     r"|no later than|not exceed(?:ing)?|until"),
    (Limit.OVER, r"more than|over|above|exceeds?|exceeding|longer than|older than|faster than"
     r"|greater than|higher than|after"),
    (Limit.UNDER, r"less than|under|below|shorter than|fewer than|lower than|younger than"
     r"|not yet|before"),
]  # fmt: skip
AFTER = [
    (
        Limit.AT_LEAST,
        r"or (?:more|longer|higher|older|over)|at least|at the earliest|or more often",
    ),
    (Limit.AT_MOST, r"or (?:less|fewer|shorter|under|lower)|at most|at the latest|at the outside"),
]
_BEFORE = [
    (limit, re.compile(rf"\b(?:{words})(?: the)?(?: of)?(?: about)?\s*$", re.I))
    for limit, words in BEFORE
]
_AFTER = [
    (
        limit,
        re.compile(
            rf"^(?: (?:an?|per|every) \w+| of (?:the |its )?\w+)?[\s,)]*(?:{words})\b", re.I
        ),
    )
    for limit, words in AFTER
]


#: "exactly one space": elsewhere "one" is a pronoun, or an article.
JUST = re.compile(r"\b(?:exactly|precisely|just|at least|at most|no more than)\s+$", re.I)
OR_MORE = re.compile(r" or (?:more|less|several)\b", re.I)
#: "over channel 12" is not more than that.
AS_MEANS = re.compile(r"\b(?:over|after|under)(?: the)?(?: radio)?\s*$", re.I)
NOT_MORE = re.compile(
    r"\b(?:no|not|nor)\b[^.;]{0,31}\b(?:more|longer|later|older|faster|higher|greater) than\s*$"
    r"|\bnot exceed\s*$",
    re.I,
)


@lru_cache(maxsize=KEPT_TEXTS)
def find_quantities(text: str) -> tuple[Quantity, ...]:
    """In their order. References to paragraphs are not quantities; labels (channel 12) are."""
    found = []
    for match in QUANTITY.finditer(text):
        kind = next(name for name, _ in PATTERNS if match[f"k_{name}"] is not None)
        if kind == "reference":
            continue
        for value, unit in _read(kind, match):
            limit = Limit.EXACT
            if kind != "label" or not AS_MEANS.search(text[: match.start()]):
                limit = _limit(text, match.start(), match.end(), unit)
            found.append(Quantity(value, unit, limit, match[0].strip(), *match.span()))
    return tuple(found)


def _read(kind: str, match: re.Match[str]) -> list[tuple[float, str]]:
    if kind == "label":
        name, *rest = match[0].split()
        numbers = re.findall(r"\d+(?:\.\d+)*", " ".join(rest))
        unit = stem(name.lower())
        return [(number(each), unit) for each in numbers]
    if kind == "version":
        parts = [*match["version"].split("."), "0", "0"][:4]
        return [(sum(int(part) * 1000.0**-place for place, part in enumerate(parts)), "version")]
    if kind in ("date", "date_us", "month_end"):
        return [(_date(match), "date")]
    if kind in ("clock", "clock12", "noon"):
        return [(_clock(match), "clock")]
    if kind == "money":
        return [(number(match["amount"]), CURRENCIES[match["currency"].lower()])]
    if kind == "percent":
        return [(number(match["share"]), "%")]
    if kind == "part_of_hour":
        unit, factor = UNITS[match["whole"].lower()]
        share = 0.5 if match["part"].lower() == "half" else 0.25
        if match["whole"].lower() == "day":
            return [(12 * 60, "minute")]
        return [(share * factor, unit)]
    if kind == "fraction":
        return [(FRACTIONS[match["fraction"].lower()], "%")]
    if kind == "ordinal":
        word = match["ordinal"].lower()
        return [(float(ORDINALS.get(word) or re.sub(r"\D", "", word)), "ordinal")]
    if kind == "frequency":
        return [(float(FREQUENCIES[match["frequency"].lower()]), stem("time"))]
    if kind == "single":
        return [with_unit(1.0, match["single"])]
    is_counted = JUST.search(match.string[: match.start()]) or OR_MORE.match(
        match.string, match.end("number")
    )
    if match["number"].lower() == "one" and not is_unit(match["unit"]) and not is_counted:
        return []
    return [with_unit(number(match["number"]), match["unit"] or "")]


def _date(match: re.Match[str]) -> float:
    """Month and day as one number: 30 November is 1130."""
    if match["month3"]:
        month = MONTHS.index(match["month3"].lower()) + 1
        return month * 100 + (28 if month == 2 else 30 if month in (4, 6, 9, 11) else 31)
    month = MONTHS.index((match["month"] or match["month2"]).lower()) + 1
    return month * 100 + int(match["day"] or match["day2"])


def _clock(match: re.Match[str]) -> float:
    """Minutes since midnight."""
    if match["noon"]:
        return 0.0 if match["noon"].lower() == "midnight" else 12 * 60.0
    if match["hour"]:
        return int(match["hour"]) * 60.0 + int(match["minute"])
    hour = number(match["hour12"]) % 12
    is_late = match["half"].lower().startswith(("p", "in the a", "in the e", "at"))
    return (hour + (12 if is_late else 0)) * 60.0


def _limit(text: str, start: int, end: int, unit: str) -> Limit:
    before, after = text[max(0, start - 48) : start], text[end : end + 40]
    for limit, pattern in _AFTER:
        if pattern.search(after):
            return limit
    if NOT_MORE.search(before):
        return Limit.AT_MOST
    for limit, pattern in _BEFORE:
        if (said := pattern.search(before)) and not (
            said[0].split()[0].lower() in ("by", "from", "until") and unit not in ("date", "clock")
        ):
            return limit
    return Limit.EXACT
