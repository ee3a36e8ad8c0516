"""What is wrong with a file that is still shown: a person is told, nothing is rewritten."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    #: Relative to the project, with `/`.
    path: str
    #: Counts from 1; None where it is about the whole file.
    line: int | None
    message: str
