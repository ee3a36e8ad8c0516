"""What may be remembered: one gate on every way in, with rules that can be read.

A text that is there already is *merged*: what it rests on is added to what is there. Texts are the
same if their words are, in the same order, whatever their case, the blanks between them and the
marks around them. A text that says nothing to whoever reads it later is *refused*: it has no
letter and no digit, or only words and numbers that `trivia.toml` lists, such as "ok, thanks" and
"Build succeeded.". Everything else is *kept*.

Secrets are hidden or refused before that, as everywhere (`core/trust/admission.py`).
"""

import hashlib
import re
import tomllib
import unicodedata
from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import cache
from importlib.resources import files

from bottega.core.text.words import shown
from bottega.errors import InvalidInput

#: Marks that a sentence puts before and after its words; others (`!flag`, `C++`) are part of them.
BEFORE, AFTER = "\"'`([{“‘«¿¡", "\"'`)]}.,;:!?…”’»"
#: `12`, `3.4s`, `12/12`, `100%`.
NUMBER = re.compile(r"\d[\d.,:/]*(?:%|[a-z]{1,2})?")
#: Lines of evidence that an item keeps: the first, which made it, and the newest.
MOST_EVIDENCE = 50

SAME_TEXT = "The same is remembered already; what it rests on was added to that."


class Admission(StrEnum):
    """What became of something that was to be remembered."""

    KEPT = "kept"
    MERGED = "merged"
    REFUSED = "refused"


def fingerprint(text: str) -> str:
    """Equal for texts that are the same."""
    return hashlib.sha256("\n".join(_words(text)).encode()).hexdigest()[:32]


def refuse_trivia(text: str) -> None:
    """Raises `InvalidInput` for a text that is not worth remembering."""
    why = _triviality(_words(text))
    if why is not None:
        raise InvalidInput(
            f"{shown(text, 80)} was not kept: {why}. Say in a sentence what a later session "
            'should know, such as "The build needs Node 20", and send that.',
            admission=Admission.REFUSED,
        )


def is_trivial(text: str) -> bool:
    return _triviality(_words(text)) is not None


def add_evidence(
    lines: Sequence[str], more: Sequence[str], source: Callable[[str], str] = str
) -> list[str]:
    """The lines, with those of `more` whose source is not among theirs yet."""
    known = {source(line) for line in lines}
    result = list(lines)
    for line in more:
        if source(line) not in known:
            known.add(source(line))
            result.append(line)
    if len(result) > MOST_EVIDENCE:
        result = [result[0], *result[1 - MOST_EVIDENCE :]]
    return result


def _words(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKC", text).casefold().split()
    bare = (word.lstrip(BEFORE).rstrip(AFTER) for word in plain)
    return [word for word in bare if word]


def _triviality(words: Sequence[str]) -> str | None:
    """Why a text of these words says nothing; `None` if it does."""
    if not any(character.isalnum() for word in words for character in word):
        return "it has no words"
    fillers, outcomes, subjects = _lists()
    named = {word for word in words if not NUMBER.fullmatch(word)}
    if named <= fillers:
        return "it answers somebody and says nothing by itself" if named else "it is a bare number"
    if named <= outcomes | subjects and named & outcomes:
        return "it is a status that has passed by then"
    return None


@cache
def _lists() -> tuple[frozenset[str], ...]:
    read = tomllib.loads(files("bottega.memory").joinpath("trivia.toml").read_text())
    return tuple(frozenset(read[name].split()) for name in ("fillers", "outcomes", "subjects"))
