"""Phrases as people write them in a playbook: `short* starter*`, `additional language`.

A phrase is found in a text if every word of it is there, in any order; `*` stands for the rest of a
word. No regular expressions: a stranger's plugin must not be able to keep us busy with one.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

from bottega.assistant.workspace.texts import words_of

_RUN = re.compile(r"[A-Z]+|[a-z]+|\d+|\s+|.", re.DOTALL)
LONGEST = 80

_ABOUT = re.compile(
    r"\b(?:on|about|introducing|covering|around|into)\s+(?P<topic>.+?)"
    r"(?=\s+(?:for|with|using|to|at|in)\s+(?:my|our|the|class|group|year|\w{1,3})\b"
    r"|\s+(?:for|with)\s+\S+\s*$|[.,;:?!\n(]|$)",
    re.IGNORECASE,
)
_VERBS = re.compile(
    r"^\s*(?:please\s+)?(?:can you\s+|could you\s+)?(?:create|make|plan|write|draft|prepare|give|"
    r"refine|review|check|look at)\b(?:\s+(?:me|us|a|an|the|my|lesson|plan)\b)*",
    re.IGNORECASE,
)


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


def topic_of(request: str, class_id: str | None = None) -> str:
    found = _ABOUT.search(request)
    topic = found["topic"] if found else _VERBS.sub("", request.split("\n")[0])
    if class_id:
        topic = re.sub(rf"\s*\b(?:for|with)?\s*{re.escape(class_id)}\b", "", topic, flags=re.I)
    topic = " ".join(topic.split()).strip(" .,;:!?\"'")
    if not words_of(topic):
        topic = " ".join(request.split())
    return topic if len(topic) <= LONGEST else topic[:LONGEST].rsplit(" ", 1)[0]
