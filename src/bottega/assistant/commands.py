"""`bottega assist PLUGIN:COMMAND "input"`: an agent at work, with you in it."""

from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer

from bottega.assistant import printing
from bottega.assistant.evals import operations as evals
from bottega.assistant.memory_files import operations as memory_files
from bottega.assistant.plugins import operations as plugins
from bottega.assistant.sessions import operations as sessions
from bottega.assistant.traces import operations as traces
from bottega.assistant.workspace import operations as workspace
from bottega.core.commands import AsJson, CommandGroup, Option, call
from bottega.core.doors.client import Answer, present
from bottega.errors import BottegaError, InvalidInput

#: Seconds to wait for news of a turn.
LOOK = 10
ENDED = ("completed", "failed", "cancelled")

commands = CommandGroup("Assistants in markdown: their sessions, files and what was decided.")

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
    list_sessions: Annotated[
        bool, typer.Option("--sessions", help="List recent sessions.")
    ] = False,
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
    if serve:
        root = context.find_root()
        root.invoke(root.command.commands["serve"])  # type: ignore[attr-defined]
    elif list_all:
        present(call(context, plugins.list_commands), printing.print_commands, as_json=as_json)
    elif list_sessions:
        found = call(context, sessions.list_sessions, plugin=plugin)
        present(found, printing.print_sessions, as_json=as_json)
    elif trace is not None:
        shown = context.obj.get(f"/api/traces/{quote(trace, safe='')}")
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
            context,
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
    state = call(context, evals.start_eval, cases=cases, without=without or [], model=model)
    with printing.working("Playing the cases", quiet=as_json):
        while state["status"] not in ENDED:
            state = call(context, evals.get_eval, run_id=state["run_id"], wait=LOOK)
    if (report := state["report"]) is None:
        raise BottegaError((state["error"] or {}).get("message", "The eval was cancelled."))
    if out is not None:
        out.write_text(report["markdown"], encoding="utf-8")
    present(report, printing.print_report, as_json=as_json)


#: Commands of their own, beside the room's group.
top_level = {"assist": assist, "eval": evaluate}


commands.add(
    sessions.list_sessions,
    "sessions",
    printing.print_sessions,
    help="Show recent sessions.",
    plugin=Option("Only of this plugin."),
)


@commands.command("search")
def search(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="Words that were said.")],
    class_id: Annotated[str | None, typer.Option("--class", help="Only about this class.")] = None,
    as_json: AsJson = False,
) -> None:
    """Find past sessions by what was said in them."""
    found = call(context, sessions.search_sessions, query=query, class_id=class_id)
    present(found, printing.print_found, as_json=as_json)


@commands.command("show")
def show(context: typer.Context, session_id: SessionId, as_json: AsJson = False) -> None:
    """Show what was said in a session, and what was decided."""
    said = call(context, sessions.list_messages, session_id=session_id)
    answer = said | call(context, sessions.list_decisions, session_id=session_id)
    present(answer, printing.print_session, as_json=as_json)


@commands.command("files")
def list_files(context: typer.Context, plugin: PluginName, as_json: AsJson = False) -> None:
    """Show your workspace for a plugin, and your memory files."""
    files = call(context, workspace.list_files, plugin=plugin)
    memory = call(context, memory_files.list_memory_files)
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
    answer = call(context, traces.export_turns, format=out.suffix[1:], with_text=with_text)
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
    path = f"/api/assistant/workspaces/{quote(plugin, safe='')}/specification"
    answer = context.obj.send(f"{path}?name={quote(pdf.name)}", pdf.read_bytes(), "application/pdf")
    present(answer, printing.print_imported, as_json=as_json)


def _converse(
    context: typer.Context,
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
        prompt = call(context, sessions.rehearse, command=command, input=said or "", **options)
        present(prompt, printing.print_prompt, as_json=as_json)
        return
    session = resume
    if session is None and (command is None or said is None):
        raise InvalidInput(
            'Say what to do: bottega assist PLUGIN:COMMAND "input". --list shows the commands.'
        )
    while True:
        if said is not None or session is None:
            session = _begin(context, command, said or "", session, options)
            command = None
        assert session is not None
        turn = _go_through(context, session, yes=yes or as_json, quiet=as_json)
        if turn is None:
            return
        present(turn, printing.print_turn, as_json=as_json)
        said = printing.read_line() if interactive and not as_json else None
        if said is None:
            if turn["status"] != "completed" or turn["result"]["status"] != "success":
                raise typer.Exit(1)
            return


def _begin(
    context: typer.Context,
    command: str | None,
    said: str,
    session: str | None,
    options: dict[str, Any],
) -> str:
    if session is None:
        turn = call(context, sessions.start_session, command=command, input=said, **options)
    else:
        turn = call(context, sessions.say, session_id=session, text=said, **options)
    return str(turn["session_id"])


def _go_through(context: typer.Context, session: str, *, yes: bool, quiet: bool) -> Answer | None:
    """The turn when it has ended; `None` if the person left it at a gate."""
    position = 0
    while True:
        turn: Answer = call(context, sessions.get_session, session_id=session)["turn"]
        if turn["status"] in ENDED:
            return turn
        if turn["status"] == "paused":
            reply = _answer(turn["gate"], yes=yes)
            if reply is None:
                printing.print_left(session)
                return None
            call(context, sessions.reply, session_id=session, **reply)
        position = _follow(context, turn["run_id"], position, quiet=quiet)


def _answer(gate: Answer, *, yes: bool) -> Answer | None:
    if yes:
        return {"decision": gate["default"]}
    return printing.ask(gate)


def _follow(context: typer.Context, run_id: str, position: int, *, quiet: bool) -> int:
    """Tell what is done, until the turn asks something or has ended."""
    path = f"/api/runs/{quote(run_id, safe='')}/events"
    while True:
        for event in context.obj.get(path, after=position, wait=LOOK):
            position = event["position"]
            if not quiet:
                printing.tell(event)
            if event["type"] in ("paused", *ENDED):
                return position
