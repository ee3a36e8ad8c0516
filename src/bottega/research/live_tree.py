"""A run as a tree that grows: its stages, and under each what it called, found and cost."""

from datetime import datetime

from rich.console import RenderableType
from rich.markup import escape
from rich.tree import Tree

from bottega.core.doors.client import Answer
from bottega.research.pipeline.timeline import RunTimeline, StepState

MARKS = {
    StepState.WORKING: "[cyan]…[/]",
    StepState.DONE: "[green]✓[/]",
    StepState.FAILED: "[red]✗[/]",
    StepState.STOPPED: "[dim]✗[/]",
}


class LiveTree:
    def __init__(self) -> None:
        self._story = RunTimeline()

    def add(self, event: Answer) -> None:
        """Take in one event of the run."""
        at = datetime.fromisoformat(event["created_at"])
        self._story.add(event["type"], event["payload"], at)

    def render(self) -> RenderableType:
        tree = Tree("[bold]Research[/bold]", guide_style="dim")
        for stage in self._story.stages:
            branch = tree.add(_line(stage.state, stage.title, stage.note, stage.cost))
            for each in stage.substeps:
                branch.add(_line(each.state, each.title, each.result, each.cost))
        return tree


def _line(state: StepState, text: str, result: str, cost: float) -> str:
    found = f" [dim]{escape(result)}[/]" if result else ""
    paid = f" [dim]${cost:.4f}[/]" if cost else ""
    return f"{MARKS[state]} {escape(text)}{found}{paid}"
