"""Every JSON object that a model's text may have meant.

Models wrap JSON in a fence, talk before and after it, or leave a comma too many; what is found is
only ever parsed. Who asked checks it against the schema, candidate by candidate.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

_FENCE = re.compile(r"```[a-zA-Z]*[ \t]*\n?(.*?)```", re.DOTALL)
_TRAILING_COMMA = re.compile(r',(?=\s*[}\]])|("(?:[^"\\]|\\.)*")', re.DOTALL)
#: More openings than any reply worth reading has; each costs a look at the rest of the text.
MOST_CANDIDATES = 50
#: Line breaks within strings are no JSON, but plain enough.
_DECODER = json.JSONDecoder(strict=False)


def json_objects(text: str) -> Iterator[dict[str, Any]]:
    """Every object that the text may have meant, likeliest first: fenced, then embedded."""
    seen: list[dict[str, Any]] = []
    for part in (*_FENCE.findall(text), text):
        for found in _outermost(part):
            if found not in seen:
                seen.append(found)
                yield found


def _outermost(text: str) -> Iterator[dict[str, Any]]:
    """Each outermost `{…}`; where one cannot be read, those within it."""
    position, left = 0, MOST_CANDIDATES
    while left and (start := text.find("{", position)) >= 0:
        position, left = start + 1, left - 1
        rest = text[start:]
        for attempt in (rest, _TRAILING_COMMA.sub(lambda found: found[1] or "", rest)):
            try:
                found, length = _DECODER.raw_decode(attempt)
            except (ValueError, RecursionError):
                continue
            yield found
            # A comma more or less than in the text is no opening.
            position = start + length
            break
