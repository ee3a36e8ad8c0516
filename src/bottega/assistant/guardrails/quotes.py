"""Whether words are quoted as they stand: the very same words, whatever marks and spaces do."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

_SAME = str.maketrans(
    dict.fromkeys("‘’‚‛′`´", "'") | dict.fromkeys("–—‑−", "-") | {"\u00ad": "", "*": "", "_": ""}
)
#: What markdown and our own numbering put before a line, and what stands between cells.
_LINE_OPENING = re.compile(r"^\s*(?:L\d+:\s?)?\s*(?:(?:[-+>•]|#{1,6}|\d{1,3}[.)])\s+|\|)*", re.M)
#: Quotation marks are dropped, an apostrophe inside a word stays.
_MARKS = re.compile(r"[\"“”„‟«»]|(?<!\w)'|'(?!\w)|\|")


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
