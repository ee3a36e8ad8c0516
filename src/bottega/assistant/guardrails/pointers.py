"""Evidence pointers in a text: `[evidence: curriculum/cfe-computing.md:L12-L18 "quoted text"]`."""

import re
from dataclasses import dataclass

#: Typographic ones too: models and editors change them.
QUOTES = "\"'“”„‟«»‘’‚‛"
LONGEST_SHOWN = 100
LONGEST_MALFORMED = 500

_OPENING = re.compile(r"\[\s*evidence\s*:", re.IGNORECASE)
_POINTER = re.compile(
    rf"""
    \[\s*evidence\s*:\s*
    (?P<path>[^\s:{QUOTES}\]][^:{QUOTES}\n\]]*?)\s*
    :\s*L(?P<first>\d{{1,9}})(?:\s*[-–—‑]\s*L?(?P<last>\d{{1,9}}))?
    \s*[,;:]?\s*
    [{QUOTES}](?P<quote>(?:(?!\[\s*evidence\s*:).){{0,4000}}?)[{QUOTES}]
    \s*\]
    """,
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_HAS_LINES = re.compile(r":\s*L\d{1,9}\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Pointer:
    path: str
    first: int
    last: int
    quote: str
    #: Of the text that it stands in.
    start: int
    end: int

    @property
    def cited(self) -> str:
        """`curriculum/cfe-computing.md:L12-L18`."""
        lines = f"L{self.first}" if self.first == self.last else f"L{self.first}-L{self.last}"
        return f"{self.path}:{lines}"


@dataclass(frozen=True, slots=True)
class Malformed:
    """What begins like a pointer and is none."""

    text: str
    missing: str
    start: int
    end: int


def pointers_in(text: str) -> list[Pointer | Malformed]:
    found: list[Pointer | Malformed] = []
    for opening in _OPENING.finditer(text):
        pointer = _POINTER.match(text, opening.start())
        if pointer is None:
            found.append(_malformed(text, opening.start()))
            continue
        first = int(pointer["first"])
        last = int(pointer["last"] or first)
        path = pointer["path"].strip().strip("`")
        found.append(Pointer(path, first, last, pointer["quote"], pointer.start(), pointer.end()))
    return found


def _malformed(text: str, start: int) -> Malformed:
    line_end = text.find("\n", start, start + LONGEST_MALFORMED)
    end = line_end if line_end >= 0 else min(len(text), start + LONGEST_MALFORMED)
    bracket = text.find("]", start, end)
    end = bracket + 1 if bracket >= 0 else end
    inside = text[start:end]
    if not _HAS_LINES.search(inside):
        missing = "the lines, as in `:L12-L18`"
    elif not any(mark in inside for mark in QUOTES):
        missing = "the quoted words, in quotation marks"
    elif bracket < 0:
        missing = "the closing bracket"
    else:
        missing = "one file, its lines and one quotation, in that order"
    return Malformed(inside[:LONGEST_SHOWN], missing, start, end)
