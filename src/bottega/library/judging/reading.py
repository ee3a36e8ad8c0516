"""What a reader who knows the language makes of a claim, beside what the rules found.

The reader knows how else a thing can be said, and decides. It errs most often about numbers, where
the rules seldom do: if they found another number, "all" for "some", another direction or two things
exchanged, it has to be the surer. What other rules object to is as often a good paraphrase, so that
it only stays as a reason. `python -m bench library_judge` has the figures.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from bottega.library.judging.verdicts import (
    READING,
    Check,
    ErrorCategory,
    Judgement,
    Outcome,
    Verdict,
)

#: For each text and claim from 0 to 1, whether the one bears out the other.
Support = Callable[[Sequence[tuple[str, str]]], Sequence[float]]

#: The checks that are right in more than four of five cases in prose that they do not know.
RELIABLE = frozenset(["numbers", "quantifiers", "direction", "swap"])
#: What the failure of one weighs against the reader, as a logarithm of odds.
FALSEHOOD = 1.5
#: Scores from which a claim is supported, and up to which it is not. One in ten of the claims that
#: it did not learn from is in between, and of those four in ten are judged wrong; outside it is one
#: in forty.
SUPPORTED, UNSUPPORTED = 0.93, 0.07

REASON = "read as a whole, the paragraph does not bear it out"


def read_again(judgement: Judgement, support: float) -> Judgement:
    """The judgement of the rules, with what the reader says to the claim."""
    is_false = any(
        check.outcome is Outcome.FAILED and check.name in RELIABLE for check in judgement.checks
    )
    score = 1 / (1 + math.exp(FALSEHOOD * is_false - _odds(support)))
    verdict = Verdict.SUPPORTED if score >= SUPPORTED else Verdict.UNDECIDED
    if score <= UNSUPPORTED:
        verdict = Verdict.UNSUPPORTED
    read = Check(READING, Outcome.PASSED)
    if support < 0.5:
        read = Check(READING, Outcome.FAILED, REASON)
    return replace(
        judgement,
        verdict=verdict,
        score=round(score, 3),
        checks=(*judgement.checks, read),
        error_category=ErrorCategory.CONTENT_MISMATCH if verdict is Verdict.UNSUPPORTED else None,
    )


def _odds(probability: float) -> float:
    within = min(max(probability, 0.001), 0.999)
    return math.log(within / (1 - within))
