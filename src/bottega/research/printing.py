"""Research on a terminal. Green is verified, yellow is to be looked at, red did not work."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.live import Live
from rich.markdown import Markdown
from rich.markup import escape
from rich.table import Table
from rich.tree import Tree

from bottega.core.doors.client import Answer
from bottega.core.text.words import one_line, shorten

if TYPE_CHECKING:
    from bottega.research.pipeline.timeline import RunTimeline

console = Console()

FOLD = re.compile(r"</?details>\n*")
SUMMARY = re.compile(r"<summary>(.*?)</summary>")

STATUS_COLOURS = {
    "verified": "green",
    "unverified": "yellow",
    "refused": "yellow",
    "running": "cyan",
    "paused": "yellow",
    "failed": "red",
    "cancelled": "dim",
}
STEP_MARKS = {
    "working": "[cyan]…[/]",
    "done": "[green]✓[/]",
    "failed": "[red]✗[/]",
    "stopped": "[dim]✗[/]",
}
HEALTH_COLOURS = {"ok": "green", "failing": "red", "needs_auth": "yellow", "unknown": "dim"}
EXCERPT = 70


@contextmanager
def live_tree(*, quiet: bool) -> Iterator[Callable[[Answer], None]]:
    """Stages with what they do, growing as events come; nothing for scripts."""
    if quiet:
        yield lambda _event: None
        return
    # It knows the stages of the pipeline, and with them half of the house.
    from bottega.research.pipeline.timeline import RunTimeline

    story = RunTimeline()
    with Live(_tree(story), console=console, refresh_per_second=8) as live:

        def grow(event: Answer) -> None:
            at = datetime.fromisoformat(event["created_at"])
            story.add(event["type"], event["payload"], at)
            live.update(_tree(story))

        yield grow


def _tree(story: "RunTimeline") -> Tree:
    tree = Tree("[bold]Research[/bold]", guide_style="dim")
    for stage in story.stages:
        branch = tree.add(_line(stage.state, stage.title, stage.note, stage.cost))
        for each in stage.substeps:
            branch.add(_line(each.state, each.title, each.result, each.cost))
    return tree


def _line(state: str, text: str, result: str, cost: float) -> str:
    found = f" [dim]{escape(result)}[/]" if result else ""
    paid = f" [dim]${cost:.4f}[/]" if cost else ""
    return f"{STEP_MARKS[state]} {escape(text)}{found}{paid}"


def print_question(waiting: Answer) -> None:
    console.print()
    console.print(Markdown(waiting["text"]))


def read_reply() -> str | None:
    """What the person types; Enter is to go on, the end of input is to leave it for later."""
    try:
        reply = console.input("[bold]> [/bold]")
    except EOFError:
        return None
    return reply.strip() or "1"


def print_left(run_id: str) -> None:
    console.print(
        f"\nThe run waits for you. Go on with: [bold]bottega research resume {run_id}[/bold]",
        soft_wrap=True,
    )


def print_answer(answer: Answer) -> None:
    if answer["exit_reason"] == "breakout":
        console.print("You left the research. What it had found is kept.")
        return
    status = answer["status"] or "unverified"
    console.print()
    console.print(Markdown(unfolded(answer["markdown"])))
    line = f"[{STATUS_COLOURS[status]}]{status}[/]"
    cost = f" · ${answer['cost']:.4f}" if answer["cost"] else ""
    console.print(f"\n{line}{cost} · {answer['run_id']}", highlight=False)


def unfolded(markdown: str) -> str:
    """A terminal folds nothing away: what a page would fold stands below a heading."""
    return FOLD.sub("", SUMMARY.sub(r"### \1", markdown))


def print_chat(text: str) -> None:
    console.print()
    console.print(Markdown(text))


def print_written(path: Path) -> None:
    console.print(f"Written to {escape(str(path))}.", highlight=False, soft_wrap=True)


def print_failure(run: Answer) -> None:
    if run["status"] == "cancelled":
        console.print("The run was cancelled.")
        return
    message = (run["error"] or {}).get("message", "for an unknown reason")
    console.print(f"[red]The research had to stop[/red]: {escape(message)}", soft_wrap=True)


def print_cancelled(run: Answer) -> None:
    console.print(f"Cancelled {run['id']}. What it had found is kept.", highlight=False)


def print_runs(found: Answer) -> None:
    if not found["runs"]:
        console.print(
            'Nothing was asked yet. [bold]bottega research "question" --library NAME[/bold] does.'
        )
        return
    table = Table("run", "asked", "library", "status", "cost", "question", box=None)
    for run in found["runs"]:
        status = run["answer_status"] or run["exit_reason"] or run["status"]
        colour = STATUS_COLOURS.get(status, "white")
        table.add_row(
            run["id"],
            run["created_at"][:16].replace("T", " "),
            run["library"],
            f"[{colour}]{status}[/]",
            f"${run['cost']:.4f}" if run["cost"] else "",
            escape(shorten(one_line(run["question"]), EXCERPT)),
        )
    console.print(table)


def print_agents(found: Answer) -> None:
    for agent in found["agents"]:
        console.print(f"[bold]@{agent['slug']}[/bold]  {escape(agent['description'])}")
        for problem in agent["problems"]:
            console.print(f"  [red]{escape(problem)}[/red]", soft_wrap=True)


def print_sources(found: Answer) -> None:
    table = Table("source", "", "health", "tools", "what it is", box=None)
    for source in found["sources"]:
        health = source["health"]
        table.add_row(
            source["slug"],
            "[green]on[/green]" if source["enabled"] else "[dim]off[/dim]",
            f"[{HEALTH_COLOURS[health]}]{health}[/]",
            "" if source["tools"] is None else str(source["tools"]),
            escape(source["description"]),
        )
    console.print(table)
    for source in found["sources"]:
        for problem in source["problems"]:
            console.print(f"[red]{escape(problem)}[/red]", soft_wrap=True)


def print_test(report: Answer) -> None:
    for check in report["checks"]:
        mark = "[green]✓[/green]" if check["passed"] else "[red]✗[/red]"
        console.print(f"{mark} {escape(check['name'])}: {escape(check['message'])}")
    for advice in report["advice"]:
        console.print(f"  → {escape(advice)}", soft_wrap=True)


def print_nothing(_answer: Answer) -> None:
    """What a script asked for was printed as JSON."""
