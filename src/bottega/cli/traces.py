"""`bottega trace`: what a run or a call did, step by step."""

import json
import sys
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.tree import Tree

commands = typer.Typer(help="Read what a call or a run did, step by step.", no_args_is_help=True)
console = Console()


@commands.command("list")
def list_traces(
    context: typer.Context,
    session: Annotated[str | None, typer.Option(help="Only those of this session.")] = None,
    limit: Annotated[int, typer.Option(help="How many, newest first.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")] = False,
) -> None:
    """Show the newest traces."""
    traces = context.obj.get("/api/traces", session_id=session, limit=limit)
    if as_json:
        sys.stdout.write(json.dumps(traces, indent=2) + "\n")
        return
    if not traces:
        console.print("No traces yet. Every tool call and every model call leaves one.")
        return
    table = Table("trace", "what", "when", "took", "steps", "", box=None)
    for trace in traces:
        mark = "[red]failed[/red]" if trace["status"] == "error" else ""
        table.add_row(
            trace["trace_id"],
            trace["name"],
            trace["started_at"][:19],
            f"{trace['duration_ms']:.1f} ms",
            str(trace["span_count"]),
            mark,
        )
    console.print(table)


@commands.command("show")
def show_trace(
    context: typer.Context,
    trace_id: Annotated[str, typer.Argument(help="The trace's id, as `list` shows it.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")] = False,
) -> None:
    """Show one trace as a tree of its steps."""
    trace = context.obj.get(f"/api/traces/{trace_id}")
    if as_json:
        sys.stdout.write(json.dumps(trace, indent=2) + "\n")
        return
    console.print(tree_of(trace["spans"]))


def tree_of(spans: list[dict[str, Any]]) -> Tree:
    """Spans come parents first, so each finds its branch ready."""
    root = Tree(f"[dim]{spans[0]['trace_id']}[/dim]")
    branches: dict[str | None, Tree] = {}
    for span in spans:
        colour = "red" if span["status"] == "error" else "green"
        label = (
            f"[{colour}]●[/{colour}] [bold]{span['name']}[/bold] [dim]{span['kind']}[/dim] "
            f"{span['duration_ms']:.1f} ms"
        )
        branch = branches.get(span["parent_id"], root).add(label)
        branches[span["span_id"]] = branch
        for name, value in span["attributes"].items():
            branch.add(f"[dim]{name}:[/dim] {value}")
    return root
