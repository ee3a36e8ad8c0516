"""JSON as people keep it in settings files, comments and trailing commas included, with places.

Programs that read and write such a file again lose its comments and its layout. Here the text is
only looked through, so that something can be put in or taken out at the right place.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Any

_GAP = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_SCALAR = json.JSONDecoder()
BOM = "\ufeff"


class NotUnderstood(ValueError):
    """Why a text is better left alone, as the end of a sentence about its file."""


@dataclass(frozen=True, slots=True)
class Member:
    key: str
    #: Where the key begins.
    start: int
    node: "Node"


@dataclass(slots=True)
class Node:
    """A value between two places of the text."""

    start: int
    end: int
    value: Any
    #: Of an object.
    members: list[Member] = field(default_factory=list)
    #: Where the comma after the last member is, if there is one.
    trailing_comma: int | None = None

    def member(self, key: str) -> Member | None:
        return next((each for each in self.members if each.key == key), None)


def parse(text: str) -> Node | None:
    """The whole text; `None` if there is nothing in it. `NotUnderstood` says why not."""
    start = len(BOM) if text.startswith(BOM) else 0
    if not text[start:].strip():
        return None
    reader = _Reader(text)
    try:
        root = reader.value(reader.gap(start))
    except RecursionError:
        raise NotUnderstood("it is nested too deeply") from None
    end = reader.gap(root.end)
    if end != len(text):
        raise NotUnderstood(f"there is more after its end, in {reader.line(end)}")
    return root


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text

    def gap(self, at: int) -> int:
        """After spaces and comments."""
        found = _GAP.match(self._text, at)
        return found.end() if found else at

    def line(self, at: int) -> str:
        return f"line {self._text.count(chr(10), 0, at) + 1}"

    def value(self, at: int) -> Node:
        match self._text[at : at + 1]:
            case "{":
                return self._object(at)
            case "[":
                return self._array(at)
            case _:
                return self._scalar(at)

    def _scalar(self, at: int) -> Node:
        try:
            value, end = _SCALAR.raw_decode(self._text, at)
        except ValueError:
            raise NotUnderstood(f"{self.line(at)} is not JSON") from None
        return Node(at, end, value)

    def _object(self, start: int) -> Node:
        node = Node(start, start, {})
        at = self.gap(start + 1)
        while self._text[at : at + 1] != "}":
            key = self._scalar(at)
            if not isinstance(key.value, str):
                raise NotUnderstood(f"a name is missing in {self.line(at)}")
            if key.value in node.value:
                raise NotUnderstood(f"{key.value!r} stands there twice, again in {self.line(at)}")
            value = self.value(self.gap(self._expect(":", self.gap(key.end))))
            node.members.append(Member(key.value, at, value))
            node.value[key.value] = value.value
            at, node.trailing_comma = self._next(value.end, "}")
        node.end = at + 1
        return node

    def _array(self, start: int) -> Node:
        node = Node(start, start, [])
        at = self.gap(start + 1)
        while self._text[at : at + 1] != "]":
            value = self.value(at)
            node.value.append(value.value)
            at, node.trailing_comma = self._next(value.end, "]")
        node.end = at + 1
        return node

    def _next(self, at: int, closing: str) -> tuple[int, int | None]:
        """Where to go on after a value, and the comma before that."""
        at = self.gap(at)
        if self._text[at : at + 1] == closing:
            return at, None
        return self.gap(self._expect(",", at)), at

    def _expect(self, mark: str, at: int) -> int:
        if self._text[at : at + 1] != mark:
            raise NotUnderstood(f"{mark!r} is missing in {self.line(at)}")
        return at + 1
