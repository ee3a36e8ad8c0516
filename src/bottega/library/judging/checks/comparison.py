"""What a check gets: a claim, the statement that it may rest on, and what stands around that."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bottega.library.judging.alignment import Nearness, content
from bottega.library.judging.modality import Modality
from bottega.library.judging.statements import Statement
from bottega.library.judging.verdicts import Check, Outcome
from bottega.library.judging.vocabulary import ANYBODY
from bottega.library.judging.words import Word, concept, words

#: From here on two words count as the same thing.
SAME = 0.5
#: Stricter where a condition is concerned: `engine` does not keep `fuel`.
KEPT_WORD = 0.75
#: The share of a claim's words that a condition has if the claim is about just that.
ABOUT = 0.85
#: What has to be done by whoever wants to do what is allowed then.
DEMANDED = re.compile(r"\W*(?:if|provided)\b", re.I)
#: "not longer than", "no more than", "shall not exceed": a limit, not a denial of the action.
CAP = re.compile(
    r"\b(?:not?|never)\b(?! longer\b(?! than))[^.;,]{0,40}?"
    r"\b(?:more|longer|faster|later|older|higher|greater|further"
    r"|exceed\w*|above|over)\b|\bat most\b|\bup to\b|\bno(?:t)? (?:more|longer|later) than\b"
    r"|\b(?:no|not) (?:less|fewer) than\b|\bmaximum\b|\bis the limit\b|\bor less\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A claim, the statement it rests on, and all that the cited paragraph says besides."""

    claim: Statement
    source: Statement
    paragraph: Sequence[Statement]
    nearness: Nearness
    terms: Sequence[str] = ()
    #: The paragraph with the definitions of the terms that it uses.
    known: str = ""

    def is_said(self, word: Word, text: str, least: float = SAME) -> bool:
        return self.nearness.best(word, words(text))[0] >= least


def is_about_condition(seen: Comparison, condition: str) -> bool:
    """ "The terms must permit copies", of what may be done "provided that the terms permit it"."""
    if not DEMANDED.match(condition) or seen.claim.modality is not Modality.OBLIGATION:
        return False
    return seen.nearness.coverage(content(seen.claim.text), content(condition)) >= ABOUT


def passed(name: str) -> Check:
    return Check(name, Outcome.PASSED)


def failed(name: str, reason: str) -> Check:
    return Check(name, Outcome.FAILED, reason)


def doubtful(name: str, reason: str) -> Check:
    return Check(name, Outcome.DOUBTFUL, reason)


def head_noun(phrase: str) -> Word | None:
    """The noun that a phrase is about: the last before "of", "who", "with" …"""
    front = re.split(
        r"\b(?:of|who|whose|which|that|with|without|in|on|at|from|for|under|shorter|longer|older)\b",
        phrase,
    )[0] or phrase  # fmt: skip
    nouns = [word for word in content(front) if word.text.lower() not in ANYBODY]
    nouns = [
        word for word in nouns if word.concept not in map(concept, ANYBODY) and word.weight >= 1
    ]
    return nouns[-1] if nouns else None
