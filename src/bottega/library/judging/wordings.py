"""One wording for what can be said in several: "prior to" is "before", "don't" is "do not"."""

import re

_WORDINGS = [
    (r"\b(?:as|so) long as\b|\bon (?:the )?condition that\b|\bin the event that\b", "if"),
    (r"\bcan't\b", "cannot"),
    (r"\bwon't\b", "will not"),
    (r"(?<=\w)n't\b", " not"),
    (r"\bprior to\b", "before"),
    (r"\bnot (?:be )?able to\b", "be unable to"),
    (r"\bit is (?:not possible|impossible) to\b", "you cannot"),
    (r"\bit is possible to\b", "you can"),
    (r"\bfails to\b", "does not"),
    (r"\bfail to\b", "do not"),
    (r"\bsubsequent to\b", "after"),
    (r"\bin order to\b", "to"),
    (r"\bin order that\b", "so that"),
    (r",? in which case\b", "; in that case"),
]
_PATTERNS = [(re.compile(pattern, re.I), wording) for pattern, wording in _WORDINGS]


def unify(text: str) -> str:
    text = text.replace("’", "'")
    for pattern, wording in _PATTERNS:
        text = pattern.sub(wording, text)
    return text
