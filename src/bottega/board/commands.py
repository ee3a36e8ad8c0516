"""`bottega board`: what there is to do, decisions on it, and test reports in."""

from enum import StrEnum
from typing import Annotated, Any
from urllib.parse import quote, urlencode

import typer

from bottega.board import printing
from bottega.board.asking import PATH, AsJson, InProject, api_of, find_project
from bottega.board.importing import import_reports
from bottega.core.terminal import present
from bottega.errors import InvalidInput, NotFound

commands = typer.Typer(
    help="Proposals and failing tests, from approval to finished work.", no_args_is_help=True
)

commands.command("import")(import_reports)


class Only(StrEnum):
    """As in `board/work_items.py`, which a command that only asks need not load."""

    OPEN = "open"
    SPECS = "specs"
    ERRORS = "errors"
    ALL = "all"


ChangeIds = Annotated[list[str], typer.Argument(metavar="CHANGE…", help="As `list` shows them.")]
WithNote = Annotated[str | None, typer.Option("--note", help="Why; it stays in the history.")]


@commands.command("list")
def list_work(
    context: typer.Context,
    only: Annotated[
        Only | None, typer.Option(help="Which of it. Default: open; with --status: all.")
    ] = None,
    status: Annotated[
        list[str] | None, typer.Option("--status", help="Such as proposing; repeat it for more.")
    ] = None,
    search: Annotated[str | None, typer.Option(help="Words of the title.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="How many, newest first.")] = 50,
    project: InProject = None,
    as_json: AsJson = False,
) -> None:
    """Show changes and failing tests, what was active last first."""
    api = api_of(context)
    found = api.get(
        f"{PATH}/work",
        project_id=find_project(api, project)["id"] if project else None,
        filter=only or (Only.ALL if status else Only.OPEN),
        status=status or None,
        search=search,
        limit=limit,
    )
    present(found, printing.print_work, as_json=as_json)


@commands.command("show")
def show(
    context: typer.Context,
    id: Annotated[str, typer.Argument(help="A change, or a failure, as `list` shows it.")],
    project: InProject = None,
    as_json: AsJson = False,
) -> None:
    """Show one change with its tasks, its problems and its history; or one failure."""
    api = api_of(context)
    place = f"{PATH}/changes/{quote(id, safe='')}"
    where = {"project_id": find_project(api, project)["id"]} if project else {}
    try:
        change = api.get(place, **where)
    except NotFound as unknown:
        try:
            failure = api.get(f"{PATH}/failures/{quote(id, safe='')}")
        except NotFound:
            raise unknown from None
        present(failure, printing.print_failure, as_json=as_json)
        return
    where = {"project_id": change["project_id"]}
    parts = ("validation", "history", "overlaps")
    answer = {"change": change} | {part: api.get(f"{place}/{part}", **where) for part in parts}
    present(answer, printing.print_change, as_json=as_json)


@commands.command("approve")
def approve(
    context: typer.Context,
    ids: ChangeIds,
    priority: Annotated[
        int | None, typer.Option(min=1, max=5, help="5 is the most urgent.")
    ] = None,
    note: WithNote = None,
    project: InProject = None,
    as_json: AsJson = False,
) -> None:
    """Let proposals into the queue. What is not valid yet is refused, with its problems."""
    decide(context, "approve", ids, project, {"notes": note, "priority": priority}, as_json)


@commands.command("reject")
def reject(
    context: typer.Context,
    ids: ChangeIds,
    reason: Annotated[
        str, typer.Option(prompt="Why is it turned down?", help="It stays in the history.")
    ],
    project: InProject = None,
    as_json: AsJson = False,
) -> None:
    """Turn proposals down. The same failure is not proposed again."""
    decide(context, "reject", ids, project, {"reason": reason}, as_json)


@commands.command("apply")
def apply(
    context: typer.Context,
    ids: ChangeIds,
    note: WithNote = None,
    project: InProject = None,
    as_json: AsJson = False,
) -> None:
    """Confirm that work in review does what it should."""
    decide(context, "apply", ids, project, {"notes": note}, as_json)


@commands.command("archive")
def archive(
    context: typer.Context,
    ids: ChangeIds,
    note: WithNote = None,
    project: InProject = None,
    as_json: AsJson = False,
) -> None:
    """Merge applied changes into the specs and put them away."""
    decide(context, "archive", ids, project, {"notes": note}, as_json)


@commands.command("next")
def next_work(
    context: typer.Context,
    session: Annotated[
        str | None, typer.Option(help="Claim it for this agent session, rather than look.")
    ] = None,
    project: InProject = None,
    as_json: AsJson = False,
) -> None:
    """Show what is next in the queue; with --session, claim it."""
    api = api_of(context)
    if session is not None:
        claimed = api.post(f"{PATH}/queue/next", json={"session_id": session})
        present(claimed, printing.print_claim, as_json=as_json)
        return
    where = find_project(api, project)["id"] if project else None
    found = api.get(f"{PATH}/queue", project_id=where)
    present(found, printing.print_queue, as_json=as_json)


@commands.command("sessions")
def sessions(
    context: typer.Context,
    everyone: Annotated[bool, typer.Option("--all", help="Those that are over, too.")] = False,
    project: InProject = None,
    as_json: AsJson = False,
) -> None:
    """Show the agents' sessions, how alive they are, and what they work on."""
    api = api_of(context)
    where = find_project(api, project)["id"] if project else None
    found = api.get(f"{PATH}/sessions", project_id=where, live_only=not everyone)
    present(found, printing.print_sessions, as_json=as_json)


@commands.command("answer")
def answer(
    context: typer.Context,
    id: Annotated[str | None, typer.Argument(help="The question. None: list them.")] = None,
    text: Annotated[
        str | None, typer.Argument(help="Your answer, or the number of an option.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what agents ask; or answer one of them."""
    api = api_of(context)
    if id is None:
        found = api.get(f"{PATH}/clarifications")
        present(found, printing.print_questions, as_json=as_json)
        return
    question = api.get(f"{PATH}/clarifications/{quote(id, safe='')}")
    if text is None:
        printing.print_questions({"clarifications": [question]})
        text = typer.prompt("Your answer")
    options = question["options"]
    chosen = int(text) - 1 if text.isdecimal() else -1
    said = options[chosen] if 0 <= chosen < len(options) else text
    done = api.post(f"{PATH}/clarifications/{quote(id, safe='')}/answer", json={"answer": said})
    present(done, printing.print_answered, as_json=as_json)


def decide(
    context: typer.Context,
    verb: str,
    ids: list[str],
    project: str | None,
    said: dict[str, Any],
    as_json: bool,
) -> None:
    """Pass changes through a gate, one by one; the first that is refused ends it."""
    api = api_of(context)
    where = f"?{urlencode({'project_id': find_project(api, project)['id']})}" if project else ""
    done: list[dict[str, Any]] = []
    try:
        for change in printing.with_progress(ids, verb.capitalize()):
            path = f"{PATH}/changes/{quote(change, safe='')}/{verb}{where}"
            done.append(api.post(path, json=said))
    except InvalidInput as refused:
        if not refused.details.get("issues"):
            raise
        printing.print_refusal(refused.message, refused.details["issues"])
        raise typer.Exit(1) from None
    finally:
        if done:
            present({"changes": done}, printing.print_decided, as_json=as_json)
