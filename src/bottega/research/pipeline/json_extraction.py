"""The JSON object in a reply that was meant to be nothing else.

Models wrap it in a fence, talk before and after it, or leave a comma too many. What is found is
only ever parsed: whether it fits the schema is for the caller to check, candidate by candidate.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

_FENCE = re.compile(r"```[a-zA-Z]*[ \t]*\n?(.*?)```", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_TRAILING_COMMA = re.compile(r',(?=\s*[}\]])|("(?:[^"\\]|\\.)*")', re.DOTALL)
#: More openings than any reply worth reading has; each costs a look at the rest of the text.
MOST_CANDIDATES = 50


def json_objects(text: str) -> Iterator[dict[str, Any]]:
    """Every object that the text may have meant, likeliest first: whole, fenced, then embedded."""
    seen: set[str] = set()
    for candidate in _candidates(text):
        if candidate in seen:
            continue
        seen.add(candidate)
        found = _parse(candidate)
        if isinstance(found, dict):
            yield found


def _candidates(text: str) -> Iterator[str]:
    yield text.strip()
    for fenced in _FENCE.finditer(text):
        yield fenced.group(1).strip()
    yield from _balanced(text)


def _balanced(text: str) -> Iterator[str]:
    """Each outermost `{…}`; where one never closes, those within it."""
    position, left = 0, MOST_CANDIDATES
    while left and (start := text.find("{", position)) >= 0:
        end = _closing(text, start)
        if end is not None:
            yield text[start:end]
        position, left = end or start + 1, left - 1


def _closing(text: str, start: int) -> int | None:
    """Where the brace that opens at `start` has closed; braces in strings do not count."""
    depth, position = 0, start
    while position < len(text):
        match text[position]:
            case '"' if string := _STRING.match(text, position):
                position = string.end()
                continue
            case "{":
                depth += 1
            case "}":
                depth -= 1
                if depth == 0:
                    return position + 1
        position += 1
    return None


def _parse(candidate: str) -> Any:
    for attempt in (candidate, _TRAILING_COMMA.sub(_keep_strings, candidate)):
        try:
            # Line breaks within strings are no JSON, but plain enough.
            return json.loads(attempt, strict=False)
        except (ValueError, RecursionError):
            continue
    return None


def _keep_strings(found: re.Match[str]) -> str:
    return found.group(1) or ""
