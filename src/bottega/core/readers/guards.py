"""Three guards that veto what a reader would let through: a number, a denial, how binding it is.

A reader that compares meaning finds “within 60 days” and “within 80 days” nearly the same. Each
guard looks at one such difference, only where claim and text speak of the same thing, and says in
the words of the two what does not agree.
"""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from bottega.core.readers.modality import Modality, find_modality
from bottega.core.readers.quantities import Limit, Quantity, find_quantities
from bottega.core.text.words import STOP_WORDS, stem, words

NUMBERS, NEGATION, MODALITY = "numbers", "negation", "modality"

#: The share of words that the two must have in common, each way, to be the same but for a denial.
NEAR_VERBATIM = 0.7
#: … and the claim's alone, to be about what the text says is binding.
SAME_MATTER = 0.5
NEGATOR = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|unable|fails?|failed|lacks?)"
    r"\b|n't\b",
    re.IGNORECASE,
)
#: "no more than eight" limits and denies nothing; "not only" adds.
NO_DENIAL = re.compile(
    r"\b(?:no|not|never)\s+(?:\w+\s+){0,3}?(?:more|less|fewer|longer|later|earlier|older|greater"
    r"|higher|lower)\s+than\b|\bnot\s+(?:only|exceed\w*)\b|\bno\s+(?:matter|longer\s+than)\b"
    r"|\b(?:nobody|none|no\s+one|nothing)\s+(?:but|except|other\s+than)\b",
    re.IGNORECASE,
)
#: Units of which an exact value may be said where the text has a limit: "by 1 May", "within a day".
TIMES = frozenset(["date", "clock", "ordinal", "day", "minute", "working day", "month", "version"])
UP, DOWN = frozenset([Limit.AT_LEAST, Limit.OVER]), frozenset([Limit.AT_MOST, Limit.UNDER])
FIGURE = re.compile(r"[A-Za-z]*\d[\w.]*")
#: Where something stands is no part of what it says.
REFERENCE = re.compile(
    r"\b(?:paragraphs?|sections?|chapters?|articles?|standards?|para\.?|clauses?|rules?)\s+"
    r"[A-Z]*-?\d[\w.()]*(?:(?:,| and| to|–)\s+[A-Z]?\d[\w.()]*)*",
    re.IGNORECASE,
)
CLAUSE_END = re.compile(r"[,;:.]\s|\b(?:and|or)\b(?! \d)")
#: What a claim may say of a text that is more or less binding, beside the same.
MAY_SAY = {
    (Modality.FACT, Modality.OBLIGATION),
    (Modality.OBLIGATION, Modality.FACT),
    (Modality.PROHIBITION, Modality.FACT),
    (Modality.FACT, Modality.PROHIBITION),
    (Modality.FACT, Modality.PERMISSION),
    (Modality.PERMISSION, Modality.FACT),
    (Modality.FACT, Modality.EXEMPTION),
    (Modality.EXEMPTION, Modality.FACT),
}
_VOCABULARY = Path(__file__).with_name("vocabulary.toml")
_TABLES: dict[str, str] = tomllib.loads(_VOCABULARY.read_text("utf-8"))


@dataclass(frozen=True, slots=True)
class Objection:
    guard: str
    #: For a person: what does not agree, in the words of the texts.
    reason: str


def find_objections(claim: str, window: str, paragraph: str) -> list[Objection]:
    """What speaks against the claim; `window` is what the paragraph says about its matter."""
    found = (
        _number(claim, window, paragraph),
        _denial(claim, window),
        _binding(claim, window),
    )
    return [each for each in found if each is not None]


def _number(claim: str, window: str, paragraph: str) -> Objection | None:
    near, all_said = find_quantities(window), find_quantities(paragraph)
    for asked in find_quantities(claim):
        same_unit = [each for each in near if each.unit == asked.unit]
        agreeing = [each for each in near if asked.agrees(each)]
        if not agreeing and not same_unit:
            agreeing = [each for each in all_said if asked.agrees(each)]
        if not agreeing:
            said = ", ".join(dict.fromkeys(each.text for each in same_unit or near))
            what = f"the paragraph {said or 'no such number'}"
            return Objection(NUMBERS, f"the claim says “{asked.text}”, {what}")
        if _belongs_elsewhere(claim, asked, window, same_unit):
            what = "belongs to something else in the paragraph"
            return Objection(NUMBERS, f"“{asked.text}” {what}")
        if not any(_limits_agree(asked, each) for each in agreeing):
            what = f"is {asked.limit} in the claim, {agreeing[0].limit} in the paragraph"
            return Objection(NUMBERS, f"“{asked.text}” {what}")
    return _figure(claim, paragraph)


def _figure(claim: str, paragraph: str) -> Objection | None:
    """A figure that counts nothing, `1.6.2`, `python2` or `5th`: it stands there or it does not."""
    read = [
        *((each.start, each.end) for each in find_quantities(claim)),
        *(found.span() for found in REFERENCE.finditer(claim)),
    ]
    said = {found.strip(".").lower() for found in FIGURE.findall(paragraph)}
    for found in FIGURE.finditer(claim):
        is_read = any(start <= found.start() < end for start, end in read)
        if not is_read and found[0].strip(".").lower() not in said:
            return Objection(NUMBERS, f"the paragraph does not say “{found[0]}”")
    return None


def _limits_agree(asked: Quantity, said: Quantity) -> bool:
    limits = {asked.limit, said.limit}
    if len(limits) == 1 or limits <= UP or limits <= DOWN:
        return True
    return Limit.EXACT in limits and said.unit in TIMES


def _belongs_elsewhere(
    claim: str, asked: Quantity, window: str, candidates: Sequence[Quantity]
) -> bool:
    """Whether what stands around the number in the claim stands around another number there."""
    claimed = find_quantities(claim)
    others = [
        each
        for each in candidates
        if not asked.agrees(each) and not any(also.agrees(each) for also in claimed)
    ]
    if not others:
        return False
    around = _stems(_clause(claim, asked))
    shared = {each: len(around & _stems(_clause(window, each))) for each in candidates}
    right = max((shared[each] for each in candidates if asked.agrees(each)), default=0)
    wrong = max(shared[each] for each in others)
    return wrong > right and (right == 0 or wrong == len(around))


def _clause(text: str, quantity: Quantity) -> str:
    """The clause that a number stands in, without the number."""
    before, after = text[: quantity.start], text[quantity.end :]
    start = max((found.end() for found in CLAUSE_END.finditer(before)), default=0)
    end = CLAUSE_END.search(after)
    return f"{before[start:]} {after[: end.start()] if end else after}"


def _denial(claim: str, window: str) -> Objection | None:
    mine, theirs = _stems(claim), _stems(window)
    if not mine or not theirs:
        return None
    opposite = opposed(claim, window)
    shared = len(mine & theirs) + len(opposite)
    if min(shared / len(mine), shared / len(theirs)) < NEAR_VERBATIM:
        return None
    if (denials(claim) + len(opposite)) % 2 == denials(window) % 2:
        return None
    if opposite:
        one, other = opposite[0]
        return Objection(NEGATION, f"the claim says “{one}”, the paragraph “{other}”")
    return Objection(NEGATION, "one of the two denies it")


def denials(text: str) -> int:
    return len(NEGATOR.findall(NO_DENIAL.sub(" ", text)))


def opposed(claim: str, window: str) -> list[tuple[str, str]]:
    """Words of the claim that the text lacks, with their opposites that it has."""
    said = {stem(word): word for word in words(window)}
    mine = {stem(word) for word in words(claim)}
    found = []
    for word in dict.fromkeys(words(claim)):
        against = [other for other in _opposites().get(stem(word), ()) if other in said]
        if stem(word) not in said and against and not mine.intersection(against):
            found.append((word, said[against[0]]))
    return found


@lru_cache(maxsize=1)
def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in _TABLES["opposites"].strip().splitlines():
        left, right = ([stem(word) for word in side.split()] for side in line.split("|"))
        for one, other in [(a, b) for a in left for b in right]:
            found.setdefault(one, set()).add(other)
            found.setdefault(other, set()).add(one)
    return {word: frozenset(others) for word, others in found.items()}


def _binding(claim: str, window: str) -> Objection | None:
    mine, theirs = _stems(claim), _stems(window)
    if not mine or len(mine & theirs) / len(mine) < SAME_MATTER:
        return None
    said = find_modality(claim)[0]
    meant = {find_modality(part)[0] for part in re.split(r"[.;]\s|, (?:and|but) ", window)}
    if said in meant or any((said, each) in MAY_SAY for each in meant):
        return None
    # "must not be used" and "may be used only by …" are told apart by what they deny.
    other = next(iter(sorted(meant)))
    return Objection(MODALITY, f"the claim says “{said}”, the paragraph “{other}”")


@lru_cache(maxsize=4_000)
def _stems(text: str) -> frozenset[str]:
    return frozenset(
        stem(word)
        for word in words(NEGATOR.sub(" ", text))
        if word not in STOP_WORDS and not word.isdigit()
    )
