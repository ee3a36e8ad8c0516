"""`bottega trust`: what the project brings, and what of it may be used here."""

import sys
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from bottega.errors import InvalidInput

commands = typer.Typer(
    help="See what the project brings (agents, plugins, skills, sources), and trust it or not.",
    invoke_without_command=True,
)
console = Console()

STATES = {
    "trusted": "[green]trusted[/green]",
    "new": "[yellow]not trusted[/yellow]",
    "changed": "[yellow]changed since it was trusted[/yellow]",
    "broken": "[red]cannot be trusted[/red]",
}
#: Of the lines of a diff, by how they begin.
STYLES = {"+": "green", "-": "red", "@": "cyan"}
Thing = Annotated[str, typer.Argument(help="`plugins/NAME`, or the name alone.")]


@commands.callback()
def show(context: typer.Context) -> None:
    """See what the project brings (agents, plugins, skills, sources), and trust it or not.

    Without a command: list it.
    """
    if context.invoked_subcommand is None:
        list_things(context)


@commands.command("list")
def list_things(context: typer.Context) -> None:
    """List what the project brings, whether it is trusted, and what it would stand in for."""
    brought = context.obj.get("/api/trust")
    if not brought["things"]:
        console.print("The project brings nothing: there is nothing to trust.")
        return
    table = Table("what", "state", "stands in for", "files", box=None)
    for thing in brought["things"]:
        replaced = {"shipped": "what is shipped", "own": "your own"}.get(thing["replaces"], "")
        why = f": {escape(thing['problem'])}" if thing["problem"] else ""
        table.add_row(_key(thing), STATES[thing["state"]] + why, replaced, str(len(thing["files"])))
    console.print(table)
    if brought["waiting"]:
        console.print(
            f"\n{brought['waiting']} not used until you trust them: look with [bold]bottega trust "
            "diff NAME[/bold], then [bold]bottega trust add NAME[/bold]."
        )


@commands.command("add")
def add(
    context: typer.Context,
    names: Annotated[
        list[str] | None, typer.Argument(help="`plugins/NAME`, or the name alone.")
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="All that the project brings now.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Do not show it and ask, on a terminal.")
    ] = False,
) -> None:
    """Trust things as they are: they may run, connect, and stand in for what is shipped."""
    things = context.obj.get("/api/trust")["things"]
    wanted = [_key(each) for each in things if each["state"] != "trusted"] if everything else names
    if not wanted and not everything:
        raise InvalidInput("Say what to trust, or --all. `bottega trust` lists it.")
    asks = sys.stdin.isatty() and not yes
    for name in wanted or ():
        # What is trusted is what was looked at, and nothing that came since.
        found = context.obj.get(f"/api/trust/{name}/diff")
        if asks and found["diff"]:
            _print_diff(found["diff"])
            if not typer.confirm(f"Trust {name} as shown?"):
                continue
        seen = {"fingerprint": found["fingerprint"]}
        trusted = context.obj.post(f"/api/trust/{name}", json=seen)
        console.print(f"[green]Trusted[/green] {_key(trusted)} as it is now.")


@commands.command("diff")
def diff(context: typer.Context, name: Thing) -> None:
    """Show what has changed since it was trusted; all of it, if it never was."""
    found = context.obj.get(f"/api/trust/{name}/diff")["diff"]
    if not found:
        console.print(f"{escape(name)} is as it was trusted.")
        return
    _print_diff(found)


def _print_diff(diff: str) -> None:
    """Every character of it: a terminal that is too narrow breaks lines, and cuts none off."""
    for line in diff.splitlines():
        console.print(Text(line, STYLES.get(line[:1], "")), soft_wrap=True)


@commands.command("remove")
def remove(context: typer.Context, name: Thing) -> None:
    """Trust it no longer: it is not used from now on."""
    removed = context.obj.delete(f"/api/trust/{name}")
    console.print(f"[green]No longer trusted[/green]: {_key(removed)}.")


def _key(thing: dict[str, Any]) -> str:
    return f"{thing['kind']}/{thing['name']}"
