"""Contradictions: two statements about the same thing that cannot both be followed.

Two statements are about the same thing if each says nearly all of the other's words. They
contradict each other if then one thing differs: the number for the same unit, a denial, how binding
it is, or the direction. Two differences, or other conditions, make two cases and no contradiction.

One matrix product tells which pairs share enough words to be worth a closer look: of the half
million pairs among a thousand paragraphs, a few thousand.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bottega.core.readers.guards import NEGATOR, denials, opposed
from bottega.core.readers.modality import MODAL_WORDS, Modality, find_modality
from bottega.core.readers.quantities import NUMBER_WORDS, Limit, Quantity, find_quantities
from bottega.core.text.words import STOP_WORDS, sentences, stem, words
from bottega.library.verify.verdicts import AxisResult

#: The share of words that the two must have in common, and of a condition's words.
SAME_MATTER, SAME_CASE = 0.7, 0.6
#: The share of the shorter one's words that two must have in common to be compared at all.
WORTH_A_LOOK = 0.5
#: Fewer words make a heading, not a rule.
LEAST_WORDS = 2
#: Rows of one matrix product.
BLOCK = 1024
#: "A day pass means …" says what a word means; two such sentences are about two words.
DEFINITION = re.compile(r"\b(?:means|refers to|is defined as|stands for)\b", re.IGNORECASE)
CONDITION = re.compile(
    r"\b(?:if|unless|when|whenever|while|until|except|provided|during|where|who|whose|only|in case"
    r"|from|between|on|for|of more than|of less than|over|under)\b[^,;.]*",
    re.IGNORECASE,
)
CONFLICTS = [
    {Modality.OBLIGATION, Modality.PROHIBITION},
    {Modality.OBLIGATION, Modality.EXEMPTION},
    {Modality.PERMISSION, Modality.PROHIBITION},
    {Modality.RECOMMENDATION, Modality.ADVICE_AGAINST},
    {Modality.RECOMMENDATION, Modality.PROHIBITION},
    {Modality.OBLIGATION, Modality.ADVICE_AGAINST},
]


@dataclass(frozen=True)
class ComparedStatement:
    """A sentence with all that is compared of it, worked out once."""

    where: str
    text: str

    @cached_property
    def plain(self) -> str:
        """Without numbers, denials and how binding it is."""
        text = self.text
        for each in reversed(self.quantities):
            if each.is_measure or each.unit == "time":
                text = f"{text[: each.start]} {text[each.end :]}"
        return MODAL_WORDS.sub(" ", NEGATOR.sub(" ", text))

    @cached_property
    def stems(self) -> frozenset[str]:
        """What it speaks of."""
        return _stems(self.plain)

    @cached_property
    def subject(self) -> frozenset[str]:
        """The first words that it speaks of: "guide dogs" are not all dogs."""
        return frozenset([*_ordered_stems(self.plain)][:2])

    @cached_property
    def quantities(self) -> tuple[Quantity, ...]:
        return find_quantities(self.text)

    @cached_property
    def modality(self) -> Modality:
        return find_modality(self.text)[0]

    @cached_property
    def denials(self) -> int:
        return denials(self.text)

    @cached_property
    def condition(self) -> frozenset[str]:
        """The words of what it is said of, and when."""
        return _stems(" ".join(CONDITION.findall(self.plain)))

    @cached_property
    def is_rule(self) -> bool:
        return len(self.stems) >= LEAST_WORDS and not DEFINITION.search(self.text)


def _stems(text: str) -> frozenset[str]:
    return frozenset(_ordered_stems(text))


def _ordered_stems(text: str) -> Iterator[str]:
    for word in words(text):
        if word not in STOP_WORDS and not word.isdigit() and word not in NUMBER_WORDS:
            yield stem(word)


def find_contradictions(paragraphs: Mapping[str, str], claims: Sequence[str] = ()) -> AxisResult:
    """Among the paragraphs, and between each of the claims and all of them."""
    texts = [*paragraphs.items(), *((f"claim {n}", c) for n, c in enumerate(claims, 1))]
    said = [ComparedStatement(where, each) for where, text in texts for each in sentences(text)]
    details = []
    for one, other in _worth_a_look([each for each in said if each.is_rule]):
        if reason := _conflict(one, other):
            details.append(
                {
                    "between": [one.where, other.where],
                    "statements": [one.text, other.text],
                    "reason": reason,
                }
            )
    score = max(0.0, 1 - len(details) / max(1, len(said)))
    return AxisResult(round(score, 3), not details, tuple(details))


def _worth_a_look(
    said: Sequence[ComparedStatement],
) -> Iterator[tuple[ComparedStatement, ComparedStatement]]:
    """The pairs from different places with enough words in common, in their order."""
    if not said:
        return
    table = _word_table(said)
    sizes = table.sum(axis=1)
    for start in range(0, len(said), BLOCK):
        block = slice(start, start + BLOCK)
        shared = table[block] @ table.T
        least = WORTH_A_LOOK * np.minimum(sizes[block, None], sizes[None, :])
        for row, column in np.argwhere(np.triu(shared >= np.maximum(least, 1), start + 1)):
            one, other = said[start + row], said[column]
            if one.where != other.where:
                yield one, other


def _word_table(said: Sequence[ComparedStatement]) -> NDArray[np.float32]:
    """One row a statement, one column a word."""
    places: dict[str, int] = {}
    cells = [
        (row, places.setdefault(word, len(places)))
        for row, each in enumerate(said)
        for word in each.stems
    ]
    table = np.zeros((len(said), len(places)), np.float32)
    rows, columns = zip(*cells, strict=True)
    table[rows, columns] = 1.0
    return table


def _conflict(one: ComparedStatement, other: ComparedStatement) -> str | None:
    """The one thing in which two statements about the same differ."""
    directions = opposed(one.text, other.text)
    if not _is_same_matter(one, other, len(directions)) or not _is_same_case(one, other):
        return None
    found = [
        *_bindings_differ(one, other),
        *_numbers_differ(one, other),
        *(f"one says “{mine}”, the other “{theirs}”" for mine, theirs in directions),
    ]
    return found[0] if len(found) == 1 else None


def _is_same_matter(one: ComparedStatement, other: ComparedStatement, directions: int) -> bool:
    """Nearly all words are shared, not both have one of their own, and none narrows it down."""
    mine, theirs = one.stems - other.stems, other.stems - one.stems
    if len(mine) > directions and len(theirs) > directions:
        return False
    if not directions and (mine & one.subject or theirs & other.subject):
        return False
    shared = len(one.stems & other.stems) + directions
    return min(shared / len(one.stems), shared / len(other.stems)) >= SAME_MATTER


def _is_same_case(one: ComparedStatement, other: ComparedStatement) -> bool:
    """Both without conditions, or under the same ones."""
    up, down = {Limit.OVER, Limit.AT_LEAST}, {Limit.UNDER, Limit.AT_MOST}
    for mine, theirs in [(a, b) for a in one.quantities for b in other.quantities]:
        limits = {mine.limit, theirs.limit}
        if mine.unit == theirs.unit == "ordinal" and mine.value != theirs.value:
            return False
        if mine.unit == theirs.unit and limits & up and limits & down:
            return False
    mine_case, their_case = one.condition - other.stems, other.condition - one.stems
    return not mine_case and not their_case


def _bindings_differ(one: ComparedStatement, other: ComparedStatement) -> Iterator[str]:
    if {one.modality, other.modality} in CONFLICTS:
        yield f"one says “{one.modality}”, the other “{other.modality}”"
    elif Modality.FACT in (one.modality, other.modality) and one.denials % 2 != other.denials % 2:
        yield "one denies what the other says"


def _numbers_differ(one: ComparedStatement, other: ComparedStatement) -> Iterator[str]:
    # The first one and the second one are two things.
    for unit in {each.unit for each in one.quantities if each.unit not in ("", "ordinal")}:
        mine = [each for each in one.quantities if each.unit == unit]
        theirs = [each for each in other.quantities if each.unit == unit]
        # With several numbers of one kind nobody knows which is meant to be which.
        if len(mine) == len(theirs) == 1 and not mine[0].agrees(theirs[0]):
            yield f"one says “{mine[0].text}”, the other “{theirs[0].text}”"
