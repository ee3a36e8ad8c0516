"""Codes by which curricula name their outcomes: `TCH 3-13a`, `MS-PS1-2`, `AC9M7N01`.

A code that no file of the workspace has is what a model makes up most easily.
"""

import difflib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

#: What drafts say about a curriculum, and how its codes look.
PHRASES: dict[str, list[str]] = tomllib.loads(
    Path(__file__).with_name("phrases.toml").read_text("utf-8")
)
_CODE = re.compile(rf"(?<![\w-])(?:{'|'.join(PHRASES['code_families'])})(?![\w-])")
#: `TCH 3-13a, 3-14a`, `TCH 3-13a/b`: the subject is said once.
_FURTHER = re.compile(r"\s*(?:/|,|;|&|and|or|to)\s*(?P<code>\d[-–‑]\d{2}[a-z]?|[a-z])(?![\w-])")
#: What curriculum files put beside a code that nobody has confirmed.
UNCONFIRMED = "to be checked"

_PARTS = re.compile(r"(?P<subject>[A-Za-z]{2,4})\s?(?P<outcome>\d[-–‑]\d{2})(?P<letter>[a-z]?)")


@dataclass(frozen=True, slots=True)
class OutcomeCode:
    #: As it should be written.
    name: str
    start: int
    end: int

    @property
    def key(self) -> str:
        """The same however it is spaced."""
        return self.name.replace(" ", "").upper()


@dataclass(frozen=True, slots=True)
class KnownCode:
    name: str
    #: `curriculum/cfe-computing.md:L12`.
    place: str
    is_unconfirmed: bool


class KnownCodes:
    """The codes that stand in a curriculum's files."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._codes: dict[str, KnownCode] = {}
        for path, text in files.items():
            for number, line in enumerate(text.splitlines(), 1):
                is_unconfirmed = UNCONFIRMED in line.casefold()
                for code in codes_in(line):
                    known = KnownCode(code.name, f"{path}:L{number}", is_unconfirmed)
                    earlier = self._codes.setdefault(code.key, known)
                    if earlier.is_unconfirmed and not is_unconfirmed:
                        self._codes[code.key] = known

    def __contains__(self, code: OutcomeCode) -> bool:
        """One without its last letter stands for all that begin so."""
        if code.key in self._codes:
            return True
        return code.key[-1].isdigit() and any(key[:-1] == code.key for key in self._codes)

    def find(self, code: OutcomeCode) -> KnownCode | None:
        return self._codes.get(code.key)

    def nearest(self, code: OutcomeCode) -> str | None:
        close = difflib.get_close_matches(code.key, self._codes, n=1, cutoff=0.8)
        return self._codes[close[0]].name if close else None


def codes_in(text: str) -> list[OutcomeCode]:
    found: list[OutcomeCode] = []
    for code in _CODE.finditer(text):
        parts = _PARTS.fullmatch(code[0])
        name = _written(parts) if parts else code[0]
        found.append(OutcomeCode(name, *code.span()))
        if parts:
            found += _further(text, name, code.end())
    return found


def _further(text: str, name: str, end: int) -> list[OutcomeCode]:
    found = []
    while following := _FURTHER.match(text, end):
        said = following["code"].replace("–", "-").replace("‑", "-")
        if said.isalpha():
            # "TCH 3-13a, a lesson …" lists nothing.
            if text[end : following.start("code")].strip() != "/":
                break
            name = name.rstrip("abcdefghijklmnopqrstuvwxyz") + said
        else:
            name = f"{name.split()[0]} {said}"
        found.append(OutcomeCode(name, *following.span("code")))
        end = following.end()
    return found


def _written(parts: re.Match[str]) -> str:
    outcome = parts["outcome"].replace("–", "-").replace("‑", "-")
    return f"{parts['subject'].upper()} {outcome}{parts['letter']}"
