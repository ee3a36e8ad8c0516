"""`bottega coach`: where you stand, what was done, and a report to keep."""

from pathlib import Path
from typing import Annotated, cast
from urllib.parse import quote

import typer

from bottega.coach import printing
from bottega.core.client import Api
from bottega.core.terminal import present
from bottega.errors import Conflict

commands = typer.Typer(help="Coaching sessions: status, replay, report.", no_args_is_help=True)

PATH = "/api/coach"

SessionId = Annotated[
    str, typer.Argument(metavar="SESSION", help="A session's id, or `last` for the newest.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]


@commands.command("status")
def status(context: typer.Context, as_json: AsJson = False) -> None:
    """Show the session under way, its phases, and what there is to practise."""
    api = api_of(context)
    answer = {
        "session": api.get(f"{PATH}/session"),
        "observer": api.get(f"{PATH}/observer"),
        "gaps": api.get(f"{PATH}/gaps"),
        "katas": api.get(f"{PATH}/katas"),
    }
    present(answer, printing.print_status, as_json=as_json)


@commands.command("sessions")
def sessions(
    context: typer.Context,
    limit: Annotated[int, typer.Option(min=1, max=500, help="How many, newest first.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List the sessions in this project, newest first."""
    found = api_of(context).get(f"{PATH}/sessions", limit=limit)
    present(found, printing.print_sessions, as_json=as_json)


@commands.command("replay")
def replay(context: typer.Context, session: SessionId = "last", as_json: AsJson = False) -> None:
    """Print a session's timeline from the log."""
    found = api_of(context).get(f"{PATH}/sessions/{quote(session, safe='')}/timeline")
    present(found, printing.print_replay, as_json=as_json)


@commands.command("export")
def export(
    context: typer.Context,
    session: SessionId = "last",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A file. Default: the terminal.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Write over a file that is there.")
    ] = False,
) -> None:
    """Write a session up as a markdown report."""
    found = api_of(context).get(f"{PATH}/sessions/{quote(session, safe='')}/report")
    if output is None:
        typer.echo(found["markdown"], nl=False)
        return
    if output.exists() and not force:
        raise Conflict(f"{output} is there already. Choose another name, or add --force.")
    output.write_text(found["markdown"], encoding="utf-8")
    printing.console.print(f"Wrote {output}.", highlight=False, markup=False)


def api_of(context: typer.Context) -> Api:
    return cast("Api", context.obj)
