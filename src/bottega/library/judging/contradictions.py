"""Contradictions: two statements about the same thing that cannot both be followed.

Two statements are about the same thing if each says most of the other's words, in the same role.
They contradict each other if then the one demands or allows what the other forbids or spares, one
denies what the other states, the numbers for the same unit differ, or the direction does.
Statements under different conditions are about different cases, and no contradiction.

Each statement is read once, and one matrix product tells which pairs share enough words to be worth
a closer look: of the half million pairs among a thousand paragraphs, a few thousand.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bottega.library.judging.alignment import Embed, Nearness, content, opposites
from bottega.library.judging.checks.comparison import CAP, KEPT_WORD
from bottega.library.judging.checks.denials import is_negative
from bottega.library.judging.landmarks import DEFINITION
from bottega.library.judging.modality import Modality
from bottega.library.judging.quantities import Limit
from bottega.library.judging.statements import Statement, read_statements
from bottega.library.judging.verdicts import AxisResult
from bottega.library.judging.vocabulary import ANYBODY
from bottega.library.judging.words import Word, words

#: The share of words that the two must have in common, in both directions and at the least.
SAME_MATTER, AT_LEAST = 0.78, 0.5
#: The share of a condition's words that makes two conditions the same case.
SAME_CASE = 0.6
#: The share of the shorter one's words that two must have literally in common to be compared.
WORTH_A_LOOK = 0.4
#: A text of so few words may be a heading.
SHORTEST_HEADING = 3
#: Rows of one matrix product.
BLOCK = 1024

CONFLICTS = [
    {Modality.OBLIGATION, Modality.PROHIBITION},
    {Modality.OBLIGATION, Modality.EXEMPTION},
    {Modality.PERMISSION, Modality.PROHIBITION},
    {Modality.RECOMMENDATION, Modality.ADVICE_AGAINST},
    {Modality.RECOMMENDATION, Modality.PROHIBITION},
    {Modality.OBLIGATION, Modality.ADVICE_AGAINST},
]


@dataclass(frozen=True)
class Said:
    """A statement with all that is compared of it, worked out once."""

    where: str
    statement: Statement

    @cached_property
    def core(self) -> Sequence[Word]:
        return content(self.statement.core)

    @cached_property
    def subject(self) -> Sequence[Word]:
        """What it is about; its first word if the verb was not recognised, none of an "it"."""
        subject = self.statement.subject
        if subject.lower() in ANYBODY:
            return ()
        return content(subject) or self.core[:1]

    @cached_property
    def case(self) -> Sequence[Word]:
        """The words of what it is said of, and when."""
        told = self.statement
        return words(" ".join([*told.conditions, *(t for t, _ in told.relatives), *told.periods]))

    @cached_property
    def is_negative(self) -> bool:
        return is_negative(self.statement)

    @cached_property
    def is_capped(self) -> bool:
        return CAP.search(self.statement.text) is not None

    @cached_property
    def is_rule(self) -> bool:
        """Definitions say what a word means; a heading or a word alone says nothing."""
        text = self.statement.text
        is_sentence = len(text.split()) > SHORTEST_HEADING and len(self.core) >= 2
        return is_sentence and DEFINITION.search(text) is None


def find_contradictions(
    paragraphs: Mapping[str, str], claims: Sequence[str] = (), *, embed: Embed | None = None
) -> AxisResult:
    """Among the paragraphs, and between each of the claims and all of them."""
    texts = [*paragraphs.items(), *((f"claim {n}", c) for n, c in enumerate(claims, 1))]
    said = [Said(where, each) for where, text in texts for each in read_statements(text)]
    nearness = Nearness(embed, [word for each in said for word in each.statement.words])
    details = []
    for one, other in _worth_a_look([each for each in said if each.is_rule]):
        if reason := next(_conflicts(one, other, nearness), None):
            details.append(
                {
                    "between": [one.where, other.where],
                    "statements": [one.statement.text, other.statement.text],
                    "reason": reason,
                }
            )
    score = max(0.0, 1 - len(details) / max(1, len(said)))
    return AxisResult(round(score, 3), not details, tuple(details))


def _worth_a_look(said: Sequence[Said]) -> Iterator[tuple[Said, Said]]:
    """The pairs from different places with enough words in common, in their order."""
    if not said:
        return
    table = _concept_table(said)
    sizes = table.sum(axis=1)
    for start in range(0, len(said), BLOCK):
        block = slice(start, start + BLOCK)
        shared = table[block] @ table.T
        least = WORTH_A_LOOK * np.minimum(sizes[block, None], sizes[None, :])
        for row, column in np.argwhere(np.triu(shared >= np.maximum(least, 1), start + 1)):
            one, other = said[start + row], said[column]
            if one.where != other.where:
                yield one, other


def _concept_table(said: Sequence[Said]) -> NDArray[np.float32]:
    """One row a statement, one column a concept."""
    places: dict[str, int] = {}
    cells = [
        (row, places.setdefault(word.concept, len(places)))
        for row, each in enumerate(said)
        for word in each.core
    ]
    table = np.zeros((len(said), len(places)), np.float32)
    rows, columns = zip(*cells, strict=True)
    table[rows, columns] = 1.0
    return table


def _conflicts(one: Said, other: Said, nearness: Nearness) -> Iterator[str]:
    reasons = _differences(one, other)
    if reasons and _is_same_matter(one, other, nearness) and _is_same_case(one, other, nearness):
        yield from reasons


def _differences(one: Said, other: Said) -> list[str]:
    """What would contradict if it were the same matter: cheap to find, and mostly there is none.

    Two differences of different kinds make two cases: "by sea 72 hours, by road 24", "small ones
    may, large ones may not".
    """
    kinds = [
        [*_modalities_differ(one, other)],
        [*_numbers_differ(one.statement, other.statement)],
        [*_directions_differ(one, other)],
    ]
    found = [reasons for reasons in kinds if reasons]
    return found[0] if len(found) == 1 else []


def _modalities_differ(one: Said, other: Said) -> Iterator[str]:
    ours, theirs = one.statement.modality, other.statement.modality
    if one.is_capped or other.is_capped:
        return
    if {ours, theirs} in CONFLICTS:
        yield f"one says “{ours}”, the other “{theirs}”"
    elif Modality.FACT in (ours, theirs) and one.is_negative != other.is_negative:
        yield "one denies what the other says"


def _is_same_matter(one: Said, other: Said, nearness: Nearness) -> bool:
    """Where each has a word of its own, the two are about different things."""
    if not _is_same_subject(one, other, nearness):
        return False
    ours, theirs = _own_words(one, other, nearness), _own_words(other, one, nearness)
    if ours and theirs:
        return False
    there = nearness.coverage(_without_direction(one.core, other.core), other.core)
    back = nearness.coverage(_without_direction(other.core, one.core), one.core)
    return min(there, back) >= AT_LEAST and (there + back) / 2 >= SAME_MATTER


def _own_words(one: Said, other: Said, nearness: Nearness) -> list[Word]:
    return [
        word
        for word in _without_direction(one.core, other.core)
        if word.weight >= 1 and nearness.best(word, other.statement.words)[0] < KEPT_WORD
    ]


def _without_direction(ours: Sequence[Word], theirs: Sequence[Word]) -> list[Word]:
    """A word whose opposite the other has would make the two look unrelated."""
    said = {word.concept for word in theirs}
    return [word for word in ours if not opposites(word) & said]


def _is_same_subject(one: Said, other: Said, nearness: Nearness) -> bool:
    """What narrows one of them down ("guide dogs") makes it an exception to the other."""
    if one.statement.is_passive != other.statement.is_passive:
        return True
    if not one.subject or not other.subject:
        return True
    said = one.statement.words, other.statement.words
    return not any(
        word.weight >= 1 and nearness.best(word, theirs)[0] < KEPT_WORD
        for subject, theirs in ((one.subject, said[1]), (other.subject, said[0]))
        for word in subject
    )


def _is_same_case(one: Said, other: Said, nearness: Nearness) -> bool:
    """Both without conditions, or under the same ones."""
    if _are_thresholds_apart(one.statement, other.statement):
        return False
    if not one.case or not other.case:
        return not one.case and not other.case
    return (
        nearness.coverage(one.case, other.case) >= SAME_CASE
        and nearness.coverage(other.case, one.case) >= SAME_CASE
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
    # The first one and the second one are two things.
    for unit in {each.unit for each in one.quantities if each.unit not in ("", "ordinal")}:
        ours = [quantity for quantity in one.quantities if quantity.unit == unit]
        theirs = [quantity for quantity in other.quantities if quantity.unit == unit]
        # With several numbers of one kind nobody knows which is meant to be which.
        if len(ours) != 1 or len(theirs) != 1 or ours[0].agrees(theirs[0]):
            continue
        yield f"one says “{ours[0].text}”, the other “{theirs[0].text}”"


def _directions_differ(one: Said, other: Said) -> Iterator[str]:
    said = {word.concept: word for word in other.statement.words}
    mine = {word.concept for word in one.statement.words}
    for word in one.statement.words:
        against = opposites(word) & said.keys()
        if against and word.concept not in said and not against & mine:
            yield f"one says “{word.text}”, the other “{said[next(iter(against))].text}”"
            return
