"""What a "not" denies: the words behind it, up to the end of its clause.

A sentence may deny one thing and state another, so it is no matter of counting: a denial in the one
text has its counterpart in the other if that denies some of the same words, or says their opposite.
"""

import re
from collections.abc import Sequence

from bottega.library.judging.alignment import are_opposite, content, negates
from bottega.library.judging.checks.comparison import CAP, KEPT_WORD, SAME, Comparison
from bottega.library.judging.modality import is_denial
from bottega.library.judging.words import Word

DENIAL = re.compile(
    r"(?<!\bor )\b(?:not|no|never|nor|neither|without|cannot|nobody|nothing|none"
    r"|rather than|instead of|excluding)\b(?! (?:only|just|delay)\b)|n't\b",
    re.I,
)
CLAUSE_END = re.compile(r"[,;:()]|\b(?:but|unless|except|if|when|because|since)\b", re.I)
#: A denial without a "not".
IMPLIED = re.compile(
    r"\b(?:only|except\w*|exempt|outside|lacks?|absent|free of|refus\w+|prohibit\w*|forbid\w*"
    r"|unless|zero|stop\w*|ceas\w+|avoid\w*)\b",
    re.I,
)
#: How many words behind a "not" it is about.
REACH = 3
#: … and how many it may be about.
CLAUSE_REACH = 8
#: The share of words that two have in common if they say the same.
JUST_THAT = 0.8
#: "not before", "only after": no plain denial.
WAITS = re.compile(r"\b(?:before|until|only|without|after|unless|except|other than)\b", re.I)


def find_denied(text: str, reach: int = REACH) -> list[Sequence[Word]]:
    """For each denial in a text the words that it is about."""
    found: list[Sequence[Word]] = []
    whole = content(text)
    for denial in DENIAL.finditer(CAP.sub(lambda cap: " " * len(cap[0]), text)):
        end = CLAUSE_END.search(text, denial.end())
        until = end.start() if end else len(text)
        behind = [word for word in whole if denial.end() <= word.position < until][:reach]
        before = [word for word in whole if word.position < denial.start()][-reach:]
        found.append(behind or before)
    return found


def is_denied_alone(seen: Comparison) -> bool:
    """Whether one of the two denies something that the other one states, or does not speak of."""
    said = [words for each in seen.paragraph for words in find_denied(each.text)]
    said += find_denied(seen.known)
    ours, theirs = find_denied(seen.claim.text), find_denied(seen.source.text)
    for denied in ours:
        if not _is_met(seen, denied, said) and not _is_turned(seen, denied, seen.source.words):
            return not IMPLIED.search(seen.source.text)
    for denied in theirs:
        is_claimed = any(seen.is_said(word, seen.claim.text, KEPT_WORD) for word in denied)
        is_alone = not _is_met(seen, denied, ours)
        if is_claimed and is_alone and not _is_turned(seen, denied, seen.claim.words):
            return not IMPLIED.search(seen.claim.text)
    return False


def is_denied_elsewhere(seen: Comparison) -> bool:
    """Whether the paragraph denies just what the claim states, in whichever sentence."""
    if DENIAL.search(seen.claim.text) or WAITS.search(seen.claim.text):
        return False
    if is_denial(seen.claim.modality):
        return False
    subject = {word.concept for word in content(seen.claim.subject)}
    stated = [word for word in content(seen.claim.core) if word.concept not in subject]
    for statement in seen.paragraph:
        for denied in find_denied(statement.text, CLAUSE_REACH):
            if len(denied) < 2 or len(stated) < 2 or WAITS.search(statement.text):
                continue
            is_all = seen.nearness.coverage(denied, seen.claim.words) >= JUST_THAT
            is_just_that = is_all and seen.nearness.coverage(stated, denied) >= JUST_THAT
            if is_just_that and not _is_turned(seen, denied, seen.claim.words):
                return True
    return False


def _is_met(seen: Comparison, denied: Sequence[Word], others: Sequence[Sequence[Word]]) -> bool:
    return any(seen.nearness.best(word, other)[0] >= SAME for word in denied for other in others)


def _is_turned(seen: Comparison, denied: Sequence[Word], others: Sequence[Word]) -> bool:
    """ "not touched" and "untouched", "does not keep" and "deletes"."""
    return any(
        are_opposite(word, other) or (word.concept != other.concept and negates(word, other))
        for word in denied
        for other in others
    )
