"""Checking Mermaid diagrams by the grammars of `mermaid.toml`: every line has to be a statement of
its kind of diagram, and every block has to be closed."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel

GRAMMARS = Path(__file__).with_suffix(".toml")
MOST_PROBLEMS = 20
#: Patterns take longer than lines are long; nobody draws with more.
LONGEST_LINE = 2_000
#: What divides a block, and the blocks that it divides.
DIVIDERS = {"else": ("alt",), "and": ("par", "par_over"), "option": ("critical",)}
LOOKS = ("classDef", "class", "style", "linkStyle", "click", "direction")
#: Kinds that may go on beside their name, and those where a text in quotes may have several lines.
ON_ONE_LINE, RUNNING_ON = ("sequence", "er", "gantt", "flowchart"), ("flowchart", "mindmap")
#: No part of the diagram: frontmatter, directives, comments, texts for screen readers.
ASIDE = re.compile(
    r"\A\s*---[ \t]*\n(?:.*?\n)?[ \t]*---[ \t]*(?=\n|\Z)|%%\{.*?\}%%|^[ \t]*%%(?!\{)[^\n]*"
    r"|^[ \t]*acc(?:Title|Descr)[ \t]*:[^\n]*|^[ \t]*accDescr[ \t]*\{[^}]*\}",
    re.DOTALL | re.MULTILINE,
)
#: What `;` separates, unless it stands in quotes, in brackets or at the end of `#quot;`.
STATEMENT = re.compile(r'(?:"[^"]*"|\[[^\[\]]*\]|#\w+;|[^;])+')
Grammar = Mapping[str, re.Pattern[str]]


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


@dataclass(frozen=True, slots=True)
class Line:
    """Without the blanks around it. Numbers count from 1, in the text as it was given."""

    number: int
    text: str
    indent: int = 0

    def problem(self, message: str, at: int = 0) -> MermaidProblem:
        return MermaidProblem(line=self.number, column=self.indent + at + 1, message=message)


def validate_mermaid(text: str) -> MermaidReport:
    """Takes a while for a long diagram: call it in a thread."""
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    # Blanks in its place: lines and columns stay what they were.
    diagram = ASIDE.sub(lambda aside: re.sub(r"[^\n]", " ", aside[0]), plain)
    lines = list(_lines(diagram))
    if not lines:
        return _report(None, Line(1, "").problem("the diagram is empty"))
    if endless := [line for line in lines if len(line.text) > LONGEST_LINE]:
        return _report(None, endless[0].problem(f"no line has over {LONGEST_LINE} characters"))
    head, (kinds, fragments) = lines[0], _grammars()
    for kind, grammar in kinds.items():
        begun = grammar["header"].match(head.text)
        more = head.text[begun.end() :] if begun else "x"
        if begun is None or more[:1] not in ("", ";", " ", "\t"):
            continue
        if more.strip(" ;") and kind not in ON_ONE_LINE:
            return _report(kind, head.problem(f"a {kind} diagram goes on in the next line"))
        if kind == "flowchart" and more.strip() and not more.lstrip().startswith(";"):
            return _report(kind, head.problem("a direction follows: TB, TD, BT, RL or LR"))
        first = Line(head.number, more.strip(), head.indent + len(head.text) - len(more.lstrip()))
        _, *rest = _lines(diagram, runs_on=kind in RUNNING_ON)
        return _report(kind, *_check(kind, grammar, _statements(kind, [first, *rest])))
    if named := fragments["named"].fullmatch(head.text):
        return _report(named[1], checked="header")
    return _report(None, head.problem(f"no kind of diagram begins with {head.text[:60]!r}"))


@lru_cache(maxsize=1)
def _grammars() -> tuple[Mapping[str, Grammar], Grammar]:
    """By kind; and the fragments that they are made of."""
    data = tomllib.loads(GRAMMARS.read_text("utf-8"))

    def filled(patterns: Mapping[str, str]) -> Grammar:
        return {name: re.compile(fill(pattern)) for name, pattern in patterns.items()}

    def fill(pattern: str) -> str:
        for name, fragment in reversed(data["fragments"].items()):
            pattern = pattern.replace(f"<{name}>", fragment)
        return pattern

    return {kind: filled(each) for kind, each in data["kinds"].items()}, filled(data["fragments"])


def _lines(text: str, *, runs_on: bool = False) -> Iterator[Line]:
    if runs_on:
        text = re.sub(r'"[^"]*"', lambda quoted: quoted[0].replace("\n", "\v"), text)
    number = 1
    for raw in text.split("\n"):
        if raw.strip():
            yield Line(number, raw.strip(), len(raw) - len(raw.lstrip()))
        number += 1 + raw.count("\v")


def _statements(kind: str, lines: list[Line]) -> Iterator[Line]:
    for line in lines:
        parts = STATEMENT.finditer(line.text) if kind == "flowchart" else ()
        texts = [(part.start(), part[0]) for part in parts] if parts else [(0, line.text)]
        for at, text in texts:
            if text.strip():
                indent = line.indent + at + len(text) - len(text.lstrip())
                yield Line(line.number, text.strip(), indent)


def _check(kind: str, grammar: Grammar, lines: Iterator[Line]) -> Iterator[MermaidProblem]:
    blocks: list[Line] = []
    root: Line | None = None
    for line in lines:
        word = re.split(r"[\s:]", line.text, maxsplit=1)[0]
        within = blocks[-1].text.split()[0] if blocks else ""
        if "opens" in grammar and re.fullmatch(grammar.get("closes", re.compile(r"\}")), line.text):
            if not blocks:
                yield line.problem(f"{line.text!r} closes nothing")
            blocks = blocks[:-1]
        elif within == "note" or within in DIVIDERS.get(word, ()):
            continue
        elif "member" in grammar and within not in ("", "namespace"):
            if not grammar["member"].fullmatch(line.text):
                yield line.problem(_advice(kind, grammar, line))
        elif "opens" in grammar and grammar["opens"].fullmatch(line.text):
            blocks.append(line)
        elif kind == "flowchart" and word not in LOOKS:
            yield from _check_chain(line)
        elif not grammar["statements"].fullmatch(line.text):
            yield line.problem(_advice(kind, grammar, line))
        elif kind == "mindmap" and root and line.indent <= root.indent:
            yield line.problem("a mind map has one root: indent this below it")
        root = root or line
    for block in blocks:
        yield block.problem(f"{block.text!r} is not closed")


def _advice(kind: str, grammar: Grammar, line: Line) -> str:
    told = f"this is no statement of a {kind} diagram: {line.text[:60]!r}"
    return f"{told}; {grammar['advice'].pattern}" if "advice" in grammar else told


def _check_chain(line: Line) -> Iterator[MermaidProblem]:
    """Nodes and the links between them: the first thing that is wrong."""
    fragments = _grammars()[1]
    at, wanted = 0, "nodes"
    while found := fragments[wanted].match(line.text, at):
        at = found.end()
        if at == len(line.text) and wanted == "nodes":
            return
        wanted = "link" if wanted == "nodes" else "nodes"
    rest = line.text[at : at + 60]
    if rest[:1] in tuple('[({|>"'):
        message = f"{rest[0]!r} is not closed, or the text has brackets that are not in quotes"
    else:
        name = "a node" if wanted == "nodes" else "a link such as -->"
        message = f"{name} is expected here, not {rest!r}"
    yield line.problem(message, min(at, len(line.text) - 1))


def _report(
    diagram: str | None,
    *problems: MermaidProblem,
    checked: Literal["syntax", "header"] = "syntax",
) -> MermaidReport:
    ordered = sorted(problems, key=lambda each: (each.line, each.column))[:MOST_PROBLEMS]
    return MermaidReport(valid=not problems, diagram=diagram, checked=checked, problems=ordered)
