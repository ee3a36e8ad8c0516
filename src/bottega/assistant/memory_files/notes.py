"""A memory file as notes: list items and paragraphs with their places; how a text is added."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

from bottega.assistant.memory_files.paths import ENTRYPOINT, MEMORY_LINES, MemoryPath, WriteMode
from bottega.assistant.workspace.texts import words_of
from bottega.errors import Conflict, InvalidInput, TooLarge

_BULLET = re.compile(r"\s{0,3}(?:[-*+]|\d{1,3}[.)])\s+(?P<text>\S.*)")
_HEADING = re.compile(r"#{1,6}\s+(?P<text>.+?)\s*#*\s*$")

#: What a person would never forgive to be left out. A note can also say so: `[safeguarding]`.
_SAFEGUARDING = re.compile(
    r"safeguard|child protection|court order|allerg|anaphyla|epilep|seizure|diabet|asthma"
    r"|self-harm|trauma|bereave|medical|emergency|must (?:not|never)|do not ever",
    re.IGNORECASE,
)
_NEEDS = re.compile(
    r"\b(?:EAL|ESL|ASN|SEND?|ADHD|ASD)\b|(?i:dyslexi|dyspraxi|dyscalculi|autis|hearing|deaf"
    r"|visual(?:ly)? impair|blind|wheelchair|mobility|speech and language|accessib|support plan"
    r"|additional support|scaffold|\[need\])"
)
#: Characters; an index of 200 lines has a tenth of it.
LONGEST_FILE = 200_000

#: A note that shares so much of its words with another one says the same.
SAME = 0.7

_BULLETS = ("- ", "* ", "+ ")


class Priority(IntEnum):
    """Which constraints come first where there is no room for everything."""

    SAFEGUARDING = 0
    NEEDS = 1
    OTHER = 2


IMPORTANCE = {Priority.SAFEGUARDING: 1.0, Priority.NEEDS: 0.8, Priority.OTHER: 0.5}


@dataclass(frozen=True, slots=True)
class MemoryNote:
    #: Without its bullet, on one line.
    text: str
    #: Its first line, from 1, and the one after its last.
    line: int
    end: int
    #: What it stands under; empty if nothing.
    heading: str

    @property
    def priority(self) -> Priority:
        said = f"{self.heading} {self.text}"
        if _SAFEGUARDING.search(said):
            return Priority.SAFEGUARDING
        return Priority.NEEDS if _NEEDS.search(said) else Priority.OTHER


def notes_of(text: str) -> list[MemoryNote]:
    return list(_notes(text.splitlines()))


def as_item(text: str) -> str:
    """A note as a line of a list: whatever it has of lines and bullets of its own is gone."""
    line = " ".join(text.split())
    bullet = _BULLET.fullmatch(line)
    return f"- {bullet['text'] if bullet else line}"


def _notes(lines: Sequence[str]) -> Iterator[MemoryNote]:
    heading, begun = "", None
    for number, line in enumerate([*lines, ""], 1):
        found = _HEADING.fullmatch(line)
        if begun is not None and (found or not line.strip() or _BULLET.fullmatch(line)):
            yield _note(lines, begun, number, heading)
            begun = None
        if found:
            heading = found["text"]
        elif line.strip() and begun is None:
            begun = number


def _note(lines: Sequence[str], begun: int, end: int, heading: str) -> MemoryNote:
    first, *rest = lines[begun - 1 : end - 1]
    bullet = _BULLET.fullmatch(first)
    text = " ".join([bullet["text"] if bullet else first, *rest])
    return MemoryNote(" ".join(text.split()), begun, end, heading)


@dataclass(frozen=True, slots=True)
class WriteResult:
    path: str
    lines: int
    is_new: bool = False
    is_changed: bool = True
    #: What to do about an index that has grown too long to be loaded.
    advice: str | None = None


def combine(place: MemoryPath, before: str | None, text: str, mode: WriteMode) -> str:
    """What the file says afterwards; the same again if it is written twice."""
    said = text.strip("\n")
    if not said.strip() and mode is not WriteMode.REPLACE:
        raise InvalidInput(f"There is nothing to write to {place}: the text is empty.")
    if mode is WriteMode.CREATE and before not in (None, f"{said}\n"):
        raise Conflict(f"{place} is there already. Append to it, or replace it.")
    if mode is not WriteMode.APPEND or not before:
        after = f"{said}\n" if said else ""
    elif f"\n{said}\n" in f"\n{before}\n":
        after = before
    else:
        after = f"{before.rstrip()}{_gap(before, said)}{said}\n"
    if len(after) > LONGEST_FILE:
        raise TooLarge(
            f"{place} would have {len(after):,} characters; a memory file may have "
            f"{LONGEST_FILE:,}. Put the rest into another topic file.",
            length=len(after),
        )
    return after


def importance_of(text: str) -> float:
    """That of the most important note in it."""
    return max((IMPORTANCE[note.priority] for note in notes_of(text)), default=0.5)


def advice_on(place: MemoryPath, lines: int) -> str | None:
    if not place.is_entrypoint or lines <= MEMORY_LINES:
        return None
    topic = MemoryPath(place.class_id, "planning-patterns.md")
    return (
        f"{place} has {lines} lines, and only the first {MEMORY_LINES} are loaded when a session "
        f"begins. Keep {ENTRYPOINT} an index: move details into topic files such as {topic}, and "
        "name them in it."
    )


def _gap(before: str, said: str) -> str:
    """A list goes on; anything else begins a paragraph of its own."""
    last = before.rstrip().rsplit("\n", 1)[-1]
    is_list = said.lstrip().startswith(_BULLETS) and last.lstrip().startswith(_BULLETS)
    return "\n" if is_list else "\n\n"


def is_known(text: str, known: Sequence[str]) -> bool:
    words = words_of(text) | set(re.findall(r"\d+", text))
    return bool(words) and any(
        len(words & (words_of(note) | set(re.findall(r"\d+", note)))) / len(words) >= SAME
        for note in known
    )
