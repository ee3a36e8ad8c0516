"""`bottega sign-ins`: the browsers that the passcode signed in."""

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

commands = typer.Typer(
    help="List the browsers that are signed in to the web app, and sign them out.",
    no_args_is_help=True,
)
console = Console()


@commands.command("list")
def list_sign_ins(
    context: typer.Context,
    everything: Annotated[
        bool, typer.Option("--all", help="Also those that are over, of the last 30 days.")
    ] = False,
) -> None:
    """Show since when, from where and with which browser."""
    rows = [row for row in context.obj.get("/api/sign-ins") if everything or row["is_live"]]
    if not rows:
        console.print("No browser is signed in. The web app asks for BOTTEGA_PASSCODE, if set.")
        return
    table = Table("id", "since", "last seen", "from", "browser", "state", box=None)
    for row in rows:
        state = "[green]signed in[/green]" if row["is_live"] else "[dim]over[/dim]"
        since, seen = row["created_at"][:16], row["seen_at"][:16]
        table.add_row(row["id"], since, seen, row["address"], row["agent"][:60], state)
    console.print(table)


@commands.command("end")
def end(
    context: typer.Context,
    sign_in: Annotated[str, typer.Argument(help="Its id, as `bottega sign-ins list` shows it.")],
) -> None:
    """Sign one browser out, at once, and end what it has open."""
    context.obj.delete(f"/api/sign-ins/{sign_in}")
    console.print(f"[green]Signed out[/green] {sign_in}. Its cookie is refused from now on.")
