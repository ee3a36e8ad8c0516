"""What can be wrong with a document, and where."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bottega.errors import InvalidInput

#: Where a value stands inside the metadata: `("tools", 2)`.
KeyPath = tuple[str | int, ...]
#: The line and column of each value that the file has.
Positions = Mapping[KeyPath, tuple[int, int]]


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """Lines and columns count from 1, as editors show them."""

    line: int
    column: int
    message: str


class DocumentError(InvalidInput):
    """A document that cannot be used as it is, with every problem found."""

    def __init__(self, path: str | Path, *problems: Problem) -> None:
        self.path = str(path)
        self.problems: Sequence[Problem] = sorted(problems)
        self.line = self.problems[0].line
        self.column = self.problems[0].column
        lines = (f"{self.path}:{p.line}:{p.column}: {p.message}" for p in self.problems)
        super().__init__("\n".join(lines), path=self.path, line=self.line, column=self.column)


def place(positions: Positions, where: KeyPath) -> tuple[int, int]:
    """The place of a value, or of the nearest thing around it that the file has."""
    for length in range(len(where), 0, -1):
        if where[:length] in positions:
            return positions[where[:length]]
    return 1, 1
