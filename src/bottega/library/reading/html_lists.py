"""The numbers that a browser prints before the items of a list, and that no text holds."""

from collections.abc import Mapping
from dataclasses import dataclass

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_TENS = ("", "x", "xx", "xxx", "xl", "l")
_ONES = ("", "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix")
#: Items of the outermost list stand here, each list within it this much further in.
_STEP = 2


@dataclass(slots=True)
class _List:
    #: Of `<ol>`: `1`, `a`, `A`, `i`, `I`; empty for bullets.
    type: str
    next: int


class Lists:
    def __init__(self) -> None:
        self._open: list[_List] = []

    def open(self, tag: str, attributes: Mapping[str, str]) -> None:
        kind = attributes.get("type", "1") if tag == "ol" else ""
        self._open.append(_List(kind, _number(attributes.get("start"), 1)))

    def close(self) -> None:
        if self._open:
            self._open.pop()

    def item(self, attributes: Mapping[str, str]) -> str:
        """What is printed before the item: `-`, `12.`, `(a)`."""
        if not self._open or not self._open[-1].type:
            return "-"
        current = self._open[-1]
        number = _number(attributes.get("value"), current.next)
        current.next = number + 1
        return printed_number(number, current.type)

    def indent(self, marker: str) -> int:
        """A text within an item stands further in than the item itself."""
        depth = len(self._open)
        return _STEP * depth - bool(marker) if depth else 0


def printed_number(number: int, kind: str) -> str:
    if kind in ("a", "A") and 0 < number <= len(_LETTERS):
        letter = _LETTERS[number - 1]
        return f"({letter.upper() if kind == 'A' else letter})"
    if kind in ("i", "I") and 0 < number < 10 * len(_TENS):
        roman = _TENS[number // 10] + _ONES[number % 10]
        return f"({roman.upper() if kind == 'I' else roman})"
    return f"{number}."


def _number(stated: str | None, otherwise: int) -> int:
    digits = (stated or "").strip()
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 7 else otherwise
