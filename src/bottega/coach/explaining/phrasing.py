"""Sentences around pieces of source."""

import re
from collections.abc import Sequence

#: A piece of source in a sentence is a reminder, not a copy.
SNIPPET_LENGTH = 60
#: What an author says about code may be longer than code.
QUOTE_LENGTH = 160
_FEW = 6


def snippet(text: str, limit: int = SNIPPET_LENGTH) -> str:
    """The text on one line, cut where it gets long."""
    # Cut before splitting: a statement may be a whole file.
    start = text[: limit * 8]
    line = " ".join(start.split())
    is_whole = len(line) <= limit and len(start) == len(text)
    return line if is_whole else line[:limit].rstrip() + "…"


def code(text: str, limit: int = SNIPPET_LENGTH) -> str:
    """As a code span, whatever backticks stand in it (CommonMark: a longer fence)."""
    text = snippet(text, limit)
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def codes(texts: Sequence[str], most: int = _FEW) -> str:
    """`a`, `b` and `c`; a long list ends with how many more there are."""
    shown = [code(text) for text in texts[:most]]
    if len(texts) > most:
        shown.append(f"{len(texts) - most} more")
    return joined(shown)


def joined(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def counted(number: int, noun: str, plural: str = "") -> str:
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def sentence(words: str) -> str:
    return words[:1].upper() + words[1:] + ("" if words.endswith((".", "!", "?", ":")) else ".")
