"""The assistant on a terminal: what it does, what it asks, what it made."""

import re
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown
from rich.markup import escape
from rich.table import Table

from bottega.conversation.gates import EXPLAINED, NEEDS_TEXT, Gate, GateItem, GateKind
from bottega.conversation.replies import parse_line
from bottega.core.doors.client import Answer
from bottega.core.text.words import one_line, shorten
from bottega.errors import InvalidInput

WIDTH = 88
#: Lines of an item's text; the document itself is elsewhere.
LONGEST_ITEM = 6
#: What moves a cursor or hides a line: a model's text may not play with a person's terminal.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def print_gate(gate: Gate) -> str:
    """What is asked, the items by number, and how to answer."""
    blocks = [_clean(gate.text).strip()]
    if gate.items:
        blocks.append("\n".join(_item(n, item) for n, item in enumerate(gate.items, 1)))
    blocks.append("\n".join(_ways(gate)))
    return "\n\n".join(blocks) + "\n"


def _item(number: int, item: GateItem) -> str:
    scope = f" ({item.scope})" if item.scope else ""
    head = f"{number:>3}. {_clean(item.title)}{scope}"
    lines = [
        line
        for paragraph in _clean(item.text).strip().splitlines()
        for line in textwrap.wrap(paragraph, WIDTH - 5) or [""]
    ]
    if len(lines) > LONGEST_ITEM:
        lines = [*lines[: LONGEST_ITEM - 1], "…"]
    return "\n".join([head, *(f"     {line}".rstrip() for line in lines)])


def _ways(gate: Gate) -> list[str]:
    """How to answer: Enter first, then the rest."""
    if gate.items:
        others = [_told(option) for option in gate.options if option != gate.default]
    else:
        others = [
            f"{number} = {_told(option)}"
            for number, option in enumerate(gate.options, 1)
            if option != gate.default
        ]
    if gate.kind is GateKind.CONFIDENCE:
        others = ["1 to 5 = your rating"]
    ways = [f"Enter = {gate.default}" + "".join(f" · {other}" for other in others)]
    if gate.items:
        ways.append(f"One at a time: {', '.join(_examples(gate))}")
    if any(option in NEEDS_TEXT for option in gate.options):
        ways.append("Or just write it.")
    return ways


def _examples(gate: Gate) -> list[str]:
    last = len(gate.items)
    return [
        f"`{option} {last}: …`" if option in NEEDS_TEXT else f"`{option} {last}`"
        for option in gate.items[-1].options
    ]


def _told(option: str) -> str:
    return f"{option} ({EXPLAINED[option]})" if option in EXPLAINED else option


def _clean(text: str) -> str:
    return _CONTROLS.sub("", text)


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
    return shorten(one_line(text), EXCERPT)
