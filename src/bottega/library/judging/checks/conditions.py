"""Conditions: what holds only under one, for some or for a time may not be said without it.

The rule: a dropped condition, exception, threshold or narrowing of the subject fails. A duty may
lose its details (it is still a duty); a permission, a ban and a fact may not lose their time. The
end of something allowed ("until …") is a detail and only leaves a doubt.
"""

import re

from bottega.library.judging.alignment import content
from bottega.library.judging.checks.comparison import (
    CAP,
    KEPT_WORD,
    Comparison,
    doubtful,
    failed,
    head_noun,
    passed,
)
from bottega.library.judging.landmarks import DEFINITION
from bottega.library.judging.modality import Modality, is_denial
from bottega.library.judging.quantities import Limit, find_quantities
from bottega.library.judging.statements import Statement
from bottega.library.judging.verdicts import Check
from bottega.library.judging.words import Word, words

#: The share of a condition's words that a claim must keep, and below which it has dropped it.
KEPT, DROPPED = 0.5, 0.3
NOTHING_LEFT_OUT = re.compile(
    r"\bunder (?:any|all) circumstances\b|\bin (?:all|any|every) cases?\b|\balways\b"
    r"|\bwithout exceptions?\b|\bunconditional",
    re.I,
)
DUTIES = frozenset([Modality.OBLIGATION, Modality.RECOMMENDATION])


def check_conditions(seen: Comparison) -> Check:
    """What holds only under a condition, for some or for a time, may not be said without it."""
    claim, source = seen.claim, seen.source
    limits = [each for statement in seen.paragraph for each in statement.conditions]
    if limits and NOTHING_LEFT_OUT.search(claim.text) and not NOTHING_LEFT_OUT.search(source.text):
        return failed("conditions", f"the paragraph says “{limits[0]}”")
    worst = passed("conditions")
    for restriction in _restrictions(seen):
        kept = max(_kept(seen, part) for part in _alternatives(seen, restriction))
        reason = f"the claim leaves out “{restriction}”"
        if kept < DROPPED and not _is_end(restriction, source):
            return failed("conditions", reason)
        if kept < KEPT:
            worst = doubtful("conditions", reason)
    return _check_thresholds(seen) or _check_subject(seen) or worst


def _is_end(restriction: str, source: Statement) -> bool:
    """ "may keep it until …": the end of something allowed is a detail, that of a ban is not."""
    return restriction.lower().startswith("until") and not is_denial(source.modality)


def _check_subject(seen: Comparison) -> Check | None:
    """ "every person on deck of a vessel under way" is not every person on a vessel."""
    head = head_noun(seen.source.subject)
    if head is None or DEFINITION.search(seen.source.text):
        return None
    needed = [word for word in content(seen.source.subject) if word.position > head.position]
    lost = [word for word in needed if not seen.is_said(word, seen.claim.text, KEPT_WORD)]
    is_list = re.search(r",|\bor\b|\band\b", seen.source.subject) is not None
    if is_list or len(lost) < 2 or len(lost) <= len(needed) / 2:
        return None
    return failed("conditions", f"the paragraph says it of “{seen.source.subject}”")


def _restrictions(seen: Comparison) -> list[str]:
    """The conditions, and of the rest what narrows down something that the claim speaks of."""
    source = seen.source
    if DEFINITION.search(source.text):
        return []
    found = list(source.conditions)
    for relative, noun in source.relatives:
        about = words(noun)
        if _only_describes(relative, noun, source):
            continue
        if not about or any(seen.is_said(word, seen.claim.text) for word in about):
            found.append(relative)
    if source.modality not in DUTIES:
        found += source.periods
    if is_denial(source.modality) and (before := re.search(r"\bbefore\b[^,;]*", source.core)):
        found.append(before[0])
    return found


def _only_describes(relative: str, noun: str, source: Statement) -> bool:
    """Whoever must have a field that contains something must have a field."""
    at = source.text.find(relative)
    is_object = any(at > source.text.find(verb) >= 0 for verb in ("shall", "must", "should"))
    is_every = re.search(
        rf"\b(?:every|each|all|any)\b[^,]*\b{re.escape(noun)}\s*$", source.text[:at]
    )
    return source.modality in DUTIES and is_object and is_every is None


def _alternatives(seen: Comparison, restriction: str) -> list[str]:
    parts = [part for part in re.split(r"\bor\b|,", restriction) if _needed(seen, part)]
    return parts or [restriction]


def _needed(seen: Comparison, restriction: str) -> list[Word]:
    """The words that only the restriction adds to the statement."""
    rest = {word.concept for word in words(seen.source.text.replace(restriction, " "))}
    added = [word for word in content(restriction) if word.concept not in rest]
    return added or list(content(restriction))


def _kept(seen: Comparison, restriction: str) -> float:
    needed = _needed(seen, restriction)
    kept = (
        sum(seen.is_said(word, seen.claim.text, KEPT_WORD) for word in needed) / len(needed)
        if needed
        else 0.0
    )
    numbers = find_quantities(restriction)
    if numbers:
        agreeing = sum(any(n.agrees(q) for q in seen.claim.quantities) for n in numbers)
        share = agreeing / len(numbers)
        return (kept * len(needed) + share * len(numbers)) / (len(needed) + len(numbers))
    return kept


def _check_thresholds(seen: Comparison) -> Check | None:
    """ "more than 100 euros" and "shorter than six metres" say whom a rule is about."""
    claimed = seen.claim.quantities
    for quantity in seen.source.quantities:
        if any(quantity.agrees(other) for other in claimed):
            continue
        is_cap = CAP.search(seen.source.text) is not None
        if quantity.limit in (Limit.OVER, Limit.UNDER) and quantity.unit not in ("clock", "date"):
            return failed("conditions", f"the claim leaves out “{quantity.limit} {quantity.text}”")
        if quantity.limit is Limit.AT_MOST and (is_denial(seen.source.modality) and is_cap):
            return failed("conditions", f"the claim leaves out “{quantity.limit} {quantity.text}”")
    return None
