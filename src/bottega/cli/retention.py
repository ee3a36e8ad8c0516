"""`bottega retention`: what is kept how long, how it grows, and pruning it."""

import sys
from json import dumps
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.filesize import decimal
from rich.table import Table

commands = typer.Typer(
    help="See what is kept how long and how it grows; prune what is too old.",
    invoke_without_command=True,
)
console = Console()

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
#: Tables that are shown; the others are small.
SHOWN = 15


@commands.callback()
def show(context: typer.Context, as_json: AsJson = False) -> None:
    """Show how long each log is kept, the size of every table, its growth and a year's forecast.

    Logs are traces, events, runs' progress, agents' hooks and the action log. What you wrote,
    imported transcripts, memories, the journal, libraries and research are kept for ever. The days
    are settings: `bottega config set BOTTEGA_KEEP_TRACES_DAYS 14`.
    """
    if context.invoked_subcommand is not None:
        return
    found = context.obj.get("/api/retention")
    if as_json:
        sys.stdout.write(dumps(found, indent=2) + "\n")
        return
    console.print(_table(found))
    console.print()
    for each in found["tables"]:
        if each["spares"]:
            console.print(f"[dim]{each['table']}: kept for ever are {each['spares']}.[/dim]")
    console.print(
        f"{decimal(found['bytes'])} now, {decimal(found['bytes_per_day'])} a day; in a year "
        f"[bold]{decimal(found['bytes_in_a_year'])}[/bold], without pruning "
        f"{decimal(found['bytes_in_a_year_unpruned'])}.",
        soft_wrap=True,
    )


@commands.command()
def prune(
    context: typer.Context,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would go; change nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Delete what is older than it is kept. The server does it by itself once a day."""
    pruned = context.obj.post("/api/retention/prune", json={"dry_run": dry_run})
    if as_json:
        sys.stdout.write(dumps(pruned, indent=2) + "\n")
        return
    verb = "would go" if dry_run else "went"
    gone = [each for each in pruned if each["rows"]]
    for each in gone:
        console.print(
            f"{each['rows']:>9,} rows of {each['table']} {verb}: before {each['before'][:16]}, "
            f"some {decimal(each['bytes'])}",
            soft_wrap=True,
        )
    if not gone:
        console.print("Nothing is older than it is kept.")
    elif dry_run:
        console.print("[dim]Nothing was changed. Without --dry-run it is.[/dim]")


def _table(found: dict[str, Any]) -> Table:
    table = Table("table", "kept", box=None)
    for name in ("rows", "now", "a day", "in a year"):
        table.add_column(name, justify="right")
    for each in found["tables"][:SHOWN]:
        days = each["kept_days"]
        kept = "for ever" if days is None else "a day" if days == 1 else f"{days} days"
        table.add_row(
            each["table"],
            kept,
            f"{each['rows']:,}",
            decimal(each["bytes"]),
            decimal(each["bytes_per_day"]),
            decimal(each["bytes_in_a_year"]),
        )
    return table
