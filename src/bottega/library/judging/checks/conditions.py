"""Conditions: what holds only under one, for some or for a time may not be said without it.

The rule: a dropped condition, exception, threshold or narrowing of the subject fails. A duty may
lose its details (it is still a duty); a permission, a ban and a fact may not lose their time. The
end of something allowed ("until …") is a detail and only leaves a doubt.
"""

import re
from collections.abc import Sequence

from bottega.library.judging.alignment import content
from bottega.library.judging.checks.comparison import (
    CAP,
    KEPT_WORD,
    Comparison,
    doubtful,
    failed,
    head_noun,
    is_about_condition,
    passed,
)
from bottega.library.judging.landmarks import (
    BACK_REFERENCE,
    DEFINITION,
    EXCEPT,
    EXISTS,
    NEGATOR,
    ONLY_THERE,
    THERE_ARE,
)
from bottega.library.judging.modality import Modality, is_denial
from bottega.library.judging.quantities import Limit, find_quantities
from bottega.library.judging.statements import Statement
from bottega.library.judging.verdicts import Check
from bottega.library.judging.words import Word, words

#: The share of a condition's words that a claim must keep, and below which it has dropped it.
KEPT, DROPPED = 0.5, 0.3
#: More where the claim has no condition at all: what it shares may be just the matter itself.
KEPT_BARE, DROPPED_BARE = 0.7, 0.6
NOTHING_LEFT_OUT = re.compile(
    r"\bunder (?:any|all) circumstances\b|\bin (?:all|any|every) cases?\b|\balways\b"
    r"|\bwithout exceptions?\b|\bunconditional|\bat any time\b|\bfor any (?:purpose|reason)\b",
    re.I,
)
#: How else a claim may say under which condition.
WITH = re.compile(
    r"\b(?:with|without|during|after|before|in case|under|on|upon|for|by|at|from|outside"
    r"|between)\b",
    re.I,
)
#: "packages that are not native": the claim has to deny it, too, in one way or another.
DENIAL = re.compile(r"\b(?:not|no|never|without|nor)\b|n't\b", re.I)
DENIED = re.compile(
    rf"{NEGATOR.pattern}|\b(?:non-?|un)[a-z]{{3,}}|\b(?:lack|absen|miss|fail)|\b(?:except|apart"
    r"|outside|only|before|needs?|needed|requires?|required|empty|free)\b",
    re.I,
)
EVERY = re.compile(
    r"\b(?:all|any|every|each) (?P<noun>\w+)(?=[,.;]|$"
    r"| (?:shall|must|should|may|can|is|are|of|in|on|under|that|which|who|for|to|by|at)\b)",
    re.I,
)
REDUCED_VERB = re.compile(r"\w+(?:ed|en|ing|built|made) (?:by|in|for|with|under|from|on|at|via)\b")
DUTIES = frozenset([Modality.OBLIGATION, Modality.RECOMMENDATION])


def check_conditions(seen: Comparison) -> Check:
    """What holds only under a condition, for some or for a time, may not be said without it."""
    claim, source = seen.claim, seen.source
    limits = [each for statement in seen.paragraph for each in statement.conditions]
    if limits and NOTHING_LEFT_OUT.search(claim.text) and not NOTHING_LEFT_OUT.search(source.text):
        return failed("conditions", f"the paragraph says “{limits[0]}”")
    if turned := _find_turned(seen):
        return failed("conditions", f"the paragraph says “{turned}”")
    worst = passed("conditions")
    for restriction in _restrictions(seen):
        kept = max(_kept(seen, part) for part in _alternatives(seen, restriction))
        reason = f"the claim leaves out “{restriction}”"
        least, dropped = (KEPT_BARE, DROPPED_BARE) if _is_bare(claim) else (KEPT, DROPPED)
        if kept < dropped and not _is_end(restriction, source):
            return failed("conditions", reason)
        if kept < least:
            worst = doubtful("conditions", reason)
    return _check_thresholds(seen) or _check_subject(seen) or _check_widened(seen) or worst


def _find_turned(seen: Comparison) -> str | None:
    """ "if none is left" where the paragraph says "if some are left"."""
    for own in seen.claim.conditions:
        if not DENIAL.search(own):
            continue
        for condition in seen.source.conditions:
            shared = seen.nearness.coverage(content(condition), content(own))
            if shared >= KEPT and not DENIED.search(condition):
                return condition
    return None


def _check_widened(seen: Comparison) -> Check | None:
    """ "any subdirectory" where the paragraph says "a direct subdirectory"."""
    for every in EVERY.finditer(seen.claim.text):
        noun = words(every["noun"])
        for word in seen.source.words:
            if noun and word.concept == noun[0].concept:
                front = seen.source.text[: word.position]
                narrow = words(front.split()[-1]) if front.endswith(" ") and front.strip() else ()
                if narrow and not seen.is_said(narrow[0], seen.claim.text):
                    reason = f"the paragraph says it of “{narrow[0].text} {word.text}” only"
                    return failed("conditions", reason)
    return None


def _is_bare(claim: Statement) -> bool:
    own = [each for each in claim.conditions if not EXCEPT.match(each)]
    narrowings = own or claim.relatives or claim.periods or claim.is_exclusive
    return not narrowings and not WITH.search(claim.text)


def _is_end(restriction: str, source: Statement) -> bool:
    """ "may keep it until …": the end of something allowed is a detail, that of a ban is not."""
    return restriction.lower().startswith("until") and not is_denial(source.modality)


def _check_subject(seen: Comparison) -> Check | None:
    """ "every person on deck of a vessel under way" is not every person on a vessel."""
    head = head_noun(seen.source.subject)
    if head is None or seen.source.leans or DEFINITION.search(seen.source.text):
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
    found = [each for each in source.conditions if not is_about_condition(seen, each)]
    if BACK_REFERENCE.match(seen.claim.text) and BACK_REFERENCE.match(source.text):
        found = [each for each in found if each in source.text]
    for relative, noun in source.relatives:
        about = words(noun)
        # "or which …" is one of several cases.
        if noun.lower() == "or" or _only_describes(relative, noun, source):
            continue
        if not about or any(seen.is_said(word, seen.claim.text) for word in about):
            found.append(relative)
    if source.modality not in DUTIES:
        found += source.periods
    if source.is_exclusive and not seen.claim.is_exclusive:
        found += [match[0] for match in ONLY_THERE.finditer(source.core)]
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
    if THERE_ARE.match(source.text):
        return True
    return source.modality in DUTIES and is_object and is_every is None


def _alternatives(seen: Comparison, restriction: str) -> list[str]:
    parts = re.split(r"\bor\b|,", restriction)
    parts = [part for part in parts if _needed(seen, part) or find_quantities(part)]
    return parts or [restriction]


def _needed(seen: Comparison, restriction: str) -> list[Word]:
    """The words that only the restriction adds to the statement."""
    rest = {word.concept for word in words(seen.source.text.replace(restriction, " "))}
    added = [word for word in content(restriction) if word.concept not in rest]
    heavy = [word for word in added if word.weight >= 1]
    return heavy or added or list(content(restriction))


def _kept(seen: Comparison, restriction: str) -> float:
    if EXISTS.search(restriction) and EXISTS.search(seen.claim.text):
        return 1.0
    if DENIAL.search(restriction) and not DENIED.search(seen.claim.text):
        return 0.0
    # "files created for it" are the files for it.
    _, *rest = content(restriction) or (None,)
    if REDUCED_VERB.match(restriction) and rest and _are_said(seen, rest):
        return 1.0
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


def _are_said(seen: Comparison, asked: Sequence[Word]) -> bool:
    return all(seen.is_said(word, seen.claim.text, KEPT_WORD) for word in asked)


def _check_thresholds(seen: Comparison) -> Check | None:
    """ "more than 100 euros" and "shorter than six metres" say whom a rule is about."""
    claimed = seen.claim.quantities
    for quantity in seen.source.quantities:
        if any(quantity.agrees(other) for other in claimed):
            continue
        is_cap = CAP.search(seen.source.text) is not None
        if any(quantity.text in condition for condition in seen.source.conditions):
            continue  # conditions are checked on their own
        if quantity.limit in (Limit.OVER, Limit.UNDER) and quantity.unit not in (
            "clock",
            "date",
            "ordinal",
            "version",
        ):
            return failed("conditions", f"the claim leaves out “{quantity.limit} {quantity.text}”")
        if quantity.limit is Limit.AT_MOST and (is_denial(seen.source.modality) and is_cap):
            return failed("conditions", f"the claim leaves out “{quantity.limit} {quantity.text}”")
    return None
