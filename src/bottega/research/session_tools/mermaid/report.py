"""What is said of a diagram."""

from typing import Literal

from pydantic import BaseModel


class MermaidProblem(BaseModel):
    line: int
    column: int
    message: str


class MermaidReport(BaseModel):
    valid: bool
    diagram: str | None
    #: `syntax`: every line; `header`: we know the kind and not its grammar.
    checked: Literal["syntax", "header"]
    problems: list[MermaidProblem]
