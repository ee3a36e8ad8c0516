"""Likely personal names in a text that is to be remembered: notes say "the EAL pair".

First names come from a list. Those that are words or places as well, and names that no list has,
count only where the sentence treats them as a person. Whoever lessons are about (Piaget, Macbeth,
Ada Lovelace) is nobody of the school's.
"""

import asyncio
import re
import tomllib
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from bottega.assistant.guardrails.word_lists import LISTS, lines, words
from bottega.assistant.loop.turn import Turn
from bottega.assistant.workspace.service import Workspace, workspace_for
from bottega.errors import BottegaError

_HOW = r"(?:(?:often|always|never|usually|sometimes|still|also|only|really|just)\s+)?"
#: What a person does, is and owns, behind their name.
_BEHIND = tomllib.loads((LISTS / "name_contexts.toml").read_text("utf-8"))
_BRACKET = r"\s*\((?:eal|asn|send?|adhd|asd|lac|p\d|s\d)\b"
_AND_THEIR = r"\s+and\s+(?:his|her)\b"
#: Letters from which on a first name in small letters is one.
LONG_NAME = 5

_WORD = re.compile(r"(?<!\w)[^\W\d_]+(?:[-’'](?!s\b)[^\W\d_]+)*")
_TITLED = re.compile(
    r"\b(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Professor|Madame|Monsieur|Herr|Frau)\.?\s+"
    r"(?P<name>[A-Z][^\W\d_]+(?:[-’'](?!s\b)[^\W\d_]+)*)"
)
#: `J. Smith`, `M. O'Brien`; not the `e. coli` or the end of a sentence before another.
_INITIALS = re.compile(r"(?<![\w.])(?:[A-Z]\.\s?){1,2}(?P<name>[A-Z][’']?[^\W\d_]+)")
_SURNAME = re.compile(r"\s(?:[A-Z]\.|(?P<name>[A-Z][^\W\d_]+(?:[-’'](?!s\b)[^\W\d_]+)*))")
_AND_NEXT = re.compile(r"\s+(?:and|&)\s+(?P<name>[A-Z]\w+)")
_AND_BEFORE = re.compile(r"(?P<name>[A-Z]\w+)\s+(?:and|&)\s+$")
_SENTENCE_START = re.compile(r"(?:^|[.!?:]\s+|\n)[\s>*\-–•\d.)\"“‘]*$")


def _after(*acts: str) -> re.Pattern[str]:
    verbs = "|".join(rf"\s+{_HOW}{_BEHIND[act]}" for act in acts)
    flags = re.IGNORECASE | re.VERBOSE
    return re.compile(rf"(?:{verbs}|{_BEHIND['owns']}|{_BRACKET}|{_AND_THEIR})", flags)


#: What may follow a name, a word that is sometimes a name, and a word that no list has.
AFTER_A_NAME = _after("does", "does_rather", "does_like_things")
AFTER_SUCH_A_WORD = _after("does", "does_rather")
AFTER_ANY_WORD = _after("does")
#: Before whom something is said to, given to or done with.
_BEFORE = re.compile(
    r"\b(?:ask|asked|tell|told|remind|seat|seated|sit|sat|pair|paired|praise|phone|let|allow|"
    r"give|gave|move|moved|keep|help|helped|encourage|stop|send|sent|partner|catch|watch|"
    r"next\ to|beside|away\ from|talk\ to|spoke\ to|speak\ (?:to|with)|call|meet)\s+$",
    re.IGNORECASE,
)
#: Before a person's name, whatever it is: `pupil Zhang`, `a girl called Ngozi`.
_NAMING = re.compile(
    r"\b(?:pupil|student|learner|classmate|child|boy|girl|twins?|brother|sister|cousin|friend|"
    r"(?:pupil|student|learner|child|boy|girl|teacher|colleague|assistant|somebody|someone|one)"
    r"\s+(?:named|called))[,:]?\s+$",
    re.IGNORECASE,
)

#: Characters before a word that can have a bearing on it.
REACH = 40


def is_named(text: str, start: int) -> bool:
    """Whether what stands here is said to be a person's name."""
    return _NAMING.search(text, max(0, start - REACH), start) is not None


def is_treated_as_person(text: str, start: int) -> bool:
    """Whether somebody is asked, told, seated or given something here."""
    return _BEFORE.search(text, max(0, start - REACH), start) is not None


class NameClue(StrEnum):
    FIRST_NAME = "first name"
    TITLE = "title"
    INITIALS = "initials"
    NAMED = "said to be a person"
    IN_CONTEXT = "treated as a person"


@dataclass(frozen=True, slots=True)
class NameFinding:
    text: str
    #: Of the text that was looked at.
    start: int
    end: int
    clue: NameClue


def likely_names(text: str, known: Collection[str] = ()) -> list[NameFinding]:
    """In the order in which they stand there. `known` are words that name no person here, such as
    those of the workspace; what a sentence treats as a person is found all the same."""
    usual = words("capitalised_words") | {word.casefold() for word in known}
    taken = bytearray(len(text))
    for public in _public().finditer(text):
        taken[slice(*public.span())] = b"x" * len(public[0])
    findings: list[NameFinding] = []
    for found in _candidates(text, usual):
        if not any(taken[found.start : found.end]):
            findings.append(found)
            taken[found.start : found.end] = b"x" * len(found.text)
    return sorted(findings, key=lambda each: each.start)


async def find_names(turn: Turn, text: str) -> Sequence[str]:
    """Likely names in a text that is to be remembered. Capitalised words that stand in the person's
    workspace are taken for no names."""
    pages = await _read(workspace_for(turn.core, turn.user_id, turn.plugin))

    def look() -> list[NameFinding]:
        known = {word for page in pages for word in _WORD.findall(page) if word[0].isupper()}
        return likely_names(text, known)

    return list(dict.fromkeys(each.text for each in await asyncio.to_thread(look)))


async def _read(workspace: Workspace) -> list[str]:
    pages = []
    for path in await workspace.files():
        with suppress(BottegaError):  # too long, or no text: nobody's words
            pages.append(await workspace.read(path))
    return pages


def _candidates(text: str, usual: Collection[str]) -> Iterator[NameFinding]:
    """The surest first: a later one that overlaps is no second name."""
    for pattern, clue in ((_TITLED, NameClue.TITLE), (_INITIALS, NameClue.INITIALS)):
        for found in pattern.finditer(text):
            if found["name"].casefold() not in words("capitalised_words"):
                yield NameFinding(found[0], found.start(), found.end(), clue)
    for found in _WORD.finditer(text):
        if (reason := _clue(text, found, usual)) is not None:
            end = _with_surname(text, found.end(), usual)
            yield NameFinding(text[found.start() : end], found.start(), end, reason)


def _clue(text: str, found: re.Match[str], usual: Collection[str]) -> NameClue | None:
    word, start = found[0], found.start()
    low = word.casefold()
    end = _with_surname(text, found.end(), usual)
    is_spoken_of = is_named(text, start) or is_treated_as_person(text, start)
    if low.split("-")[0] in words("first_names"):
        # No word is written like these, so that a small letter is only haste.
        is_it = low not in usual if word[0].isupper() else len(word) >= LONG_NAME
        is_it |= is_spoken_of or AFTER_A_NAME.match(text, end) is not None
        return NameClue.FIRST_NAME if is_it else None
    if not word[0].isupper() or (word.isupper() and len(word) > 1):
        return None
    if low in words("names_that_are_words"):
        is_it = is_spoken_of or AFTER_SUCH_A_WORD.match(text, end) is not None
        return NameClue.IN_CONTEXT if is_it or _is_beside_a_name(text, found) else None
    if low in usual or low in words("subjects"):
        return None
    if is_named(text, start):
        return NameClue.NAMED
    acts = AFTER_ANY_WORD.match(text, end) is not None
    # The first word of a sentence has its capital anyway, and one in -s is mostly a plural.
    acts &= not (low.endswith("s") and _begins_sentence(text, start))
    return NameClue.IN_CONTEXT if is_spoken_of or acts else None


def _with_surname(text: str, end: int, usual: Collection[str]) -> int:
    """Where the name ends, if capitalised words after it belong to it: `Xin Yi`, `Katie B.`"""
    found = _SURNAME.match(text, end)
    if found is None or (found["name"] or "").casefold() in usual:
        return end
    return found.end()


def _is_beside_a_name(text: str, found: re.Match[str]) -> bool:
    """`Jade and Kyle`, but not `Lewis and Harris`."""
    start, end = found.span()
    others = (_AND_NEXT.match(text, end), _AND_BEFORE.search(text, max(0, start - REACH), start))
    return any(each and each["name"].casefold() in words("first_names") for each in others)


def _begins_sentence(text: str, start: int) -> bool:
    return _SENTENCE_START.search(text, max(0, start - REACH), start) is not None


@cache
def _public() -> re.Pattern[str]:
    longest_first = sorted(lines("public_names"), key=len, reverse=True)
    names = "|".join(re.escape(name).replace(r"\ ", r"\s+") for name in longest_first)
    return re.compile(rf"(?<!\w)(?:{names})(?!\w)", re.IGNORECASE)
