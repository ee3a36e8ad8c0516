"""Directions, names and nouns: what the claim speaks of has to be there."""

import re
from collections.abc import Sequence

from bottega.library.judging.alignment import content, negates, opposites
from bottega.library.judging.checks.comparison import SAME, Comparison, doubtful, failed, passed
from bottega.library.judging.checks.denials import denies, is_negative
from bottega.library.judging.verdicts import Check
from bottega.library.judging.words import Word, words

#: Below these a paragraph has nothing like a word, or nothing that is the same thing.
FOREIGN, NEW = 0.3, 0.5
#: A word is repeated from here on; a claim with this share of repeated words repeats its source.
REPEATED, VERBATIM = 0.9, 0.8
#: Opposites among the words that are otherwise grammar.
OPPOSED = [
    (re.compile(r"\bminimum\b", re.I), re.compile(r"\bmaximum\b", re.I)),
    (re.compile(r"\bwithin the\b", re.I), re.compile(r"\boutside the\b", re.I)),
    (re.compile(r"\bin favou?r of\b", re.I), re.compile(r"\bagainst\b", re.I)),
    (re.compile(r"\bmore\b(?! than\b)", re.I), re.compile(r"\b(?:less|fewer)\b(?! than\b)", re.I)),
    (re.compile(r"\bsame\b", re.I), re.compile(r"\bdifferent\b|\bdiffers?\b", re.I)),
]
#: These have to lead to the same thing to be opposites.
PREPOSITIONS = frozenset(["above", "after", "before", "below", "over", "under"])
#: A path, a version, an identifier: what stands in its place is something else.
PLACE = re.compile(r"[/._\d]")
COMPOUND = re.compile(r"\b[a-z]+(?:-[a-z]+)+\b")
#: What stands before a noun.
AS_NOUN = re.compile(
    r"\b(?:the|an?|any|no|each|every|their|its|his|her|for|of|in|with|by|from|about|against|under"
    r"|after|via|through|or|and|including)\s+(?:[\w-]+\s+and\s+)?$",
    re.I,
)


def check_direction(seen: Comparison) -> Check:
    """Before or after, more or less, in or out."""
    if found := _check_grammar(seen) or _check_prefixes(seen):
        return found
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
        if re.search(rf"\b{re.escape(word.text)}", seen.source.text, re.I):
            continue  # "before … and afterwards"
        if word.text.lower() in PREPOSITIONS and not _lead_to_same(seen, word, met):
            continue
        return failed("direction", f"“{word.text}” in the claim, “{met.text}” in the paragraph")
    return passed("direction")


def _lead_to_same(seen: Comparison, word: Word, met: Word) -> bool:
    """Whether what follows "before" in the one follows "after" in the other."""
    # "before they try to execute": a clause may have a light verb first; "over" has none.
    reach = 2 if word.text.lower() in ("after", "before") else 1
    ours = [each for each in seen.claim.words if each.position > word.position][:reach]
    theirs = [each for each in seen.source.words if each.position > met.position][:reach]
    if not ours or not theirs:
        return True
    return any(seen.nearness.best(each, theirs)[0] >= SAME for each in ours)


def _check_grammar(seen: Comparison) -> Check | None:
    """ "minimum" and "maximum", which are no content otherwise."""
    if is_negative(seen.claim) != is_negative(seen.source):
        return None
    for one, other in (*OPPOSED, *((b, a) for a, b in OPPOSED)):
        said, met = one.search(seen.claim.text), other.search(seen.source.text)
        if said and met and not other.search(seen.claim.text) and not one.search(seen.source.text):
            return failed("direction", f"“{said[0]}” in the claim, “{met[0]}” in the paragraph")
    return None


def _check_prefixes(seen: Comparison) -> Check | None:
    """ "known" and "unknown", but "not known" and "unknown"."""
    if denies(seen.claim.text) != denies(seen.source.text):
        return None
    said = {word.concept for word in seen.source.words}
    claimed = {word.concept for word in seen.claim.words}
    for word in seen.claim.words:
        for other in seen.source.words:
            is_new = word.concept not in said and other.concept not in claimed
            if is_new and not word.is_name and negates(word, other):
                reason = f"“{word.text}” in the claim, “{other.text}” in the paragraph"
                return failed("direction", reason)
    return None


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
    return _check_places(seen) or _check_compounds(seen) or passed("names")


def _check_compounds(seen: Comparison) -> Check | None:
    """`lib-runtime` where the paragraph has `lib-modules`."""
    ours, theirs = COMPOUND.findall(seen.claim.text), COMPOUND.findall(seen.source.text)
    for one in ours:
        for other in theirs:
            kept, lost = set(one.split("-")), set(other.split("-"))
            if one in seen.known or other in seen.claim.text or not kept & lost:
                continue
            changed = words(" ".join(sorted(kept - lost)))
            if changed and not any(seen.is_said(each, " ".join(lost - kept)) for each in changed):
                return failed("names", f"“{one}” in the claim, “{other}” in the paragraph")
    return None


def _check_places(seen: Comparison) -> Check | None:
    """A name from elsewhere in the paragraph, in place of the one that the statement has."""
    here = {word.concept for word in seen.claim.words}
    there = {word.concept for word in words(seen.source.text)}
    strange = [w for w in seen.claim.words if _is_place(w) and w.concept not in there]
    replaced = [w for w in words(seen.source.core) if _is_place(w) and w.concept not in here]
    if not strange or not replaced:
        strange = [w for w in words(seen.claim.subject) if w.is_name and w.concept not in there]
        replaced = [
            w for w in words(seen.source.subject) if _is_proper(w) and w.concept not in here
        ]
    if strange and replaced:
        reason = f"“{strange[0].text}” in the claim, “{replaced[0].text}” in the paragraph"
        return failed("names", reason)
    return None


def _is_proper(word: Word) -> bool:
    return word.is_name or (word.text[0].isupper() and word.position > 0)


def _is_place(word: Word) -> bool:
    return word.is_name and PLACE.search(word.text) is not None


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
        reason = f"the paragraph does not speak of {_quoted(new)}"
        return failed("things", reason)
    foreign = [word for word in new if near[word] < FOREIGN]
    if not foreign:
        return passed("things")
    reason = f"the paragraph does not speak of {_quoted(foreign)}"
    return failed("things", reason) if len(foreign) > 1 else doubtful("things", reason)


def _is_noun(word: Word, text: str) -> bool:
    return AS_NOUN.search(text[: word.position]) is not None


def _quoted(found: Sequence[Word]) -> str:
    return f"“{', '.join(word.text for word in found)}”"
