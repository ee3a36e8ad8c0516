"""Entity relationship diagrams."""

import re
from collections.abc import Sequence

from bottega.core.documents import Problem
from bottega.research.session_tools.mermaid.source import Line, shown

_NAME = r'(?:"[^"]+"|[A-Za-z_\u0080-\uffff][\w\-\u0080-\uffff]*)'
_END = r"(?:\|\||\|o|o\||\}o|o\{|\}\||\|\{)"
_CLASS = r"(?::::[\w-]+(?:,[\w-]+)*)?"
_COUNT = (
    r"(?:one or zero|zero or one|one or more|one or many|many\(1\)|1\+|zero or more|zero or many|"
    r"many\(0\)|0\+|only one|1)"
)
RELATION = re.compile(
    rf"{_NAME}{_CLASS}\s*(?:{_END}(?:--|\.\.|\.-|-\.){_END}|"
    rf"\s{_COUNT}\s+(?:optionally\s+)?to\s+{_COUNT}\s)\s*{_NAME}{_CLASS}"
    r'(?:\s*:\s*(?:"[^"]*"|\S.*))'
)
ENTITY = re.compile(rf'{_NAME}(?:\s*\[(?:"[^"]+"|[\w\-]+)\])?{_CLASS}\s*(\{{)?\s*(\}})?')
ATTRIBUTE = re.compile(
    r"[A-Za-z_*\u0080-\uffff][\w\-()\[\],~\u0080-\uffff]*\s+[A-Za-z_*\u0080-\uffff][\w\-\[\]()*\u0080-\uffff]*"
    r'(?:\s+(?:PK|FK|UK)(?:\s*,\s*(?:PK|FK|UK))*)?(?:\s+"[^"]*")?'
)
STATEMENTS = (
    RELATION,
    re.compile(r"direction\s+(?:TB|TD|BT|RL|LR)"),
    re.compile(r"(?:classDef|class|style)\s+\S+\s+\S.*"),
    re.compile(r"title\s+\S.*"),
)


def check_entities(lines: Sequence[Line]) -> list[Problem]:
    problems: list[Problem] = []
    entity: Line | None = None
    for line in lines:
        if entity is not None:
            if line.text == "}":
                entity = None
            elif not ATTRIBUTE.fullmatch(line.text):
                message = f"an attribute is a type and a name, not {shown(line.text)}"
                problems.append(line.problem(message))
            continue
        declared = ENTITY.fullmatch(line.text)
        if declared:
            entity = line if declared[1] and not declared[2] else None
        elif not any(pattern.fullmatch(line.text) for pattern in STATEMENTS):
            message = f"this is no statement of an entity diagram: {shown(line.text)}"
            problems.append(line.problem(message))
    if entity is not None:
        problems.append(entity.problem("this entity is not closed by '}'"))
    return problems
