"""A long paragraph in parts that a search can hold, cut between sentences; no word is lost."""

import re
from collections.abc import Iterator

LONGEST = 1_500
#: Below this a part is not worth being one: better a cut in the middle of a sentence.
_SHORTEST = LONGEST // 3
#: The end of a line, of a sentence, of a clause, of a word: the best that there is, is taken.
_CUTS = (
    re.compile(r"\n\s*"),
    re.compile(r"(?<=[.!?…。！？])[\"'”’)\]]*\s+"),
    re.compile(r"(?<=[;:,])\s+"),
    re.compile(r"\s+"),
)


def split_long(text: str, longest: int = LONGEST) -> Iterator[str]:
    position = 0
    while len(text) - position > longest:
        end, following = _cut(text, position, position + longest)
        if text[position:end].strip():
            yield text[position:end]
        position = following
    if text[position:].strip():
        yield text[position:]


def _cut(text: str, start: int, limit: int) -> tuple[int, int]:
    """Where this part ends, and where the next one begins."""
    for cut in _CUTS:
        last = None
        for found in cut.finditer(text, start + _SHORTEST, limit):
            last = found
        if last is not None:
            # Quotes that close the sentence stay with it.
            closing = len(last.group()) - len(last.group().lstrip("\"'”’)]"))
            return last.start() + closing, last.end()
    return limit, limit
