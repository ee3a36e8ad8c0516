"""Numbers: the same value, of the same thing, with the same limit."""

import re
from collections.abc import Sequence

from bottega.library.judging.alignment import content
from bottega.library.judging.checks.comparison import CAP, Comparison, failed, passed
from bottega.library.judging.modality import is_denial
from bottega.library.judging.quantities import Limit, Quantity, find_quantities
from bottega.library.judging.verdicts import Check

TIMES = frozenset(["date", "clock", "ordinal", "day", "minute", "working day", "month"])
CLAUSE_END = re.compile(r"[,;:]\s|\b(?:and|or)\b(?! \d)")


def check_numbers(seen: Comparison) -> Check:
    said = seen.source.quantities
    elsewhere = [q for s in seen.paragraph if s is not seen.source for q in s.quantities]
    elsewhere += find_quantities(seen.known)
    for asked in seen.claim.quantities:
        same_kind = [quantity for quantity in said if quantity.unit == asked.unit]
        agreeing = [quantity for quantity in said if asked.agrees(quantity)]
        if asked.value > 1 and _is_one(seen.source.text, asked):
            return failed("numbers", f"the claim says “{asked.text}”, the paragraph one")
        if not agreeing and not same_kind:
            agreeing = [quantity for quantity in elsewhere if asked.agrees(quantity)]
        if not agreeing:
            given = ", ".join(dict.fromkeys(q.text for q in same_kind or said)) or "no such number"
            return failed("numbers", f"the claim says “{asked.text}”, the paragraph {given}")
        if all(quantity.agrees(asked) is False for quantity in same_kind) and same_kind:
            return failed("numbers", f"“{asked.text}” counts something else in the paragraph")
        if len(same_kind) > 1 and _belongs_elsewhere(seen, asked, same_kind):
            return failed("numbers", f"“{asked.text}” belongs to something else in the paragraph")
        if all(_follows_denial(seen.source.text, q) for q in agreeing if q in said) and not (
            _follows_denial(seen.claim.text, asked)
            or is_denial(seen.claim.modality)
            or not any(q in said for q in agreeing)
        ):
            return failed("numbers", f"the paragraph says “not” of “{asked.text}”")
        if not any(_limits_agree(seen, asked, quantity) for quantity in agreeing):
            return failed(
                "numbers",
                f"“{asked.text}” is {asked.limit} in the claim, {agreeing[0].limit} in the source",
            )
    return passed("numbers")


def _follows_denial(text: str, quantity: Quantity) -> bool:
    return re.search(r"\bnot (?:from|for|at|on|to|in|by)\s+$", text[: quantity.start]) is not None


def _is_one(text: str, asked: Quantity) -> bool:
    noun = asked.text.split()[-1].lower().removesuffix("s")
    return not asked.is_measure and bool(re.search(rf"\b(?:one|single) {re.escape(noun)}", text))


def _belongs_elsewhere(seen: Comparison, asked: Quantity, candidates: Sequence[Quantity]) -> bool:
    """Whether the words around the number in the claim stand around another number there."""
    scores = {quantity: _share_surroundings(seen, asked, quantity) for quantity in candidates}
    right = max((scores[q] for q in candidates if asked.agrees(q)), default=0.0)
    wrong = max((scores[q] for q in candidates if not asked.agrees(q)), default=0.0)
    return wrong - right > 0.34


def _share_surroundings(seen: Comparison, asked: Quantity, given: Quantity) -> float:
    """How much of what stands around the number in the claim stands around that one."""
    here, there = _surroundings(seen.claim.text, asked), _surroundings(seen.source.text, given)
    asked_words, said_words = content(here), content(there)
    numbers = [q for q in find_quantities(here) if q.text != asked.text]
    agreeing = sum(any(q.agrees(other) for other in find_quantities(there)) for q in numbers)
    total = len(asked_words) + len(numbers)
    if not total:
        return 0.0
    covered = seen.nearness.coverage(asked_words, said_words) if asked_words else 0.0
    return (covered * len(asked_words) + agreeing) / total


def _surroundings(text: str, quantity: Quantity) -> str:
    """The clause that the number stands in, by commas, "and" and semicolons."""
    before = re.sub(r"\b(?:and|or|to)\s+$", "", text[: quantity.start])
    start = max([m.end() for m in CLAUSE_END.finditer(before)] or [0])
    end_match = CLAUSE_END.search(text[quantity.end :]) or re.search(r"$", text[quantity.end :])
    end = quantity.end + (end_match.start() if end_match else 0)
    return text[start:end]


def _limits_agree(seen: Comparison, asked: Quantity, given: Quantity) -> bool:
    if asked.limit is given.limit:
        return True
    is_exact = Limit.EXACT in (asked.limit, given.limit)
    if is_exact and (
        given.unit in TIMES or (CAP.search(seen.claim.text) and CAP.search(seen.source.text))
    ):
        return True
    if given not in seen.source.quantities:
        return True  # "After that …": the number stands in another sentence, as its limit does
    upper, lower = {Limit.AT_MOST, Limit.UNDER}, {Limit.AT_LEAST, Limit.OVER}
    both = {asked.limit, given.limit}
    if is_denial(seen.claim.modality) != is_denial(seen.source.modality) or is_denial(
        seen.claim.modality
    ):
        return Limit.EXACT not in both
    if both <= lower:
        return True
    if both <= upper:
        return True
    is_deadline = "before" in seen.source.text[given.end :] and given.unit in ("day", "minute")
    return is_deadline and both == {Limit.AT_MOST, Limit.AT_LEAST}
