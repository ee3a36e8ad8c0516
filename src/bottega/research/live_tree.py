"""A run as a tree that grows: its stages, and under each what it called, found and cost."""

from dataclasses import dataclass, field

from rich.console import RenderableType
from rich.markup import escape
from rich.tree import Tree

from bottega.core.terminal import Answer

TOOL_NAMES = {
    "orch_web_search": "Web search",
    "orch_kb_search": "Library search",
    "orch_hop_retrieve": "Following citations",
    "orch_get_paragraphs": "Reading paragraphs",
    "orch_citation_verify": "Checking citations",
    "orch_entity_verify": "Checking what is named",
    "orch_relation_verify": "Checking relations",
    "orch_contradiction_check": "Looking for contradictions",
    "orch_write_output": "Writing the document",
    # By a model, or by our own code where there is none.
    "orchestrator_llm": "Working it out",
}
STAGE_NAMES = {
    "analyze_query": "Understanding the question",
    "websearch_calibration": "Looking around on the web",
    "retrieve": "Finding paragraphs",
    "synthesize": "Writing the answer",
    "verify": "Verifying every claim",
    "output": "Putting it together",
}
#: Its answers are for the next stage, not for people.
MODEL_TOOL = "orchestrator_llm"
LONGEST = 100


@dataclass(slots=True)
class Line:
    text: str
    #: `working`, `done` or `failed`.
    state: str = "working"
    result: str = ""
    cost: float = 0.0

    def render(self) -> str:
        mark = {"working": "[cyan]…[/]", "done": "[green]✓[/]", "failed": "[red]✗[/]"}[self.state]
        result = f" [dim]{escape(self.result)}[/]" if self.result else ""
        cost = f" [dim]${self.cost:.4f}[/]" if self.cost else ""
        return f"{mark} {escape(self.text)}{result}{cost}"


@dataclass(slots=True)
class StageLines(Line):
    #: By substep.
    lines: dict[str, Line] = field(default_factory=dict)


class LiveTree:
    def __init__(self) -> None:
        self._stages: list[StageLines] = []

    def add(self, event: Answer) -> None:
        """Take in one event of the run."""
        told = event["payload"]
        match event["type"]:
            case "stage_started":
                name = STAGE_NAMES.get(told["name"], told["name"])
                self._stages.append(StageLines(name))
            case "stage_completed" if self._stages:
                stage = self._stages[-1]
                stage.state, stage.cost = "done", told["cost"]
            case "stage_blocked" | "failed" if self._stages:
                self._stages[-1].state = "failed"
            case "repair_started":
                repaired = StageLines(f"Repairing the answer, attempt {told['iteration']}")
                repaired.state, repaired.result = "done", "; ".join(told["failures"])[:LONGEST]
                self._stages.append(repaired)
            case "substep" if self._stages:
                self._substep(self._stages[-1], told)

    def render(self) -> RenderableType:
        tree = Tree("[bold]Research[/bold]", guide_style="dim")
        for stage in self._stages:
            branch = tree.add(stage.render())
            for line in stage.lines.values():
                branch.add(line.render())
        return tree

    def _substep(self, stage: StageLines, told: Answer) -> None:
        name = TOOL_NAMES.get(told["tool"], told["tool"])
        subject = _subject(told.get("input") or {})
        line = stage.lines.setdefault(told["id"], Line(f"{name}{subject}"))
        if told["type"] in ("mcp_result", "llm_complete"):
            line.state = "failed" if told.get("is_error") else "done"
            line.result = (
                "" if told["tool"] == MODEL_TOOL else _short(str(told.get("result") or ""))
            )
            line.cost = told.get("cost") or 0.0
        elif told["type"] == "status":
            line.text, line.state = _short(str(told.get("result") or name)), "done"


def _subject(input: Answer) -> str:
    for key in ("query", "queries", "paragraph_ref", "claim"):
        if input.get(key):
            return f": {_short(str(input[key]))}"
    return ""


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
