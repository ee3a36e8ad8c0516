"""`bottega token`: who may come in from outside."""

from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

commands = typer.Typer(
    help="Issue, list and revoke the tokens that clients send.", no_args_is_help=True
)
console = Console()


@commands.command("issue")
def issue(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="What you will know it by: laptop, ci, a colleague.")],
    user: Annotated[str, typer.Option(help="Whose it is; a new name makes a new user.")] = "local",
) -> None:
    """Make a token and show it, once."""
    token = context.obj.post("/api/tokens", json={"name": name, "user": user})
    console.print(f"[green]Issued[/green] {token['name']} for {token['user']}:\n")
    console.print(f"  {token['secret']}\n", highlight=False, soft_wrap=True)
    console.print(
        "[dim]It is shown this once. Send it as `Authorization: Bearer …`; take it back with "
        f"`bottega token revoke {token['name']}`.[/dim]"
    )


@commands.command("list")
def list_tokens(context: typer.Context) -> None:
    """Show the tokens there are; their secrets are kept nowhere."""
    tokens = context.obj.get("/api/tokens")
    if not tokens:
        console.print("No tokens. Make one with [bold]bottega token issue NAME[/bold].")
        return
    table = Table("name", "user", "made", "last used", "state", box=None)
    for token in tokens:
        state = "[red]revoked[/red]" if token["revoked_at"] else "[green]valid[/green]"
        table.add_row(
            token["name"],
            token["user"],
            token["created_at"][:16],
            (token["last_used_at"] or "never")[:16],
            state,
        )
    console.print(table)


@commands.command("revoke")
def revoke(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="The token's name or id.")],
) -> None:
    """Make a token useless, at once."""
    context.obj.delete(f"/api/tokens/{name}")
    console.print(f"[green]Revoked[/green] {name}. Whoever sends it is refused from now on.")
