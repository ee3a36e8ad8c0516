"""A diagram's text, without what is no part of the diagram: frontmatter, directives, comments."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bottega.core.documents import Problem

FRONTMATTER = re.compile(r"\A\s*---[ \t]*\n(.*?\n)?[ \t]*---[ \t]*(\n|\Z)", re.DOTALL)
DIRECTIVE = re.compile(r"%%\{.*?\}%%", re.DOTALL)
COMMENT = re.compile(r"^[ \t]*%%(?!\{).*$", re.MULTILINE)
#: `#9829;` is a letter.
_ENTITY = re.compile(r"#\w+\Z")
_ACCESSIBLE = re.compile(r"\s*acc(Title\s*:|Descr\s*:|Descr\s*\{)")


@dataclass(frozen=True, slots=True)
class Line:
    """A line with something in it. Numbers count from 1, in the text as it was given."""

    number: int
    #: Without the blanks around it.
    text: str
    indent: int

    def problem(self, message: str, at: int = 0) -> Problem:
        """`at` characters into the text."""
        return Problem(self.number, self.indent + at + 1, message)


class Wrong(Exception):
    """What is wrong with a line, and where in it."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def blank_out(text: str) -> str:
    """The text with everything that is no part of the diagram made into blanks: lines and
    columns stay what they were."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    for pattern in (FRONTMATTER, DIRECTIVE, COMMENT):
        text = pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    return text


def lines_of(text: str, *, quotes_run_on: bool = False) -> list[Line]:
    """Its lines, without those for screen readers. A text in quotes may run over several."""
    if quotes_run_on:
        text = re.sub(r'"[^"]*"', lambda match: match[0].replace("\n", "\v"), text)
    found: list[Line] = []
    number = 1
    in_description = False
    for raw in text.split("\n"):
        if in_description or _ACCESSIBLE.match(raw):
            opened = in_description or re.match(r"\s*accDescr\s*\{", raw)
            in_description = bool(opened) and "}" not in raw
        elif raw.strip():
            found.append(Line(number, raw.strip(), len(raw) - len(raw.lstrip())))
        number += 1 + raw.count("\v")
    return found


def split_statements(line: Line, opening: str = "", closing: str = "") -> list[Line]:
    """What `;` separates, unless it stands in quotes, in brackets or at the end of `#quot;`."""
    parts: list[Line] = []
    start = depth = 0
    quoted = False
    for at, letter in enumerate(f"{line.text};"):
        if letter == '"' and opening:
            quoted = not quoted
        elif not quoted and letter in opening:
            depth += 1
        elif not quoted and letter in closing:
            depth -= 1
        ends = letter == ";" and not (quoted or depth > 0 or _ENTITY.search(line.text[start:at]))
        if ends or at == len(line.text):
            text = line.text[start:at]
            lead = len(text) - len(text.lstrip())
            if text.strip():
                parts.append(Line(line.number, text.strip(), line.indent + start + lead))
            start = at + 1
    return parts


def check_each(
    lines: Sequence[Line], patterns: Sequence[re.Pattern[str]], kind: str
) -> list[Problem]:
    """Every line has to be one of the statements."""
    return [
        line.problem(f"this is no statement of a {kind}: {shown(line.text)}")
        for line in lines
        if not any(pattern.fullmatch(line.text) for pattern in patterns)
    ]


def shown(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:57]}…")
