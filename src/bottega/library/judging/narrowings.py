"""What narrows a statement down: under which conditions it holds, and for whom."""

import re

from bottega.library.judging.landmarks import (
    ASKED,
    BESIDES,
    COMPLEMENTED,
    CONDITION,
    DEFINITION,
    EXCEPT,
    IN_RELATIVE,
    MODAL_VERB,
    NARROWED,
    OPENING,
    REDUCED,
    RELATIVE,
    SAYS_THAT,
    SCOPE,
    TRIVIAL,
    VERB,
)
from bottega.library.judging.quantities import find_quantities
from bottega.library.judging.words import words


def find_narrowings(text: str) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    """The conditions, and what narrows down a noun, each with that noun."""
    if DEFINITION.search(text):
        return (), ()
    opening = OPENING.match(text)
    rest = text[opening.end() :] if opening else text
    found = [opening[0].strip()] if opening else []
    if found and EXCEPT.match(found[0]) and BESIDES.search(rest):
        found = []
    if not opening and (scope := SCOPE.match(text)):
        found.append(scope["scope"])
    found += [
        _up_to_verb(rest, match)
        for match in CONDITION.finditer(rest)
        if not IN_RELATIVE.search(rest[: match.start()]) and not ASKED.search(rest[: match.start()])
    ]
    found = [each for each in found if not TRIVIAL.fullmatch(each)]
    for condition in found:
        rest = rest.replace(condition, " ")
    relatives = [
        (_whole_relative(rest, match), " ".join(rest[: match.start()].split()[-1:]))
        for match in RELATIVE.finditer(rest)
        if not _is_complement(rest, match)
    ]
    relatives += [(match["narrow"], match["noun"]) for match in NARROWED.finditer(rest)]
    relatives += [
        (match["narrow"], match["noun"])
        for match in REDUCED.finditer(rest)
        if not VERB.search(rest[: match.end()])
    ]
    return (
        tuple(each for each in found if words(each) or find_quantities(each)),
        tuple(each for each in relatives if words(each[0]) or find_quantities(each[0])),
    )


def without(text: str, relatives: tuple[tuple[str, str], ...]) -> str:
    for relative, _ in relatives:
        text = text.replace(relative, " ")
    return text


def _is_complement(text: str, match: re.Match[str]) -> bool:
    before = text[: match.start()]
    last = before.lower().split()[-1:]
    is_said = last != [] and (last[0] in COMPLEMENTED or SAYS_THAT.search(before) is not None)
    return match[0].lower().startswith("that") and is_said


def _whole_relative(text: str, match: re.Match[str]) -> str:
    """Before the main verb it ends there; behind it, at the next comma."""
    if not MODAL_VERB.search(text[: match.start()]):
        return match[0].strip()
    end = re.search(r"[,;]|$", text[match.end() :])
    return text[match.start() : match.end() + (end.start() if end else 0)].strip(" .")


def _up_to_verb(text: str, match: re.Match[str]) -> str:
    """ "No program other than adduser should …": the condition ends before the main verb."""
    if not VERB.search(text[: match.start()]) and (verb := MODAL_VERB.search(match[0])):
        return match[0][: verb.start()].strip()
    return match[0].strip()
