"""Modality and quantifiers: whether the claim is as binding, and as wide, as its source."""

import re

from bottega.library.judging.checks.comparison import (
    CAP,
    Comparison,
    doubtful,
    failed,
    is_about_condition,
    passed,
)
from bottega.library.judging.checks.denials import (
    GATE,
    denies_opposite,
    is_converse,
    is_gated_like,
    is_negative,
    keeps_away,
    names_exception,
)
from bottega.library.judging.landmarks import IMPERATIVE, ONLY
from bottega.library.judging.modality import Modality, is_denial, may_say
from bottega.library.judging.verdicts import Check

MAY = re.compile(r"\b(?:may|might|allowed|permitted|entitled)\b", re.I)
#: "One must be a member to vote": only members may.
QUALIFIES = re.compile(r"\bmust (?:be|have)\b[^.;,]* to\b|\bmerely\b", re.I)
#: "only after": what has to be done after it is not done before.
ONLY_THEN = re.compile(r"\bonly (after|when|if|once)\b", re.I)
SOME = re.compile(
    r"\b(?:some|several|certain|usually|often|sometimes|generally|typically|most|many|few)\b", re.I
)
ALL = re.compile(r"\b(?:all|every|each|always|any|everyone|everybody)\b", re.I)


def check_modality(seen: Comparison) -> Check:
    claim, source = seen.claim, seen.source
    said, meant = claim.modality, source.modality
    reason = f"the claim says “{said}”, the paragraph “{meant}”"
    if meant is Modality.FACT and IMPERATIVE.match(source.core) and said is not Modality.PERMISSION:
        return passed("modality")  # whether it denies is the negation's matter
    if said is Modality.FACT and meant is Modality.PERMISSION and not MAY.search(source.core):
        return doubtful("modality", reason)  # who can access it has access to it
    if _is_recommended(said) != _is_recommended(meant) and Modality.EXEMPTION not in (said, meant):
        return failed("modality", reason)
    if meant is Modality.PERMISSION and any(
        is_about_condition(seen, each) for each in source.conditions
    ):
        return passed("modality")
    if may_say(said, meant) or (CAP.search(claim.text) and CAP.search(source.text)):
        return passed("modality")
    if is_gated_like(claim, source) or is_gated_like(source, claim):
        return passed("modality")
    if keeps_away(claim, source) or keeps_away(source, claim) or is_converse(seen):
        return passed("modality")
    if is_denial(said) != is_denial(meant) and Modality.EXEMPTION not in (said, meant):
        denying, other = (claim, source) if is_denial(said) else (source, claim)
        is_as_binding = _is_recommended(said) == _is_recommended(meant)
        if is_as_binding and denies_opposite(other, denying):
            return passed("modality")
    if names_exception(seen) and is_denial(said) != is_denial(meant):
        return passed("modality")
    is_qualified = meant is Modality.OBLIGATION and QUALIFIES.search(source.core)
    if claim.is_exclusive and said is Modality.PERMISSION and is_qualified:
        return passed("modality")
    both_only = claim.is_exclusive and source.is_exclusive
    if both_only and not is_denial(said) and not is_denial(meant):
        return passed("modality")
    if said is Modality.OBLIGATION and meant is Modality.FACT:
        return doubtful("modality", reason)
    if said is Modality.PERMISSION and meant is Modality.FACT and not is_negative(source):
        return doubtful("modality", reason)
    if {said, meant} == {Modality.PROHIBITION, Modality.FACT} and is_negative(claim) == is_negative(
        source
    ):
        return passed("modality")
    return failed("modality", reason)


def _is_recommended(modality: Modality) -> bool:
    return modality in (Modality.RECOMMENDATION, Modality.ADVICE_AGAINST)


def check_quantifiers(seen: Comparison) -> Check:
    claim, source = seen.claim, seen.source
    is_limited = GATE.search(source.text) or CAP.search(source.text) or ONLY.search(source.text)
    only = ONLY_THEN.search(claim.text)
    if only and re.search(rf"\b{only[1]}\b", source.text, re.I):
        return passed("quantifiers")
    if claim.is_exclusive and not is_limited and not QUALIFIES.search(source.core):
        return failed("quantifiers", "the claim says “only”, the paragraph does not")
    if ALL.search(claim.core) and SOME.search(source.core) and not ALL.search(source.core):
        return failed("quantifiers", "the claim says it of all, the paragraph of some")
    return passed("quantifiers")
