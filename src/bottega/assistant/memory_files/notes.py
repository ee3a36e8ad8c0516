"""A memory file as the notes that stand in it: list items and paragraphs, each with its place."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

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


class Priority(IntEnum):
    """Which constraints come first where there is no room for everything."""

    SAFEGUARDING = 0
    NEEDS = 1
    OTHER = 2


@dataclass(frozen=True, slots=True)
class Note:
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


def notes_of(text: str) -> list[Note]:
    return list(_notes(text.splitlines()))


def as_item(text: str) -> str:
    """A note as a line of a list: whatever it has of lines and bullets of its own is gone."""
    line = " ".join(text.split())
    bullet = _BULLET.fullmatch(line)
    return f"- {bullet['text'] if bullet else line}"


def _notes(lines: Sequence[str]) -> Iterator[Note]:
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


def _note(lines: Sequence[str], begun: int, end: int, heading: str) -> Note:
    first, *rest = lines[begun - 1 : end - 1]
    bullet = _BULLET.fullmatch(first)
    text = " ".join([bullet["text"] if bullet else first, *rest])
    return Note(" ".join(text.split()), begun, end, heading)
