"""What can be wrong with a plugin's files, and where."""

import difflib
from collections.abc import Collection
from dataclasses import dataclass

from bottega.errors import NotFound


@dataclass(frozen=True, slots=True, order=True)
class PluginProblem:
    """Lines and columns count from 1, as editors show them."""

    #: Relative to the plugin's folder: `agents/planner.md`.
    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}"


def no_such(kind: str, name: str, known: Collection[str]) -> str:
    """After `there is`: that there is none of this name, and which one was probably meant."""
    name = name if len(name) <= 64 else name[:63] + "…"
    close = difflib.get_close_matches(name, known, n=1)
    if close:
        return f"no {kind} {name!r}; did you mean {close[0]!r}?"
    there_are = f"there are {', '.join(sorted(known))}" if known else "there is none at all"
    return f"no {kind} {name!r}; {there_are}"


def not_found(kind: str, name: str, known: Collection[str]) -> NotFound:
    return NotFound(f"There is {no_such(kind, name, known)}", valid_options=sorted(known))
