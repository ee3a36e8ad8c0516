"""Whether a phrase is meant or denied: "cancel the pipeline" against "don't cancel the pipeline".

A negation reaches a few words forward and not past the end of its clause. It is a reading of
everyday English for short replies, not a parser; where it errs, the person is asked to confirm.
"""

import re
import unicodedata
from collections.abc import Iterator

#: How many words a negation reaches over.
REACH = 5

_QUOTES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "`": "'", "“": '"', "”": '"'})
_CLAUSE_END = re.compile(r"[.!?;:,\n()\"]+|\s[-–—]+\s|—|\b(?:but|and|so|then|because)\b")
_NEGATION = re.compile(
    r"\b(?:not|never|cannot|without|neither|nor|instead of|rather than|no|"
    r"dont|doesnt|didnt|wont|isnt|havent|cant|\w+n't)\b"
)
#: Negative in form only: a suggestion, or words that deny nothing.
_SUGGESTION = re.compile(
    r"\bwhy not\b|\b(?:why don't|can't|couldn't|wouldn't|shouldn't) (?:we|you|i)\b"
    r"|\bnever ?mind\b|\bif not\b|\bnot only\b"
)
_NO = re.compile(r"no\b")
#: After which a "no" that opens a clause belongs to what follows, and is no answer by itself.
_NO_OF_SOMETHING = re.compile(r"no (?:need|reason|wish|intention|longer|more|new|different)\b")


def normalise(text: str) -> str:
    """Lower case, straight quotes, single blanks."""
    plain = unicodedata.normalize("NFKC", text).translate(_QUOTES).lower()
    return re.sub(r"[^\S\n]+", " ", plain).strip()


def clauses(text: str) -> list[str]:
    """The clauses of a normalised text."""
    return [clause.strip() for clause in _CLAUSE_END.split(text) if clause and clause.strip()]


def find_meant(pattern: re.Pattern[str], clause: str) -> bool:
    """Whether the clause has the phrase, and means it."""
    return any(not denied for denied in _readings(pattern, clause))


def find_denied(pattern: re.Pattern[str], clause: str) -> bool:
    return any(_readings(pattern, clause))


def _readings(pattern: re.Pattern[str], clause: str) -> Iterator[bool]:
    """Of each place where the phrase stands: whether it is denied."""
    for match in pattern.finditer(clause):
        before = clause[: match.start()]
        if _NO.match(before) and not _NO_OF_SOMETHING.match(clause):
            # "No something else": an answer, then what is wanted.
            before = before[2:]
        near = " ".join(_SUGGESTION.sub(" ", before).split()[-REACH:])
        yield _NEGATION.search(near) is not None
