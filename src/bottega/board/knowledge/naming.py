"""Names made of words: keys and titles for what was recorded without one."""

import hashlib
import re

WORDS_IN_KEY = 8
LONGEST_KEY = 80
LONGEST_TITLE = 80

_WORD = re.compile(r"[^\W_]+")


def key_of(content: str) -> str:
    words = _WORD.findall(first_line(content).lower())[:WORDS_IN_KEY]
    return "_".join(words)[:LONGEST_KEY].strip("_") or "note"


def longer_key_of(content: str) -> str:
    """For what begins with the same words as something else."""
    tail = hashlib.sha256(content.encode()).hexdigest()[:6]
    return f"{key_of(content)[: LONGEST_KEY - 7]}_{tail}"


def title_of(content: str) -> str:
    line = first_line(content)
    if len(line) <= LONGEST_TITLE:
        return line
    return line[: LONGEST_TITLE - 1].rsplit(" ", 1)[0] + "…"


def first_line(content: str) -> str:
    return next((line.strip("#*- \t") for line in content.splitlines() if line.strip("#*- \t")), "")


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())
