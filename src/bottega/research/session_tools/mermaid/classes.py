"""Class diagrams: classes with their members, and how they relate."""

import re
from collections.abc import Sequence

from bottega.core.documents import Problem
from bottega.research.session_tools.mermaid.source import Line, shown

_NAME = r"(?:`[^`]+`|[\w.\-]+?(?:~[^~]*~)?)"
_LINE = r"(?:--|\.\.)"
_END = r"(?:<\||\|>|\*|o|<|>|\(\))"
RELATION = re.compile(
    rf'{_NAME}\s*(?:"[^"]*"\s*)?{_END}?{_LINE}{_END}?\s*(?:"[^"]*"\s*)?{_NAME}'
    rf"(?::::[\w-]+)?(?:\s*:\s*.+)?"
)
CLASS = re.compile(
    rf'class\s+{_NAME}(?:\s*\["[^"]*"\])?(?:\s*:::[\w-]+)?(?:\s*<<[^<>]+>>)?\s*(?:(\{{)\s*(\}})?)?'
)
NAMESPACE = re.compile(r'namespace\s+[\w.\-]+(?:\s*\["[^"]*"\])?\s*\{')
STATEMENTS = (
    RELATION,
    re.compile(rf"{_NAME}\s*:\s*.+"),
    re.compile(r"direction\s+(?:TB|TD|BT|RL|LR)"),
    re.compile(rf"<<[^<>]+>>\s*{_NAME}"),
    re.compile(rf'note(?:\s+for\s+{_NAME})?\s+"[^"]*"'),
    re.compile(r"(?:click|callback|link)\s+\S+\s+\S.*"),
    re.compile(r"(?:classDef|cssClass|style)\s+\S+\s+\S.*"),
    re.compile(r"title\s+\S.*"),
    re.compile(rf"{_NAME}:::[\w-]+"),
)
#: A member is nearly anything; brackets of another statement are not.
MEMBER = re.compile(r"[^{}]+")


def check_classes(lines: Sequence[Line]) -> list[Problem]:
    problems: list[Problem] = []
    blocks: list[tuple[str, Line]] = []
    for line in lines:
        inside = blocks[-1][0] if blocks else ""
        declared = CLASS.fullmatch(line.text)
        if line.text == "}":
            if not blocks:
                problems.append(line.problem("'}' without a class or namespace"))
            else:
                blocks.pop()
        elif inside == "class":
            if not MEMBER.fullmatch(line.text):
                problems.append(line.problem(f"this is no member of a class: {shown(line.text)}"))
        elif declared:
            if declared[1] and not declared[2]:
                blocks.append(("class", line))
        elif NAMESPACE.fullmatch(line.text):
            blocks.append(("namespace", line))
        elif not any(pattern.fullmatch(line.text) for pattern in STATEMENTS):
            message = f"this is no statement of a class diagram: {shown(line.text)}"
            problems.append(line.problem(message))
    problems += [line.problem(f"this {word} is not closed by '}}'") for word, line in blocks]
    return problems
