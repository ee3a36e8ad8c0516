"""State diagrams: states, what leads from one to another, and states within states."""

import re
from collections.abc import Sequence

from bottega.core.documents import Problem
from bottega.research.session_tools.mermaid.source import Line, shown

_STATE = r"(?:\[\*\]|[^\s:\"{}\[\]]+?)"
_CLASS = r"(?::::[\w-]+)?"
STATEMENTS = (
    re.compile(rf"{_STATE}{_CLASS}\s*-->\s*{_STATE}{_CLASS}(?:\s*:\s*.*)?"),
    re.compile(r'state\s+"[^"]*"\s+as\s+\S+'),
    re.compile(r"state\s+\S+\s*<<(?:fork|join|choice|history)>>"),
    re.compile(r"state\s+\S+\s*\[\[(?:fork|join|choice)\]\]"),
    re.compile(rf"state\s+[^\s\"{{}}]+{_CLASS}"),
    re.compile(rf"{_STATE}{_CLASS}(?:\s*:\s*.+)?"),
    re.compile(r"direction\s+(?:TB|TD|BT|RL|LR)"),
    re.compile(r"note\s+(?:left|right)\s+of\s+\S+\s*:\s*.+"),
    re.compile(r"(?:classDef|class|style)\s+\S+.*\s+\S+"),
    re.compile(r"hide empty description"),
    re.compile(r"scale\s+\d+\s+width"),
    re.compile(r"click\s+\S+\s+\S.*"),
    re.compile(r"--"),
    re.compile(r'note\s+"[^"]*"\s+as\s+\S+'),
)
COMPOSITE = re.compile(rf'state\s+(?:"[^"]*"\s+as\s+)?[^\s"{{}}]+\s*{_CLASS}\s*\{{(\s*\}})?')
NOTE = re.compile(r"note\s+(?:left|right)\s+of\s+[^\s:]+")


def check_states(lines: Sequence[Line]) -> list[Problem]:
    problems: list[Problem] = []
    blocks: list[Line] = []
    note: Line | None = None
    for line in map(_without_comment, lines):
        if note is not None:
            note = None if line.text == "end note" else note
        elif NOTE.fullmatch(line.text):
            note = line
        elif composite := COMPOSITE.fullmatch(line.text):
            if not composite[1]:
                blocks.append(line)
        elif line.text == "}":
            if not blocks:
                problems.append(line.problem("'}' without a state"))
            else:
                blocks.pop()
        elif not any(pattern.fullmatch(line.text) for pattern in STATEMENTS):
            message = f"this is no statement of a state diagram: {shown(line.text)}"
            problems.append(line.problem(message))
    problems += [line.problem("this state is not closed by '}'") for line in blocks]
    if note is not None:
        problems.append(note.problem("this note has no 'end note'"))
    return problems


def _without_comment(line: Line) -> Line:
    return Line(line.number, re.sub(r"\s+%%.*", "", line.text), line.indent)
