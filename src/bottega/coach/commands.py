"""`bottega coach`: where you stand, what was done, and a report to keep."""

from pathlib import Path
from typing import Annotated

import typer

from bottega.coach import printing
from bottega.coach.observer import operations as observer
from bottega.coach.practice import operations as practice
from bottega.coach.sessions import operations as sessions
from bottega.coach.skills import operations as skills
from bottega.core.commands import AsJson, CommandGroup, Option, call
from bottega.core.doors.client import present
from bottega.errors import Conflict

commands = CommandGroup("Coaching sessions: status, replay, report.")

SessionId = Annotated[
    str, typer.Argument(metavar="SESSION", help="A session's id, or `last` for the newest.")
]


@commands.command("status")
def status(context: typer.Context, as_json: AsJson = False) -> None:
    """Show the session under way, its phases, and what there is to practise."""
    answer = {
        "session": call(context, sessions.current_session),
        "observer": call(context, observer.show_observer),
        "gaps": call(context, skills.list_gaps),
        "katas": call(context, practice.list_katas),
    }
    present(answer, printing.print_status, as_json=as_json)


commands.add(
    sessions.list_sessions,
    "sessions",
    printing.print_sessions,
    help="List the sessions in this project, newest first.",
    limit=Option("How many, newest first."),
)


@commands.command("replay")
def replay(context: typer.Context, session: SessionId = "last", as_json: AsJson = False) -> None:
    """Print a session's timeline from the log."""
    found = call(context, sessions.replay_session, session_id=session)
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
    found = call(context, sessions.report_session, session_id=session)
    if output is None:
        typer.echo(found["markdown"], nl=False)
        return
    if output.exists() and not force:
        raise Conflict(f"{output} is there already. Choose another name, or add --force.")
    output.write_text(found["markdown"], encoding="utf-8")
    printing.console.print(f"Wrote {output}.", markup=False)
