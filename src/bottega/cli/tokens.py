"""`bottega token`: who may come in from outside, and what for; and `bottega sign-ins`: the browsers
that the passcode signed in."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from bottega.core.roles import TokenRole

commands = typer.Typer(
    help="Issue, list, change and revoke the tokens that clients send.", no_args_is_help=True
)
console = Console()

Name = Annotated[str, typer.Argument(help="The token's name or id.")]
#: `house` is what belongs to no room: runs, events, traces, tokens.
Rooms = Annotated[
    list[str] | None,
    typer.Option("--room", help="Only for this room, or `house`; can be given several times."),
]
Projects = Annotated[
    list[Path] | None,
    typer.Option("--project", help="Only for this project; can be given several times."),
]


@commands.command("issue")
def issue(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="What you will know it by: laptop, ci, a colleague.")],
    user: Annotated[str, typer.Option(help="Whose it is; a new name makes a new user.")] = "local",
    role: Annotated[
        TokenRole,
        typer.Option(
            help="`reader` looks; `agent` works and leaves decisions to people; `member` does all "
            "but run the house; `owner` does all."
        ),
    ] = TokenRole.MEMBER,
    room: Rooms = None,
    project: Projects = None,
) -> None:
    """Make a token and show it, once."""
    asked = {"name": name, "user": user, "role": role, **_limits(room, project)}
    token = context.obj.post("/api/tokens", json=asked)
    console.print(
        f"[green]Issued[/green] {token['name']} for {token['user']} ({_describe(token)}):\n"
    )
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
    table = Table("name", "user", "role", "only for", "made", "last used", "state", box=None)
    for token in tokens:
        state = "[red]revoked[/red]" if token["revoked_at"] else "[green]valid[/green]"
        table.add_row(
            token["name"],
            token["user"],
            token["role"],
            ", ".join([*(token["rooms"] or ()), *(token["projects"] or ())]),
            token["created_at"][:16],
            (token["last_used_at"] or "never")[:16],
            state,
        )
    console.print(table)


@commands.command("change")
def change(
    context: typer.Context,
    name: Name,
    role: Annotated[TokenRole | None, typer.Option(help="Its new role.")] = None,
    room: Rooms = None,
    project: Projects = None,
    everywhere: Annotated[
        bool, typer.Option("--everywhere", help="For all rooms and projects again.")
    ] = False,
) -> None:
    """Give a token another role, other rooms or projects; what it has open is closed at once."""
    asked: dict[str, Any] = {"rooms": None, "projects": None} if everywhere else {}
    asked |= {**({"role": role} if role else {}), **_limits(room, project)}
    token = context.obj.patch(f"/api/tokens/{name}", json=asked)
    console.print(f"[green]Changed[/green] {token['name']}: {_describe(token)}.")


@commands.command("revoke")
def revoke(context: typer.Context, name: Name) -> None:
    """Make a token useless, at once."""
    context.obj.delete(f"/api/tokens/{name}")
    console.print(f"[green]Revoked[/green] {name}. Whoever sends it is refused from now on.")


def _limits(rooms: list[str] | None, projects: list[Path] | None) -> dict[str, list[str]]:
    paths = [str(project.resolve()) for project in projects or ()]
    return {name: found for name, found in (("rooms", rooms), ("projects", paths)) if found}


def _describe(token: dict[str, Any]) -> str:
    limits = [*(token["rooms"] or ()), *(token["projects"] or ())]
    return ", only for ".join([token["role"], *([", ".join(limits)] if limits else [])])


sign_in_commands = typer.Typer(
    help="List the browsers that are signed in to the web app, and sign them out.",
    no_args_is_help=True,
)


@sign_in_commands.command("list")
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


@sign_in_commands.command("end")
def end(
    context: typer.Context,
    sign_in: Annotated[str, typer.Argument(help="Its id, as `bottega sign-ins list` shows it.")],
) -> None:
    """Sign one browser out, at once, and end what it has open."""
    context.obj.delete(f"/api/sign-ins/{sign_in}")
    console.print(f"[green]Signed out[/green] {sign_in}. Its cookie is refused from now on.")
