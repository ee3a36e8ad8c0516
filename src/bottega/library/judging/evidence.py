"""How much speaks for a claim, as one number: the evidence that proves nothing by itself, weighed.

A wrong number or a denial decides alone (`judge.py`). A word that the paragraph lacks, a condition
that seems to be gone or an actor with another name does not: a good paraphrase has those, too. They
are weighed by a logistic model. `python -m bench library_judge_fit` fits its weights on the tuning
claims only, and printed these.
"""

import math
from collections.abc import Sequence
from dataclasses import fields

from bottega.library.judging.alignment import content
from bottega.library.judging.checks.comparison import Comparison
from bottega.library.judging.checks.denials import is_negative
from bottega.library.judging.statements import Statement
from bottega.library.judging.verdicts import Check, Evidence, Outcome
from bottega.library.judging.words import Word

#: What a check that is not clear counts, beside one that failed.
DOUBT = 0.5


WEIGHTS = Evidence(
    said=2.71,
    core=1.54,
    known=2.14,
    repeated=2.36,
    conditions=-4.44,
    things=-2.65,
    modality=-1.77,
)
BIAS = -5.13


def gather(seen: Comparison, checks: Sequence[Check]) -> Evidence:
    claimed, source = content(seen.claim.text), content(seen.source.core)
    failing = {check.name: _failing(check) for check in checks}
    return Evidence(
        said=seen.nearness.coverage(claimed, seen.source.words),
        core=seen.nearness.coverage(predicate(seen.claim), seen.source.words),
        known=seen.nearness.coverage(claimed, seen.source.words, _around(seen)),
        repeated=seen.nearness.coverage(source, seen.claim.words),
        conditions=failing["conditions"],
        things=failing["things"],
        modality=failing["modality"],
    )


def weigh(evidence: Evidence) -> float:
    """The probability that the claim is supported."""
    total = BIAS + sum(
        getattr(WEIGHTS, each.name) * getattr(evidence, each.name) for each in fields(Evidence)
    )
    return 1 / (1 + math.exp(-total))


def predicate(claim: Statement) -> Sequence[Word]:
    """What is said of the subject, which a made-up claim takes over from its source."""
    core = claim.core
    said = core.partition(claim.subject)[2] if claim.subject in core and claim.subject else core
    return content(said) or content(core)


def _around(seen: Comparison) -> list[Word]:
    """What the paragraph says besides, without what it says only to the contrary."""
    is_denied = is_negative(seen.claim)
    agreeing = {w.concept for s in seen.paragraph if is_negative(s) == is_denied for w in s.words}
    against = {w.concept for s in seen.paragraph if is_negative(s) != is_denied for w in s.words}
    return [word for word in content(seen.known) if word.concept not in against - agreeing]


def _failing(check: Check) -> float:
    return {Outcome.PASSED: 0.0, Outcome.DOUBTFUL: DOUBT, Outcome.FAILED: 1.0}[check.outcome]
