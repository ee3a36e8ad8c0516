"""Swaps: the same words, but two of them have changed places.

"Whoever disagrees with the master may appeal to the council" and the other way round have the same
words. What tells them apart is the place of each noun: subject, object, behind which preposition.
"""

import re
from collections import defaultdict
from itertools import combinations

from bottega.library.judging.alignment import content
from bottega.library.judging.checks.comparison import Comparison, failed, passed
from bottega.library.judging.landmarks import CONTRAST, DEFINITION, GERUND
from bottega.library.judging.statements import Statement
from bottega.library.judging.verdicts import Check
from bottega.library.judging.vocabulary import ANYBODY

BEHIND = re.compile(
    r"\b(?P<preposition>of|to|by|from|for|with|under|over|before|after|than|into|in|on|at|against)\s+"
    r"(?:(?:the|an?|its|their|any|each|every|this|that|these|those)\s+)?(?:[\w-]+\s+){0,2}(?:\w+-)*$",
    re.I,
)
#: "A differs from B" is "B differs from A".
MUTUAL = re.compile(
    r"\b(?:differ\w*|conflict\w*|same as|(?:is|are) the same|equal|between"
    r"|each other|one another)\b",
    re.I,
)


#: Behind these a name is no longer who acts or is meant first.
TURNING = frozenset(["over", "than", "from", "to", "before", "after", "by"])
#: A claim that says hardly anything but its source, and most of that.
SAID, REPEATED = 0.85, 0.7


def check_swaps(seen: Comparison) -> Check:
    claim, source = seen.claim, seen.source
    if _is_contrast_turned(claim, source):
        return failed("swap", f"the paragraph says it the other way round: “{source.core}”")
    if not _are_built_alike(claim, source) or not _is_repetition(seen):
        return passed("swap")
    is_alike = _begins_with_subject(claim) and _begins_with_subject(source)
    here, there = _places(claim), _places(source)
    moved = [each for each in here if each in there and here[each].isdisjoint(there[each])]
    for one, other in combinations(moved, 2):
        by_order = (here[one] | here[other]) & {"subject", "object"}
        is_certain = not by_order or (is_alike and len(by_order) == 1)
        if is_certain and here[one] & there[other] and here[other] & there[one]:
            return failed("swap", f"“{one}” and “{other}” have changed places in the claim")
    for word in claim.words:
        place = here[word.concept] | there.get(word.concept, set())
        is_moved = word.is_name and word.concept in moved
        if is_alike and is_moved and "subject" in place and place & TURNING:
            return failed("swap", f"“{word.text}” has another place in the claim")
    return passed("swap")


def _is_contrast_turned(claim: Statement, source: Statement) -> bool:
    """ "in /etc rather than in /usr" against "in /usr rather than in /etc"."""
    ours, theirs = CONTRAST.split(claim.text), CONTRAST.split(source.text)
    if len(ours) != 2 or len(theirs) != 2:
        return False
    here = [{word.concept for word in content(part)} for part in ours]
    there = [{word.concept for word in content(part)} for part in theirs]
    kept, dropped = there[0] - there[1], there[1] - there[0]
    return bool(dropped & (here[0] - here[1])) and bool(kept & (here[1] - here[0]))


def _are_built_alike(claim: Statement, source: Statement) -> bool:
    """Otherwise the places say nothing: active and passive, a definition, an inversion."""
    return (
        claim.is_passive == source.is_passive
        and claim.modality is source.modality
        and not MUTUAL.search(source.text)
        and not DEFINITION.search(source.text)
    )


def _begins_with_subject(statement: Statement) -> bool:
    is_named = bool(statement.subject) and statement.subject.lower() not in ANYBODY
    is_first = is_named and statement.core.startswith(statement.subject)
    return is_first and not GERUND.match(statement.subject)


def _is_repetition(seen: Comparison) -> bool:
    ours, theirs = content(seen.claim.text), content(seen.source.core)
    return (
        seen.nearness.coverage(ours, seen.source.words) >= SAID
        and seen.nearness.coverage(theirs, seen.claim.words) >= REPEATED
    )


def _places(statement: Statement) -> dict[str, set[str]]:
    """For each concept, where it stands."""
    end_of_subject = statement.text.find(statement.subject) + len(statement.subject)
    places: dict[str, set[str]] = defaultdict(set)
    for word in statement.words:
        before = BEHIND.search(statement.text[: word.position])
        if before:
            places[word.concept].add(before["preposition"].lower())
        else:
            is_subject = bool(statement.subject) and word.position < end_of_subject
            places[word.concept].add("subject" if is_subject else "object")
    return places
