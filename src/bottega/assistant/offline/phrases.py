"""Phrases as people write them in a playbook: `short* starter*`, `additional language`.

A phrase is found in a text if every word of it is there, in any order; `*` stands for the rest of a
word. No regular expressions: a stranger's plugin must not be able to keep us busy with one.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

_RUN = re.compile(r"[A-Z]+|[a-z]+|\d+|\s+|.", re.DOTALL)


def has_phrase(text: str, phrase: str) -> bool:
    words = phrase.split()
    return bool(words) and all(_word(word).search(text) for word in words)


def has_any(text: str, phrases: Iterable[str]) -> bool:
    return any(has_phrase(text, phrase) for phrase in phrases)


def like(example: str) -> re.Pattern[str]:
    """What looks like the example: `TCH 3-13a` finds `MNU 2-07b`, and `SOC 3-4c`."""
    return re.compile(r"(?<!\w)" + "".join(map(_shape, _RUN.findall(example))) + r"(?!\w)")


@lru_cache(maxsize=512)
def _word(word: str) -> re.Pattern[str]:
    inner = r"\w*".join(re.escape(piece) for piece in word.split("*"))
    # An abbreviation in capitals is one: ASN is not the end of "Tasn".
    flags = 0 if word.isupper() else re.IGNORECASE
    return re.compile(rf"(?<!\w){inner}(?!\w)", flags)


def _shape(run: str) -> str:
    for kind in ("[A-Z]", "[a-z]", r"\d", r"\s"):
        if re.fullmatch(f"{kind}+", run):
            return f"{kind}{{1,{len(run) + 3}}}"
    return re.escape(run)
