"""Roles: who does it to whom."""

import re
from collections.abc import Sequence

from bottega.library.judging.checks.comparison import (
    KEPT_WORD,
    Comparison,
    doubtful,
    failed,
    head_noun,
    passed,
)
from bottega.library.judging.landmarks import DEFINITION, NEGATOR
from bottega.library.judging.modality import Modality
from bottega.library.judging.verdicts import Check
from bottega.library.judging.words import Word, words

#: A claim with so many of the source's own words and another actor is the source distorted.
REORDERED = 0.97
OTHER = re.compile(r"\b(?:any |all )?(?:other|another|others)\b", re.I)
EQUALS = re.compile(r"\b(?:is|are) (?:the|an?)\b", re.I)
#: Verbs that say the same of the other one.
CONVERSE = [
    (re.compile(r"\b(?:part of|belongs? to|(?:included|contained) in)\b", re.I),
     re.compile(r"\b(?:includ(?:es?|ing)|contains?|comprises?|consists?)\b", re.I)),
]  # fmt: skip
ROLE = re.compile(r"(?:er|or|ist|ee|master|team|council|board|authority)s?$", re.I)


def check_roles(seen: Comparison) -> Check:
    """Who does it to whom: the actor of the claim must be the actor of the source."""
    claim, source = seen.claim, seen.source
    if DEFINITION.search(source.text):
        return passed("roles")
    actor, real = head_noun(claim.actor), head_noun(source.actor)
    whoever = words(source.actor) if source.actor.lower().startswith("whoever") else ()
    if actor and whoever and not seen.is_said(actor, source.actor):
        real = whoever[-1]
    if not actor:
        is_open = source.is_exclusive and not claim.is_exclusive and real is not None
        if is_open and claim.modality is Modality.PERMISSION and not claim.is_passive:
            return failed("roles", f"the paragraph says it of “{source.actor}” only")
        return passed("roles")
    if real is None and source.actor and seen.is_said(actor, source.text, KEPT_WORD):
        is_subject = seen.is_said(actor, source.subject)
        if not is_subject and not claim.is_passive:
            return doubtful("roles", f"in the paragraph “{source.actor}” acts")
    if _is_equation(seen, actor, real) or _is_turned(seen):
        return passed("roles")
    is_denied = NEGATOR.match(claim.actor) is not None
    if OTHER.match(source.actor) and not (
        OTHER.search(claim.actor) or claim.is_passive or is_denied
    ):
        return failed("roles", f"the paragraph says it of “{source.actor}”")
    if real is None or seen.is_said(actor, source.actor) or seen.is_said(real, claim.actor):
        return passed("roles")
    reason = f"in the claim “{claim.actor}” acts, in the paragraph “{source.actor}”"
    claim_rest = claim.text.replace(claim.actor, " ")
    if not _is_role(actor, seen.terms):
        is_known = seen.is_said(actor, seen.known, KEPT_WORD)
        is_swap = seen.is_said(real, claim_rest, KEPT_WORD) and is_known and not claim.is_passive
        if not is_swap and is_known:
            is_there = claim.is_passive or seen.is_said(actor, source.text, KEPT_WORD)
            return passed("roles") if is_there else failed("roles", reason)
        is_repeated = seen.nearness.coverage(words(claim_rest), source.words) > REORDERED
        return failed("roles", reason) if is_repeated else doubtful("roles", reason)
    if _is_role(real, seen.terms) or not seen.is_said(real, claim.text):
        return failed("roles", reason)
    is_strange = not seen.is_said(actor, source.text, KEPT_WORD) and not claim.is_passive
    return failed("roles", reason) if is_strange else doubtful("roles", reason)


def _is_turned(seen: Comparison) -> bool:
    """ "The whole includes the part", and "The part belongs to the whole"."""
    ours, theirs = seen.claim.text, seen.source.text
    return any(
        one.search(a) is not None and other.search(b) is not None
        for one, other in CONVERSE
        for a, b in ((ours, theirs), (theirs, ours))
    )


def _is_equation(seen: Comparison, actor: Word, real: Word | None) -> bool:
    """ "The limit is four knots", and "Four knots is the limit"."""
    facts = {seen.claim.modality, seen.source.modality} == {Modality.FACT}
    is_there = seen.is_said(actor, seen.source.text) and real is not None
    return (
        facts
        and is_there
        and EQUALS.search(seen.claim.text) is not None
        and (real is not None and seen.is_said(real, seen.claim.text))
    )


def _is_role(actor: Word, terms: Sequence[str]) -> bool:
    """Whether the word names someone who acts: a defined term, or a noun made for that."""
    return ROLE.search(actor.text) is not None or any(
        term.lower().split()[-1] == actor.text.lower().removesuffix("s") for term in terms
    )
