"""Contradictions: two statements about the same thing that cannot both be followed.

Two statements are about the same thing if each says most of the other's words, in the same role.
They contradict each other if then the one demands or allows what the other forbids or spares, one
denies what the other states, the numbers for the same unit differ, or the direction does.
Statements under different conditions are about different cases, and no contradiction.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from bottega.library.judging.alignment import Embed, Nearness, content, opposites
from bottega.library.judging.checks.comparison import CAP
from bottega.library.judging.checks.denials import is_negative
from bottega.library.judging.landmarks import DEFINITION
from bottega.library.judging.modality import Modality
from bottega.library.judging.quantities import Limit
from bottega.library.judging.statements import Statement, read_statements
from bottega.library.judging.verdicts import AxisResult
from bottega.library.judging.words import Word, words

#: The share of words that the two must have in common, in both directions and at the least.
SAME_MATTER, AT_LEAST = 0.68, 0.5
#: The share of a condition's words that makes two conditions the same case.
SAME_CASE = 0.5

CONFLICTS = [
    {Modality.OBLIGATION, Modality.PROHIBITION},
    {Modality.OBLIGATION, Modality.EXEMPTION},
    {Modality.PERMISSION, Modality.PROHIBITION},
    {Modality.RECOMMENDATION, Modality.ADVICE_AGAINST},
    {Modality.RECOMMENDATION, Modality.PROHIBITION},
    {Modality.OBLIGATION, Modality.ADVICE_AGAINST},
]


@dataclass(frozen=True, slots=True)
class Said:
    where: str
    statement: Statement


def find_contradictions(
    paragraphs: Mapping[str, str], claims: Sequence[str] = (), *, embed: Embed | None = None
) -> AxisResult:
    """Among the paragraphs, and between each of the claims and all of them."""
    said = [
        Said(where, statement)
        for where, text in [
            *paragraphs.items(),
            *((f"claim {n}", c) for n, c in enumerate(claims, 1)),
        ]
        for statement in read_statements(text)
    ]
    nearness = Nearness(embed, (), [word for each in said for word in each.statement.words])
    details = []
    for one, other in combinations(said, 2):
        if one.where == other.where:
            continue
        if reason := next(_conflicts(one.statement, other.statement, nearness), None):
            details.append(
                {
                    "between": [one.where, other.where],
                    "statements": [one.statement.text, other.statement.text],
                    "reason": reason,
                }
            )
    score = max(0.0, 1 - len(details) / max(1, len(said)))
    return AxisResult(round(score, 3), not details, tuple(details))


def _conflicts(one: Statement, other: Statement, nearness: Nearness) -> Iterator[str]:
    if not _is_same_matter(one, other, nearness) or not _is_same_case(one, other, nearness):
        return
    numbers, directions = [*_numbers_differ(one, other)], [*_directions_differ(one, other)]
    if numbers and directions:
        return  # 72 hours by sea and 24 by road: two cases
    is_capped = CAP.search(one.text) is not None or CAP.search(other.text) is not None
    if {one.modality, other.modality} in CONFLICTS and not is_capped:
        yield f"one says “{one.modality}”, the other “{other.modality}”"
    is_fact = Modality.FACT in (one.modality, other.modality) and not is_capped
    if is_fact and is_negative(one) != is_negative(other):
        yield "one denies what the other says"
    yield from (*numbers, *directions)


def _is_same_matter(one: Statement, other: Statement, nearness: Nearness) -> bool:
    if DEFINITION.search(one.text) or DEFINITION.search(other.text):
        return False
    ours, theirs = content(one.core), content(other.core)
    if {word.concept for word in ours}.isdisjoint(word.concept for word in theirs):
        return False
    if len(ours) < 2 or len(theirs) < 2 or not _is_same_subject(one, other, nearness):
        return False
    there = nearness.coverage(_without_direction(ours, theirs), theirs)
    back = nearness.coverage(_without_direction(theirs, ours), ours)
    return min(there, back) >= AT_LEAST and (there + back) / 2 >= SAME_MATTER


def _without_direction(ours: Sequence[Word], theirs: Sequence[Word]) -> list[Word]:
    """A word whose opposite the other has would make the two look unrelated."""
    said = {word.concept for word in theirs}
    return [word for word in ours if not opposites(word) & said]


def _is_same_subject(one: Statement, other: Statement, nearness: Nearness) -> bool:
    ours, theirs = _subject(one), _subject(other)
    if one.is_passive != other.is_passive:
        return True
    if len(_without_direction(ours, theirs)) < len(ours):
        return False  # the public ones and the private ones
    return (
        nearness.coverage(ours, theirs) >= SAME_CASE or nearness.coverage(theirs, ours) >= SAME_CASE
    )


def _subject(statement: Statement) -> Sequence[Word]:
    """What it is about; its first word if the verb was not recognised."""
    return content(statement.subject) or content(statement.core)[:1]


def _is_same_case(one: Statement, other: Statement, nearness: Nearness) -> bool:
    """Both without conditions, or under the same ones."""
    ours = [*one.conditions, *(text for text, _ in one.relatives), *one.periods]
    theirs = [*other.conditions, *(text for text, _ in other.relatives), *other.periods]
    if _are_thresholds_apart(one, other):
        return False
    here, there = words(" ".join(ours)), words(" ".join(theirs))
    if not here and not there:
        return True
    if not here or not there:
        return False
    return (
        nearness.coverage(here, there) >= SAME_CASE and nearness.coverage(there, here) >= SAME_CASE
    )


def _are_thresholds_apart(one: Statement, other: Statement) -> bool:
    """More than 500 euros, and less than that."""
    up, down = {Limit.OVER, Limit.AT_LEAST}, {Limit.UNDER, Limit.AT_MOST}
    return any(
        a.unit == b.unit and {a.limit, b.limit} & up and {a.limit, b.limit} & down
        for a in one.quantities
        for b in other.quantities
    )


def _numbers_differ(one: Statement, other: Statement) -> Iterator[str]:
    for unit in {quantity.unit for quantity in one.quantities if quantity.unit}:
        ours = [quantity for quantity in one.quantities if quantity.unit == unit]
        theirs = [quantity for quantity in other.quantities if quantity.unit == unit]
        # With several numbers of one kind nobody knows which is meant to be which.
        if len(ours) != 1 or len(theirs) != 1 or ours[0].agrees(theirs[0]):
            continue
        yield f"one says “{ours[0].text}”, the other “{theirs[0].text}”"


def _directions_differ(one: Statement, other: Statement) -> Iterator[str]:
    if is_negative(one) != is_negative(other):
        return
    said = {word.concept: word for word in other.words}
    mine = {word.concept for word in one.words}
    for word in one.words:
        against = opposites(word) & said.keys()
        if against and word.concept not in said and not against & mine:
            yield f"one says “{word.text}”, the other “{said[next(iter(against))].text}”"
            return
