"""`bottega assist PLUGIN:COMMAND "input"`: an agent at work, with you in it."""

from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer

from bottega.assistant import printing
from bottega.core.client import Api
from bottega.core.terminal import Answer, present
from bottega.errors import BottegaError, InvalidInput

PATH = "/api/assistant"
#: Seconds to wait for news of a turn.
LOOK = 10
ENDED = ("completed", "failed", "cancelled")

commands = typer.Typer(
    help="Assistants in markdown: their sessions, files and what was decided.",
    no_args_is_help=True,
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
SessionId = Annotated[str, typer.Argument(help="A session's id, as `sessions` shows it.")]
PluginName = Annotated[str, typer.Argument(help="A plugin, as `assist --list` shows it.")]


def assist(
    context: typer.Context,
    command: Annotated[
        str | None, typer.Argument(help="PLUGIN:COMMAND, as `--list` shows it.")
    ] = None,
    said: Annotated[
        str | None, typer.Argument(metavar="INPUT", help="What you want, in your own words.")
    ] = None,
    list_all: Annotated[bool, typer.Option("--list", help="List plugins and commands.")] = False,
    interactive: Annotated[
        bool, typer.Option("--interactive", "-i", help="Go on talking after the answer.")
    ] = False,
    resume: Annotated[str | None, typer.Option(help="Go on with this session.")] = None,
    sessions: Annotated[bool, typer.Option("--sessions", help="List recent sessions.")] = False,
    plugin: Annotated[str | None, typer.Option(help="Only sessions of this plugin.")] = None,
    trace: Annotated[str | None, typer.Option(help="View a trace.")] = None,
    provider: Annotated[str | None, typer.Option(help="Over the agent's own.")] = None,
    model: Annotated[str | None, typer.Option(help="Over the agent's own.")] = None,
    max_turns: Annotated[int | None, typer.Option(min=1, help="Over the agent's own.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the prompt without calling a model.")
    ] = False,
    serve: Annotated[bool, typer.Option("--serve", help="Start the web app's server.")] = False,
    no_memory: Annotated[
        bool, typer.Option("--no-memory", help="Neither read nor write memory.")
    ] = False,
    confidence: Annotated[
        bool, typer.Option("--confidence", help="Be asked how sure you are before you judge.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Take every default answer.")] = False,
    as_json: AsJson = False,
) -> None:
    """Call a command of a plugin, or go on with a session."""
    asking: Api = context.obj
    if serve:
        root = context.find_root()
        root.invoke(root.command.commands["serve"])  # type: ignore[attr-defined]
    elif list_all:
        present(asking.get(f"{PATH}/commands"), printing.print_commands, as_json=as_json)
    elif sessions:
        found = asking.get(f"{PATH}/sessions", plugin=plugin)
        present(found, printing.print_sessions, as_json=as_json)
    elif trace is not None:
        shown = asking.get(f"/api/traces/{quote(trace, safe='')}")
        present({"spans": shown}, printing.print_trace, as_json=as_json)
    else:
        options = {
            "provider": provider,
            "model": model,
            "max_turns": max_turns,
            "memory": not no_memory,
            "ask_confidence": confidence,
        }
        _converse(
            asking,
            command,
            said,
            resume,
            options,
            dry_run=dry_run,
            interactive=interactive,
            yes=yes,
            as_json=as_json,
        )


def evaluate(
    context: typer.Context,
    cases: Annotated[str | None, typer.Option(help="Only cases whose name contains this.")] = None,
    without: Annotated[
        list[str] | None,
        typer.Option(help="Also without skills, workspace, memory or subagents. Repeatable."),
    ] = None,
    model: Annotated[str | None, typer.Option(help="Also with this `provider:model`.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the report to this file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Try assistants on cases, and see what their context is worth."""
    asked = {"cases": cases, "without": without or [], "model": model}
    state = context.obj.post(f"{PATH}/evals", json=asked)
    with printing.working("Playing the cases", quiet=as_json):
        while state["status"] not in ENDED:
            state = context.obj.get(f"{PATH}/evals/{state['run_id']}", wait=LOOK)
    if (report := state["report"]) is None:
        raise BottegaError((state["error"] or {}).get("message", "The eval was cancelled."))
    if out is not None:
        out.write_text(report["markdown"], encoding="utf-8")
    present(report, printing.print_report, as_json=as_json)


#: Commands of their own, beside the room's group.
top_level = {"assist": assist, "eval": evaluate}


@commands.command("sessions")
def list_sessions(
    context: typer.Context,
    plugin: Annotated[str | None, typer.Option(help="Only of this plugin.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show recent sessions."""
    found = context.obj.get(f"{PATH}/sessions", plugin=plugin)
    present(found, printing.print_sessions, as_json=as_json)


@commands.command("search")
def search(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="Words that were said.")],
    class_id: Annotated[str | None, typer.Option("--class", help="Only about this class.")] = None,
    as_json: AsJson = False,
) -> None:
    """Find past sessions by what was said in them."""
    found = context.obj.get(f"{PATH}/search", query=query, class_id=class_id)
    present(found, printing.print_found, as_json=as_json)


@commands.command("show")
def show(context: typer.Context, session_id: SessionId, as_json: AsJson = False) -> None:
    """Show what was said in a session, and what was decided."""
    path = session_path(session_id)
    answer = context.obj.get(f"{path}/messages") | context.obj.get(f"{path}/decisions")
    present(answer, printing.print_session, as_json=as_json)


@commands.command("files")
def list_files(context: typer.Context, plugin: PluginName, as_json: AsJson = False) -> None:
    """Show your workspace for a plugin, and your memory files."""
    files = context.obj.get(f"{PATH}/workspaces/{quote(plugin, safe='')}")
    memory = context.obj.get(f"{PATH}/memory")
    present(files | {"memory": memory["files"]}, printing.print_files, as_json=as_json)


@commands.command("export")
def export(
    context: typer.Context,
    out: Annotated[Path, typer.Argument(help="A file ending in .csv or .jsonl.")],
    with_text: Annotated[bool, typer.Option("--with-text", help="With what people wrote.")] = False,
) -> None:
    """Write what was done and decided, for research: CSV or JSON Lines."""
    if out.suffix not in (".csv", ".jsonl"):
        raise InvalidInput(f"{out.name} ends in neither .csv nor .jsonl.")
    answer = context.obj.get(f"{PATH}/export", format=out.suffix[1:], with_text=with_text)
    out.write_text(answer["content"], encoding="utf-8")
    printing.print_exported(out, answer["rows"])


@commands.command("import-specification")
def import_specification(
    context: typer.Context,
    plugin: PluginName,
    pdf: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="The specification.")],
    as_json: AsJson = False,
) -> None:
    """Make a curriculum file of a specification's PDF, its codes tagged for look-up."""
    path = f"{PATH}/workspaces/{quote(plugin, safe='')}/specification?name={quote(pdf.name)}"
    answer = context.obj.send(path, pdf.read_bytes(), "application/pdf")
    present(answer, printing.print_imported, as_json=as_json)


def session_path(session_id: str) -> str:
    return f"{PATH}/sessions/{quote(session_id, safe='')}"


def _converse(
    asking: Api,
    command: str | None,
    said: str | None,
    resume: str | None,
    options: dict[str, Any],
    *,
    dry_run: bool,
    interactive: bool,
    yes: bool,
    as_json: bool,
) -> None:
    if resume is not None and said is None:
        # With a session, the only words are what to say in it.
        command, said = None, command
    if dry_run:
        asked = {"command": command, "input": said or "", **options}
        present(
            asking.post(f"{PATH}/rehearsals", json=asked), printing.print_prompt, as_json=as_json
        )
        return
    session = resume
    if session is None and (command is None or said is None):
        raise InvalidInput(
            'Say what to do: bottega assist PLUGIN:COMMAND "input". --list shows the commands.'
        )
    while True:
        if said is not None or session is None:
            session = _begin(asking, command, said or "", session, options)
            command = None
        assert session is not None
        turn = _go_through(asking, session, yes=yes or as_json, quiet=as_json)
        if turn is None:
            return
        present(turn, printing.print_turn, as_json=as_json)
        said = printing.read_line() if interactive and not as_json else None
        if said is None:
            if turn["status"] != "completed" or turn["result"]["status"] != "success":
                raise typer.Exit(1)
            return


def _begin(
    asking: Api, command: str | None, said: str, session: str | None, options: dict[str, Any]
) -> str:
    if session is None:
        turn = asking.post(f"{PATH}/sessions", json={"command": command, "input": said, **options})
    else:
        asked = {"text": said, **options}
        turn = asking.post(f"{session_path(session)}/messages", json=asked)
    return str(turn["session_id"])


def _go_through(asking: Api, session: str, *, yes: bool, quiet: bool) -> Answer | None:
    """The turn when it has ended; `None` if the person left it at a gate."""
    position = 0
    while True:
        turn: Answer = asking.get(session_path(session))["turn"]
        if turn["status"] in ENDED:
            return turn
        if turn["status"] == "paused":
            reply = _answer(turn["gate"], yes=yes)
            if reply is None:
                printing.print_left(session)
                return None
            asking.post(f"{session_path(session)}/reply", json=reply)
        position = _watch(asking, turn["run_id"], position, quiet=quiet)


def _answer(gate: Answer, *, yes: bool) -> Answer | None:
    if yes:
        return {"decision": gate["default"]}
    return printing.ask(gate)


def _watch(asking: Api, run_id: str, position: int, *, quiet: bool) -> int:
    """Tell what is done, until the turn asks something or has ended."""
    path = f"/api/runs/{quote(run_id, safe='')}/events"
    while True:
        for event in asking.get(path, after=position, wait=LOOK):
            position = event["position"]
            if not quiet:
                printing.tell(event)
            if event["type"] in ("paused", *ENDED):
                return position
