"""What a question asks for by its form, and whether a text has any of it.

A sum, a length, a time are told by numbers and units; "how many gates" by a number before gates;
"which form" and "who signs" by the form and the signing, without which there is hardly an answer.
"""

import re
from collections.abc import Callable
from typing import TypeAlias

from bottega.library.judging.words import concept

_NUMBER_WORDS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|hundred|half"
    "|third|quarter|dozen"
)
_NUMBER = rf"(?:\d[\d.,]*|{_NUMBER_WORDS})"
#: Words between a number and what it counts: "three working days".
_GAP = 3

Finds: TypeAlias = Callable[[str], object]


def has_what_is_sought(question: str, text: str) -> bool | None:
    """`None` if the form of the question asks for nothing in particular."""
    if counted := _COUNTED.search(question):
        return _counts(text, counted.group(1))
    for asked, finds in _ASKED:
        if asked.search(question):
            return bool(finds(text))
    if kind := _KIND.search(question):
        return concept(kind.group(1).lower()) in {concept(word) for word in _words(text)}
    return None


def _counts(text: str, things: str) -> bool:
    """Whether a number stands closely before the things."""
    found, wanted = _words(text), concept(things.lower())
    places = [place for place, word in enumerate(found) if concept(word) == wanted]
    numbers = [place for place, word in enumerate(found) if re.fullmatch(_NUMBER, word)]
    return any(0 < place - number <= _GAP for place in places for number in numbers)


def _words(text: str) -> list[str]:
    return [word.strip(".,") for word in re.findall(r"[\w.,]+", text.lower())]


def _any_of(pattern: str) -> Finds:
    return re.compile(pattern, re.IGNORECASE).search


def _measured(units: str) -> Finds:
    return _any_of(rf"\b{_NUMBER}(?:\s+or\s+\w+)?[\s-]+(?:{units})\b|\bhalf an? (?:{units})\b")


_LENGTH = "millimetres?|centimetres?|metres?|kilometres?|meters?|miles?|feet|foot|inch(?:es)?|m|km"
_WEIGHT = "grams?|kilograms?|kg|tonnes?|tons?|pounds?"
_DURATION = "seconds?|minutes?|hours?|days?|weeks?|months?|years?|working days?|nights?"
_SUM = r"[€$£¥%]|\b(?:eur|euros?|usd|dollars?|gbp|pounds?|percent|half of|free)\b"
_TIME = (
    rf"\b{_NUMBER}\b|\b(?:noon|midday|midnight|night|day|week|month|year|sunset|sunrise|immediately"
    r"|at once|before|after|until|while|if|unless|during)\b"
)

#: Between the asking word and what it asks for.
_AUXILIARY = (
    "is|are|was|were|be|been|do|does|did|has|have|had|may|might|must|shall|should|can|could|will"
    "|would|need|needs|gets?|the|a|an|in|to|of|it|i|you|happens?|counts?|means?|kind|sort|else|if"
)
_KIND = re.compile(
    rf"\b(?:which|what(?! (?:{_AUXILIARY})\b)|who)\s+(?:(?:{_AUXILIARY})\s+)*([^\W\d_]+)",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"\bhow many ([^\W\d_]+)", re.IGNORECASE)
#: The first that fits the question decides.
_ASKED: tuple[tuple[re.Pattern[str], Finds], ...] = tuple(
    (re.compile(asked, re.IGNORECASE), finds)
    for asked, finds in (
        (
            r"\b(?:costs?|prices?|fees?|fines?|salary|expensive|charged?|discount|how high)\b"
            r"|\b(?:what|how) .*\b(?:penalty|interest|pays?|paid)\b",
            _any_of(_SUM),
        ),
        (r"\bhow (?:deep|wide|tall|far|near)\b", _measured(_LENGTH)),
        (r"\bhow heavy\b|\bheaviest\b", _measured(_WEIGHT)),
        (r"\bhow (?:cold|hot|warm)\b", _any_of(rf"\b{_NUMBER}\s*(?:degrees?|°)")),
        (r"\bhow (?:old|long)\b|\bwhat age\b", _measured(f"{_DURATION}|{_LENGTH}")),
        (r"\bhow (?:much|fast|large|big)\b|\b(?:maximum|minimum)\b", _any_of(rf"\b{_NUMBER}\b")),
        (r"\bwhen\b|\bwhat time\b|\bhow (?:often|early|late|soon|quickly)\b", _any_of(_TIME)),
    )
)
