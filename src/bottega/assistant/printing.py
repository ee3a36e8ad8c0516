"""The assistant on a terminal: what it does, what it asks, what it made."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown
from rich.markup import escape
from rich.table import Table

from bottega.assistant.gates.gate import Gate
from bottega.assistant.gates.printing import print_gate
from bottega.assistant.gates.typed import parse_line
from bottega.core.terminal import Answer
from bottega.errors import InvalidInput

console = Console()
EXCERPT = 90


def print_commands(found: Answer) -> None:
    for plugin in found["plugins"]:
        console.print(f"[bold]{plugin['name']}[/bold] [dim]{plugin['origin']}[/dim]")
        table = Table(box=None, show_header=False, padding=(0, 2))
        for command in plugin["commands"]:
            table.add_row(f"  {command['name']}", f"[dim]{escape(command['description'])}[/dim]")
        console.print(table)
        for problem in plugin["problems"]:
            console.print(f"  [red]{escape(problem)}[/red]", soft_wrap=True)
    console.print('\nCall one: [bold]bottega assist PLUGIN:COMMAND "what you want"[/bold]')


def print_sessions(found: Answer) -> None:
    if not found["sessions"]:
        console.print("No sessions yet. [bold]bottega assist --list[/bold] shows what to call.")
        return
    table = Table("session", "changed", "class", "called", "about", box=None)
    for session in found["sessions"]:
        called = f"{session['plugin']}:{session['command'] or session['agent']}"
        table.add_row(
            session["id"],
            session["updated_at"][:16].replace("T", " "),
            session["class_id"] or "",
            called,
            escape(_short(session["title"] or "")),
        )
    console.print(table)


def print_found(found: Answer) -> None:
    if not found["found"]:
        console.print("Nothing like that was said.")
    for each in found["found"]:
        session = each["session"]
        console.print(f"[bold]{session['id']}[/bold] {escape(session['title'] or '')}")
        console.print(f"  [dim]{escape(each['excerpt'])}[/dim]")


def print_session(shown: Answer) -> None:
    for message in shown["messages"]:
        if message["text"]:
            console.print(f"\n[bold]{message['role']}[/bold]")
            console.print(Markdown(message["text"]))
    for decision in shown["decisions"]:
        about = f" {escape(decision['item'])}" if decision["item"] else ""
        console.print(f"[cyan]{decision['kind']}[/cyan]{about}: {decision['decision']}")


def print_files(shown: Answer) -> None:
    for path in shown["files"]:
        console.print(escape(path))
    for file in shown["memory"]:
        console.print(f"[magenta]{escape(file['path'])}[/magenta] [dim]remembered[/dim]")
    for path in shown["offers"]:
        console.print(f"[yellow]{escape(path)}[/yellow] [dim]a newer one ships[/dim]")


def print_prompt(prompt: Answer) -> None:
    console.print(prompt["text"], markup=False, highlight=False)
    table = Table("section", "tokens", box=None)
    for section, tokens in prompt["tokens_by_section"].items():
        table.add_row(section, str(tokens))
    table.add_row("[bold]all[/bold]", f"[bold]{prompt['tokens']}[/bold]")
    console.print(table)


def print_trace(trace: Answer) -> None:
    for span in trace["spans"]:
        took = span.get("duration_ms")
        console.print(f"{escape(str(span.get('name')))}  [dim]{took} ms[/dim]", highlight=False)


def tell(event: Answer) -> None:
    """A line for what has just been done, where that is of interest."""
    told = event["payload"]
    match event["type"]:
        case "tool_call" if told.get("state") != "pending":
            mark = "[red]✗[/red]" if told["state"] == "failed" else "[green]✓[/green]"
            subject = _subject(told.get("arguments") or {})
            console.print(f"{mark} {told['name']}{subject}", highlight=False)
        case "hook" if told.get("outcome") not in ("pass", None):
            note = escape(told.get("note") or told["outcome"])
            console.print(f"[yellow]{told['name']}[/yellow] {note}", highlight=False)
        case "handoff":
            console.print(f"[cyan]→[/cyan] {told.get('to')}", highlight=False)
        case "subagent":
            console.print(f"[cyan]↳[/cyan] {told.get('agent')}", highlight=False)


def ask(gate: Answer) -> Answer | None:
    """The person's answer; `None` at the end of input: the run waits for them."""
    asked = Gate.model_validate(gate)
    console.print()
    console.print(print_gate(asked), markup=False, highlight=False)
    while True:
        try:
            line = console.input("[bold]> [/bold]")
        except EOFError:
            return None
        try:
            return parse_line(asked, line).model_dump(exclude_none=True)
        except InvalidInput as error:
            console.print(f"[yellow]{escape(error.message)}[/yellow]")


def read_line() -> str | None:
    """The next thing a person says; nothing, or the end of input, ends the conversation."""
    try:
        return console.input("\n[bold]you>[/bold] ").strip() or None
    except EOFError:
        return None


def print_left(session: str) -> None:
    console.print(
        f"\nIt waits for you. Go on with: [bold]bottega assist --resume {session}[/bold]",
        soft_wrap=True,
    )


def print_turn(turn: Answer) -> None:
    result = turn["result"]
    if result is None:
        message = str((turn["error"] or {}).get("message", turn["status"]))
        console.print(f"[red]It had to stop[/red]: {escape(message)}", soft_wrap=True)
        return
    console.print()
    console.print(Markdown(result["text"]))
    if result["status"] != "success":
        reason = escape(result["reason"] or "")
        console.print(f"[red]{result['status']}[/red] {reason}", soft_wrap=True)
    for path in result["written"]:
        console.print(f"[green]written[/green] {escape(path)}", highlight=False)
    cost = f" · ${result['cost']:.4f}" if result["cost"] else ""
    offline = " · made without a model" if result["offline"] else ""
    console.print(f"[dim]{turn['session_id']}{cost}{offline}[/dim]", highlight=False)


@contextmanager
def working(what: str, *, quiet: bool) -> Iterator[None]:
    """A sign of life while something takes its time; nothing for scripts."""
    if quiet:
        yield
        return
    with console.status(what):
        yield


def print_report(report: Answer) -> None:
    console.print(Markdown(report["markdown"]))


def print_exported(path: Path, rows: int) -> None:
    console.print(f"{rows} rows written to {escape(str(path))}.", highlight=False, soft_wrap=True)


def print_imported(imported: Answer) -> None:
    console.print(
        f"[green]{imported['path']}[/green] has {imported['codes']} codes.", highlight=False
    )


def _subject(arguments: Answer) -> str:
    for key in ("path", "reference", "name", "query", "task"):
        if arguments.get(key):
            return f" [dim]{escape(_short(str(arguments[key])))}[/dim]"
    return ""


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= EXCERPT else line[: EXCERPT - 1] + "…"
