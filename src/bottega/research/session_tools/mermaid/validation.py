"""What kind of diagram a text is, and what is wrong with it."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from bottega.core.documents import Problem
from bottega.research.session_tools.mermaid.charts import check_gantt, check_mindmap, check_pie
from bottega.research.session_tools.mermaid.classes import check_classes
from bottega.research.session_tools.mermaid.entities import check_entities
from bottega.research.session_tools.mermaid.flowchart import HEADER, check_flowchart
from bottega.research.session_tools.mermaid.report import MermaidProblem, MermaidReport
from bottega.research.session_tools.mermaid.sequence import check_sequence
from bottega.research.session_tools.mermaid.source import Line, blank_out, lines_of, shown
from bottega.research.session_tools.mermaid.states import check_states

Check = Callable[[Sequence[Line]], list[Problem]]

#: Kinds whose every line is checked, by the words that they begin with.
PARSED: Mapping[str, tuple[re.Pattern[str], Check]] = {
    "sequence": (re.compile(r"sequenceDiagram"), check_sequence),
    "class": (re.compile(r"classDiagram(?:-v2)?"), check_classes),
    "state": (re.compile(r"stateDiagram(?:-v2)?"), check_states),
    "er": (re.compile(r"erDiagram"), check_entities),
    "gantt": (re.compile(r"gantt"), check_gantt),
    "pie": (re.compile(r"pie(?:\s+showData)?(?:\s+title(?:\s.*)?)?"), check_pie),
    "mindmap": (re.compile(r"mindmap"), check_mindmap),
}
#: Kinds that may go on beside their name.
ON_ONE_LINE = frozenset({"sequence", "er", "gantt"})
#: Kinds that we know by name only.
NAMED = re.compile(
    r"(journey|gitGraph|timeline|quadrantChart|requirementDiagram|requirement|kanban|"
    r"C4(?:Context|Container|Component|Dynamic|Deployment)|sankey(?:-beta)?|xychart(?:-beta)?|"
    r"block(?:-beta)?|packet(?:-beta)?|architecture(?:-beta)?|radar(?:-beta)?|treemap(?:-beta)?|"
    r"eventmodeling|ishikawa(?:-beta)?|treeView(?:-beta)?|venn(?:-beta)?|wardley(?:-beta)?|"
    r"info|zenuml)(?=\s|\Z|:).*"
)
MOST_PROBLEMS = 20
#: Patterns take longer than lines are long; nobody draws with more.
LONGEST_LINE = 2_000


def validate_mermaid(text: str) -> MermaidReport:
    """Takes a while for a long diagram: call it in a thread."""
    diagram = blank_out(text)
    lines = lines_of(diagram)
    if not lines:
        return _report(None, [Problem(1, 1, "the diagram is empty")])
    if endless := [line for line in lines if len(line.text) > LONGEST_LINE]:
        return _report(None, [endless[0].problem(f"no line has over {LONGEST_LINE} characters")])
    head, *rest = lines
    if head.text.startswith("mindmap"):
        rest = lines_of(diagram, quotes_run_on=True)[1:]
    if re.match(r"(?:graph|flowchart)\b", head.text):
        return _report("flowchart", _check_flowchart(diagram, head))
    for kind, (header, check) in PARSED.items():
        if header.fullmatch(head.text):
            return _report(kind, check(rest))
        if (begun := header.match(head.text)) and kind in ON_ONE_LINE:
            more = head.text[begun.end() :]
            if more[:1].isspace():
                at = head.indent + begun.end() + len(more) - len(more.lstrip())
                return _report(kind, check([Line(head.number, more.strip(), at), *rest]))
    if named := NAMED.fullmatch(head.text):
        return _report(named[1], [], checked="header")
    return _report(None, [head.problem(_unknown(head.text))])


def _check_flowchart(text: str, head: Line) -> list[Problem]:
    if not HEADER.match(head.text):
        directions = "TB, TD, BT, RL or LR"
        return [head.problem(f"after {head.text.split()[0]!r} comes a direction: {directions}")]
    return check_flowchart(text)


def _unknown(text: str) -> str:
    for kind, (header, _) in PARSED.items():
        if found := header.match(text):
            return f"after {found[0]!r} a {kind} diagram goes on in the next line"
    return f"no kind of diagram begins with {shown(text)}; begin with 'flowchart TD', say"


def _report(
    diagram: str | None,
    problems: Sequence[Problem],
    checked: Literal["syntax", "header"] = "syntax",
) -> MermaidReport:
    return MermaidReport(
        valid=not problems,
        diagram=diagram,
        checked=checked,
        problems=[
            MermaidProblem(line=each.line, column=each.column, message=each.message)
            for each in sorted(problems)[:MOST_PROBLEMS]
        ],
    )
