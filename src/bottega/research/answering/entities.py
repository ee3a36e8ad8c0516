"""The names and quantities in an answer, which its sources must have too."""

import re
from collections.abc import Iterable

_MONEY = r"(?:EUR|USD|GBP|CHF|€|\$|£)\s?\d[\d.,]*"
_UNITS = (
    "percent|per cent|grams?|kilograms?|tonnes?|tons?|litres?|millimetres?|centimetres?|metres?"
    "|kilometres?|miles?|knots|degrees|kilowatts?|seconds?|minutes?|hours?|days?|weeks?|months?"
    "|years?|nights?|working days?|euros?|dollars?"
)
_AMOUNT = rf"\d[\d.,:]*(?:\s?%|\s(?:{_UNITS})\b)?"
_QUANTITY = re.compile(rf"(?<![\w.(-])(?:{_MONEY}|{_AMOUNT})(?![\w(-])")
#: Capitals inside a sentence: its first word has one anyway.
_NAME = re.compile(r"(?<=[\w,;:)] )[A-Z][\w’'-]*\w(?: [A-Z][\w’'-]*\w)*")


def find_entities(texts: Iterable[str]) -> list[str]:
    found: dict[str, None] = {}
    for text in texts:
        for pattern in (_QUANTITY, _NAME):
            found.update(dict.fromkeys(each.strip(" .,:;") for each in pattern.findall(text)))
    return [each for each in found if each]
