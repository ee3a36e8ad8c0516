"""Gantt charts, pies and mind maps."""

import re
from collections.abc import Sequence

from bottega.core.documents import Problem
from bottega.research.session_tools.mermaid.source import Line, check_each, shown

_GANTT = (
    re.compile(r"title\s+\S.*"),
    re.compile(r"section\s+\S.*"),
    re.compile(r"(?:dateFormat|axisFormat|tickInterval|excludes|includes|todayMarker)\s+\S.*"),
    re.compile(r"weekday\s+(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)"),
    re.compile(r"weekend\s+(?:friday|saturday)"),
    re.compile(r"inclusiveEndDates|topAxis"),
    re.compile(r"click\s+\S+\s+\S.*"),
    # A task: its name, a colon, and what is known of it.
    re.compile(r"[^:#;]+:[^#;]+"),
)
_PIE_VALUE = re.compile(r"(\"[^\"]*\"|'[^']*')\s*:\s*(\S+)")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?")
_PIE_TITLE = re.compile(r"title\s+\S.*")
_BRACKETS = {"[": "]", "((": "))", "(": ")", "))": "((", ")": "(", "{{": "}}", "{": "}"}
_MIND_NODE = re.compile(
    r"[^\[\](){}]*?(\[|\(\(|\(|\)\)|\)|\{\{|\{)(.*?)(\]|\)\)|\)|\(\(|\(|\}\}|\})"
)


def check_gantt(lines: Sequence[Line]) -> list[Problem]:
    return check_each(lines, _GANTT, "Gantt chart")


def check_pie(lines: Sequence[Line]) -> list[Problem]:
    problems: list[Problem] = []
    for line in lines:
        if _PIE_TITLE.fullmatch(line.text) or line.text == "showData":
            continue
        value = _PIE_VALUE.fullmatch(line.text)
        if value is None:
            problems.append(line.problem(f'a slice is "name" : number, not {shown(line.text)}'))
        elif not _NUMBER.fullmatch(value[2]):
            problems.append(line.problem(f"{shown(value[2])} is no number", value.start(2)))
        elif float(value[2]) < 0:
            problems.append(line.problem("a slice cannot be negative", value.start(2)))
    return problems


def check_mindmap(lines: Sequence[Line]) -> list[Problem]:
    problems: list[Problem] = []
    nodes = [line for line in lines if not line.text.startswith(("::icon(", ":::"))]
    for number, line in enumerate(nodes):
        if number and line.indent <= nodes[0].indent:
            problems.append(line.problem("a mind map has one root: indent this below it"))
        problems += _check_node(line)
    return problems


def _check_node(line: Line) -> list[Problem]:
    text = re.sub(r'"[^"]*"', lambda match: "x" * len(match[0]), line.text)
    if not re.search(r"[\[\](){}]", text):
        return []
    node = _MIND_NODE.fullmatch(text)
    if node is None or _BRACKETS[node[1]] != node[3]:
        return [line.problem(f"the brackets of this node do not fit: {shown(line.text)}")]
    return []
