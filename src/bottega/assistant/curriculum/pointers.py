"""Evidence pointers in a text: `[evidence: curriculum/cfe-computing.md:L12-L18 "quoted text"]`,
and whether the quoted words really stand there, whatever marks and spaces do.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

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
_SAME = str.maketrans(
    dict.fromkeys("‘’‚‛′`´", "'") | dict.fromkeys("–—‑−", "-") | {"\u00ad": "", "*": "", "_": ""}
)
#: What markdown and our own numbering put before a line, and what stands between cells.
_LINE_OPENING = re.compile(r"^\s*(?:L\d+:\s?)?\s*(?:(?:[-+>•]|#{1,6}|\d{1,3}[.)])\s+|\|)*", re.M)
#: Quotation marks are dropped, an apostrophe inside a word stays.
_MARKS = re.compile(r"[\"“”„‟«»]|(?<!\w)'|'(?!\w)|\|")


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


def normal(text: str) -> str:
    text = unicodedata.normalize("NFKC", text.replace("…", " ")).translate(_SAME)
    return " ".join(_MARKS.sub(" ", _LINE_OPENING.sub("", text)).split()).casefold()


def stands_in(quote: str, text: str) -> bool:
    return _search(quote, normal(text)) is not None


def find_quote(quote: str, lines: Sequence[str]) -> tuple[int, int] | None:
    """The lines, from 1, where a quotation really stands, if it does."""
    normal_lines = [normal(line) for line in lines]
    found = _search(quote, " ".join(normal_lines))
    if found is None:
        return None
    starts = list(accumulate((len(line) + 1 for line in normal_lines), initial=0))
    return bisect_right(starts, found.start()), bisect_right(starts, found.end() - 1)


def _search(quote: str, text: str) -> re.Match[str] | None:
    """Whole words only: `iteration` is not quoted from `iterations`."""
    wanted = normal(quote).strip(" .,;:!?-")
    return re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", text) if wanted else None


def word_count(text: str) -> int:
    return len(re.findall(r"\w+", text))
