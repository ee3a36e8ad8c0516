"""`bottega board`: what there is to do, decisions on it, and test reports in."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlencode

import typer

from bottega.board import printing
from bottega.board.agents import operations as agents
from bottega.board.changes import operations as changes
from bottega.board.failures import operations as failures
from bottega.board.projects import operations as projects
from bottega.board.queue import operations as queue
from bottega.board.work import operations as work
from bottega.core.commands import AsJson, CommandGroup, call
from bottega.core.doors.client import Api, present
from bottega.core.operations import Operation
from bottega.errors import BottegaError, InvalidInput, NotFound

commands = CommandGroup("Proposals and failing tests, from approval to finished work.")

Files = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE…",
        exists=True,
        dir_okay=False,
        readable=True,
        help="Playwright's JSON, or JUnit XML.",
    ),
]
InProject = Annotated[
    str | None, typer.Option("--project", "-p", help="A project's name, path or id.")
]
ChangeIds = Annotated[list[str], typer.Argument(metavar="CHANGE…", help="As `list` shows them.")]
WithNote = Annotated[str | None, typer.Option("--note", help="Why; it stays in the history.")]


class Only(StrEnum):
    OPEN = "open"
    SPECS = "specs"
    ERRORS = "errors"
    ALL = "all"


@commands.command("import")
def import_reports(
    context: typer.Context, files: Files, project: InProject = None, as_json: AsJson = False
) -> None:
    """Take test reports in; failures that come again become proposals."""
    api: Api = context.obj
    found = find_project(context, project)
    address = f"/api/board/reports?{urlencode({'project_id': found['id']})}"
    results: list[dict[str, Any]] = []
    for file in printing.with_progress(files, "Importing"):
        kind = "application/xml" if file.suffix.lower() == ".xml" else "application/json"
        try:
            done = api.send(address, file.read_bytes(), kind)
        except (BottegaError, OSError) as error:
            done = {"error": str(error)}
        results.append({"file": str(file), **done})
    answer = {"project": found["name"], "imported": results}
    present(answer, printing.print_imported, as_json=as_json)
    if any("error" in result for result in results):
        raise typer.Exit(1)


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
    found = call(
        context,
        work.list_work,
        project_id=project_id(context, project),
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
    where = project_id(context, project)
    try:
        change = call(context, changes.show_change, id=id, project_id=where)
    except NotFound as unknown:
        try:
            failure = call(context, failures.show_failure, failure_id=id)
        except NotFound:
            raise unknown from None
        present(failure, printing.print_failure, as_json=as_json)
        return
    where = change["project_id"]
    answer = {
        "change": change,
        "validation": call(context, changes.validate_change, id=id, project_id=where),
        "history": call(context, changes.show_history, id=id, project_id=where),
        "overlaps": call(context, changes.list_overlaps, id=id, project_id=where),
    }
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
    decide(context, changes.approve_change, ids, project, as_json, notes=note, priority=priority)


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
    decide(context, changes.reject_change, ids, project, as_json, reason=reason)


@commands.command("apply")
def apply(
    context: typer.Context,
    ids: ChangeIds,
    note: WithNote = None,
    project: InProject = None,
    as_json: AsJson = False,
) -> None:
    """Confirm that work in review does what it should."""
    decide(context, changes.apply_change, ids, project, as_json, notes=note)


@commands.command("archive")
def archive(
    context: typer.Context,
    ids: ChangeIds,
    note: WithNote = None,
    project: InProject = None,
    as_json: AsJson = False,
) -> None:
    """Merge applied changes into the specs and put them away."""
    decide(context, changes.archive_change, ids, project, as_json, notes=note)


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
    if session is not None:
        claimed = call(context, queue.next_work, session_id=session)
        present(claimed, printing.print_claim, as_json=as_json)
        return
    found = call(context, queue.show_queue, project_id=project_id(context, project))
    present(found, printing.print_queue, as_json=as_json)


@commands.command("sessions")
def sessions(
    context: typer.Context,
    everyone: Annotated[bool, typer.Option("--all", help="Those that are over, too.")] = False,
    project: InProject = None,
    as_json: AsJson = False,
) -> None:
    """Show the agents' sessions, how alive they are, and what they work on."""
    where = project_id(context, project)
    found = call(context, agents.list_sessions, project_id=where, live_only=not everyone)
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
    if id is None:
        found = call(context, agents.list_clarifications)
        present(found, printing.print_questions, as_json=as_json)
        return
    question = call(context, agents.show_clarification, clarification_id=id)
    if text is None:
        printing.print_questions({"clarifications": [question]})
        text = typer.prompt("Your answer")
    options = question["options"]
    chosen = int(text) - 1 if text.isdecimal() else -1
    said = options[chosen] if 0 <= chosen < len(options) else text
    done = call(context, agents.answer, clarification_id=id, answer=said)
    present(done, printing.print_answered, as_json=as_json)


def decide(
    context: typer.Context,
    decision: Operation,
    ids: list[str],
    project: str | None,
    as_json: bool,
    **said: Any,
) -> None:
    """Ask one decision for each change; the first that is refused ends it."""
    where = project_id(context, project)
    verb = decision.name.partition("_")[0].capitalize()
    done: list[dict[str, Any]] = []
    try:
        for change in printing.with_progress(ids, verb):
            decided = call(context, decision, id=change, project_id=where, **said)
            done.append(decided)
    except InvalidInput as refused:
        if not refused.details.get("issues"):
            raise
        printing.print_refusal(refused.message, refused.details["issues"])
        raise typer.Exit(1) from None
    finally:
        if done:
            present({"changes": done}, printing.print_decided, as_json=as_json)


def project_id(context: typer.Context, wanted: str | None) -> str | None:
    return find_project(context, wanted)["id"] if wanted else None


def find_project(context: typer.Context, wanted: str | None) -> dict[str, Any]:
    """By name, path or id; by the current directory if nothing is said."""
    known: list[dict[str, Any]] = call(context, projects.list_projects)["projects"]
    here = Path.cwd().resolve()
    if wanted is None:
        found = [each for each in known if here.is_relative_to(each["path"])]
        found = found or (known if len(known) == 1 else [])
    else:
        path = str(Path(wanted).expanduser().resolve())
        found = [each for each in known if wanted in (each["id"], each["name"])]
        found = found or [each for each in known if each["path"] == path]
    if found:
        return max(found, key=lambda each: len(each["path"]))
    names = ", ".join(each["name"] for each in known) or "none"
    if wanted is None:
        raise InvalidInput(f"Say which project with --project. There are: {names}.")
    raise NotFound(f"There is no project {wanted!r}. There are: {names}.")
