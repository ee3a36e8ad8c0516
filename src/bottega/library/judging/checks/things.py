"""Directions, names and nouns: what the claim speaks of has to be there."""

import re
from collections.abc import Sequence

from bottega.library.judging.alignment import content, opposites
from bottega.library.judging.checks.comparison import Comparison, doubtful, failed, passed
from bottega.library.judging.checks.denials import is_negative
from bottega.library.judging.verdicts import Check
from bottega.library.judging.words import Word, words

#: Below these a paragraph has nothing like a word, or nothing that is the same thing.
FOREIGN, NEW = 0.3, 0.5
#: A word is repeated from here on; a claim with this share of repeated words repeats its source.
REPEATED, VERBATIM = 0.9, 0.8
#: What stands before a noun.
AS_NOUN = re.compile(
    r"\b(?:the|an?|any|no|each|every|their|its|his|her|for|of|in|with|by|from|about|against|under"
    r"|after|via|through|or|and|including)\s+(?:[\w-]+\s+and\s+)?$",
    re.I,
)


def check_direction(seen: Comparison) -> Check:
    """Before or after, more or less, in or out."""
    source_words = seen.source.words
    said = {word.concept for word in source_words}
    claimed = {word.concept for word in seen.claim.words}
    for word in content(seen.claim.text):
        against = opposites(word)
        if not against or word.concept in said:
            continue
        met = next((other for other in source_words if other.concept in against), None)
        if met is None or met.concept in claimed:
            continue
        if is_negative(seen.claim) != is_negative(seen.source):
            continue
        return failed("direction", f"“{word.text}” in the claim, “{met.text}” in the paragraph")
    return passed("direction")


def check_names(seen: Comparison) -> Check:
    """Defined terms and technical names have to be there themselves."""
    lowered = seen.known.lower()
    for term in seen.terms:
        if not _mentions(seen.claim.text, term) or _mentions(seen.known, term):
            continue
        if not all(seen.is_said(word, seen.known) for word in words(term)):
            return failed("names", f"the paragraph does not speak of “{term}”")
    concepts = {word.concept for word in words(seen.known)}
    for word in seen.claim.words:
        if word.is_name and word.concept not in lowered:
            return failed("names", f"the paragraph does not name “{word.text}”")
        is_proper = word.text[0].isupper() and word.position > 0
        if is_proper and not word.is_name and word.concept not in concepts:
            return failed("names", f"the paragraph does not name “{word.text}”")
    return passed("names")


def _mentions(text: str, term: str) -> bool:
    return re.search(rf"\b{re.escape(term)}(?:s|es|'s|’s)?\b", text, re.I) is not None


def check_things(seen: Comparison) -> Check:
    """Nouns that the paragraph has nothing near to.

    In a claim that otherwise repeats the paragraph such a noun was added. In one that says it in
    other words it may be one of them, so there one leaves a doubt and only two are too many.
    """
    known = content(seen.known)
    near = {
        word: seen.nearness.best(word, known)[0]
        for word in content(seen.claim.text)
        if word.weight >= 1
    }
    new = [word for word in near if near[word] < NEW and _is_noun(word, seen.claim.text)]
    others = [word for word in near if word not in new]
    repeated = sum(near[word] >= REPEATED for word in others)
    if new and repeated >= VERBATIM * len(others):
        return failed("things", f"the paragraph does not speak of {_quoted(new)}")
    foreign = [word for word in new if near[word] < FOREIGN]
    if not foreign:
        return passed("things")
    reason = f"the paragraph does not speak of {_quoted(foreign)}"
    return failed("things", reason) if len(foreign) > 1 else doubtful("things", reason)


def _is_noun(word: Word, text: str) -> bool:
    return AS_NOUN.search(text[: word.position]) is not None


def _quoted(found: Sequence[Word]) -> str:
    return f"“{', '.join(word.text for word in found)}”"
