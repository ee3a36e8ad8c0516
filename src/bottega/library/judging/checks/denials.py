"""Negation: whether the claim denies what the source says, or says what it denies.

Most of it is about sentences that say the same with one negation more or less.
"""

import re

from bottega.library.judging.alignment import content, negates, opposites
from bottega.library.judging.checks.comparison import (
    CAP,
    KEPT_WORD,
    Comparison,
    failed,
    head_noun,
    passed,
)
from bottega.library.judging.checks.scopes import is_denied_alone, is_denied_elsewhere
from bottega.library.judging.landmarks import (
    CONTRAST,
    DEFINITION,
    EXCEPT,
    NARROWED_BY_NOT,
    NEGATOR,
    NOBODY_BUT,
)
from bottega.library.judging.modality import Modality, is_denial
from bottega.library.judging.statements import Statement
from bottega.library.judging.verdicts import Check
from bottega.library.judging.words import Word

#: "nobody without", "not before": the other way to say "only with", "only after".
GATE = re.compile(
    r"\b(?:without|unless|before|until|except|apart from|other than|but|outside)\b", re.I
)
NOT_SO = re.compile(
    r"(?:,|\band|\bbut) not (?P<rest>(?:on|for|by|in|to|from|with|at|under|as|an?|the)\b[^,;.]*)",
    re.I,
)
WAITS = re.compile(r"\bonly\b|\bwaits? until\b|\bout of \w+ until\b|\breserved\b", re.I)


def check_negation(seen: Comparison) -> Check:
    claim, source = seen.claim, seen.source
    if DEFINITION.search(source.text) and denies(claim.text) == denies(source.text):
        return passed("negation")
    if is_denial(claim.modality) != is_denial(source.modality) and Modality.FACT not in (
        claim.modality,
        source.modality,
    ):
        return passed("negation")  # a matter of modality, which is checked
    if names_exception(seen):
        if is_negative(claim) == is_negative(source):
            return failed("negation", f"the paragraph makes an exception of “{claim.subject}”")
        return passed("negation")
    is_uneven = is_negative(claim) != is_negative(source)
    if is_uneven and not _is_excused(seen) and is_denied_alone(seen):
        return failed("negation", f"one of the two denies it: “{claim.core}”, “{source.core}”")
    if is_denied_elsewhere(seen):
        return failed("negation", "the paragraph denies it")
    if _is_contrast_denied(seen):
        return failed("negation", f"the paragraph says just that: “{source.core}”")
    both_deny = is_negative(claim) and is_negative(source)
    for word in () if both_deny else claim.core_words:
        near, same = seen.nearness.best(word, source.core_words)
        if same is None or near < 0.9 or word.weight < 1 or is_denial(source.modality):
            continue
        if negates(word, same):
            continue  # "not touched" and "untouched"
        if _is_repeated(word, claim) or _is_repeated(same, source):
            continue
        if _is_denied(word, claim.text) != _is_denied(same, source.text):
            return failed("negation", f"“{word.text}” is denied in one of the two only")
    return _check_exceptions(seen) or _check_denied_phrases(seen) or passed("negation")


def _is_contrast_denied(seen: Comparison) -> bool:
    """ "… rather than the installed one", where the paragraph is about the installed one."""
    parts = CONTRAST.split(seen.claim.text)
    if len(parts) != 2 or CONTRAST.search(seen.source.text) or NEGATOR.search(seen.source.text):
        return False
    said = {word.concept for word in content(parts[0])}
    turned_down = [word for word in content(parts[1]) if word.concept not in said]
    covered = seen.nearness.coverage(turned_down, seen.source.words)
    return bool(turned_down) and covered >= KEPT_WORD


def _is_repeated(word: Word, statement: Statement) -> bool:
    """ "licensed for all or not licensed at all": nobody knows which one is meant."""
    return sum(other.concept == word.concept for other in statement.words) > 1


def _check_exceptions(seen: Comparison) -> Check | None:
    """ "…, but not the loading supervisor": the claim may not say it of just that one."""
    for statement in seen.paragraph:
        tail = re.search(r"\bnot (?:the|for|from|an?) (?P<rest>[^,;.]*)$", statement.text)
        if tail is None or is_denial(statement.modality):
            continue
        for word in content(tail["rest"]):
            actor = head_noun(seen.claim.actor)
            if actor is not None and seen.nearness.of_words(word, actor) >= 0.9:
                return failed("negation", f"the paragraph says “{tail[0]}”")
    return None


def _check_denied_phrases(seen: Comparison) -> Check | None:
    """ "only for yourself and not on behalf of others": the claim may not say it of just those."""
    if is_negative(seen.claim) or NEGATOR.search(seen.claim.text):
        return None
    for tail in NOT_SO.finditer(seen.source.text):
        turned_down = content(tail["rest"])
        if len(turned_down) > 1 and all(
            seen.is_said(word, seen.claim.text, KEPT_WORD) for word in turned_down
        ):
            return failed("negation", f"the paragraph says “{tail[0]}”")
    return None


def is_negative(statement: Statement) -> bool:
    if is_denial(statement.modality):
        return True
    if NOBODY_BUT.search(statement.text):
        return False
    return denies(statement.core)


def denies(text: str) -> bool:
    plain = re.sub(
        r"(?i)\b(?:nobody|none|no one) (?:but|except|other than)\b|\bor (?:not|no)\b"
        r"|\bwithout delay\b",
        " ",
        text,
    )
    return NEGATOR.search(NARROWED_BY_NOT.sub(" ", CAP.sub(" ", plain))) is not None


def _is_excused(seen: Comparison) -> bool:
    """Ways to say the same with one negation more or less."""
    claim, source = seen.claim, seen.source
    return (
        is_gated_like(claim, source)
        or is_gated_like(source, claim)
        or (CAP.search(claim.text) is not None and CAP.search(source.text) is not None)
        or denies_opposite(claim, source)
        or denies_opposite(source, claim)
        or _has_inner_denial(claim, source)
        or keeps_away(claim, source)
        or keeps_away(source, claim)
        or is_converse(seen)
    )


def is_gated_like(positive: Statement, negative: Statement) -> bool:
    """ "may enter only with a pass" against "shall not enter without a pass"."""
    return (
        is_denial(negative.modality)
        and not is_denial(positive.modality)
        and (positive.is_exclusive or WAITS.search(positive.text) is not None)
        and GATE.search(negative.text) is not None
    )


def is_converse(seen: Comparison) -> bool:
    """ "A must be signed before B begins" against "B shall not begin before A is signed"."""
    claim, source = seen.claim, seen.source
    positive, negative = (source, claim) if is_denial(claim.modality) else (claim, source)
    if is_denial(positive.modality) or not is_denial(negative.modality):
        return False
    first, then = (
        [*re.split(r"\bbefore\b", positive.text, maxsplit=1), ""],
        GATE.split(negative.text),
    )
    if opening := re.match(r"\s*before [^,]+,(?P<duty>.*)", positive.text, re.I):
        first = [opening["duty"], "before"]
    if not first[1] or len(then) < 2:
        return False
    return seen.nearness.coverage(content(first[0]), content(then[-1])) >= 0.6


def names_exception(seen: Comparison) -> bool:
    """Whether the claim is about just what the source makes an exception for."""
    head = head_noun(seen.claim.subject)
    exceptions = [each for each in seen.source.conditions if EXCEPT.match(each)]
    return head is not None and any(
        seen.is_said(head, each, KEPT_WORD) and not seen.is_said(head, seen.source.core, KEPT_WORD)
        for each in exceptions
    )


def keeps_away(positive: Statement, negative: Statement) -> bool:
    """ "keep at least 30 metres away" against "shall not lie within 30 metres"."""
    return (
        is_denial(negative.modality)
        and not is_denial(positive.modality)
        and re.search(r"\bwithin\b", negative.text) is not None
        and re.search(r"\b(?:away|apart|clear|distance)\b", positive.text) is not None
    )


def denies_opposite(one: Statement, other: Statement) -> bool:
    """ "must not contain" against "must be absent from"; "not exempt" against "pays"."""
    ours, theirs = ({word.concept for word in each.words} for each in (one, other))
    new = [word for word in one.words if word.concept not in theirs]
    against = {opposite for word in new for opposite in opposites(word)}
    return any(
        word.concept in against or any(negates(word, each) for each in new)
        for word in other.words
        if word.concept not in ours
    )


def _has_inner_denial(claim: Statement, source: Statement) -> bool:
    """The source has a "but not …" that the claim leaves out, word by word checked below."""
    tail = re.search(r"(?:,|\bbut|\band in particular,?) (?:not|never|no)\b", source.core)
    return tail is not None and not is_negative(claim)


def _is_denied(word: Word, text: str) -> bool:
    """Whether "not", "no", "without" stands right before the word, or before its list."""
    before = text[: word.position].replace("without delay", "")
    if text[word.position :].startswith("delay"):
        return False
    return (
        re.search(
            r"\b(?:not|no|without|never|nor|but not|other than|rather than|instead of|excluding"
            r"|fails? to)\s+"
            r"(?:(?:the|an?|any|for|from|to|in|be|been|is|by|of|named)\s+)*(?:[\w'-]+\s+(?:or|and)\s+)?$",
            before,
            re.I,
        )
        is not None
    )
