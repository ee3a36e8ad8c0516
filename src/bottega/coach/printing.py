"""Coaching on a terminal. Green is done, yellow is under way, red went wrong or matters most."""

from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bottega.core.doors.client import Answer

console = Console(highlight=False)
STATUSES = {
    "active": "yellow",
    "completed": "green",
    "complete": "green",
    "abandoned": "dim",
    "pending": "dim",
}
MARKS = {"complete": "[green]✓[/green]", "active": "[yellow]▶[/yellow]", "pending": "[dim]·[/dim]"}
SEVERITIES = {"high": "bold red", "medium": "yellow", "low": "dim"}
#: Of the timeline's kinds; the rest is plain.
KINDS = {
    "phase_completed": "green",
    "review_passed": "green",
    "phase_started": "yellow",
    "nudge_sent": "magenta",
    "coaching_message": "magenta",
    "hint_used": "cyan",
    "hint_escalated": "cyan",
    "hint_level_change": "cyan",
    "explain_requested": "cyan",
    "review_requested": "cyan",
    "session_started": "bold",
    "session_resumed": "bold",
    "session_ended": "bold",
    "model_call": "dim",
    "mcp_tool_call": "dim",
    "nudge_suppressed": "dim",
}


def print_status(answer: Answer) -> None:
    if answer["session"] is None:
        console.print(
            "No session under way. Start one in the web app ([bold]bottega serve[/bold]), or look "
            "back with [bold]bottega coach sessions[/bold]."
        )
    else:
        _print_session(answer["session"], answer["observer"])
    _print_practice(answer["gaps"], answer["katas"])


def _print_session(state: Answer, observer: Answer) -> None:
    issue = state["issueContext"]
    number = f"#{issue['number']} " if issue["number"] else ""
    console.print(f"[bold]{escape(number + issue['title'])}[/bold]")
    watching = "muted" if observer["muted"] else "watching" if observer["active"] else "away"
    console.print(
        f"[dim]session {state['sessionId']}, hints: {state['hintLevel']}, "
        f"observer: {watching}[/dim]",
        soft_wrap=True,
    )
    for phase in state["phases"]:
        mark = MARKS[phase["status"]]
        console.print(f"  {mark} {phase['number']}. {escape(phase['title'])}")
    if not state["phases"]:
        console.print("  No plan yet: submit one, or have one drafted, in the web app.")


def _print_practice(gaps: list[Answer], katas: list[Answer]) -> None:
    waiting = [gap for gap in gaps if not gap["addressed"]]
    if waiting:
        console.print("\n[bold]To practise[/bold]")
    for gap in waiting:
        colour = SEVERITIES[gap["severity"]]
        console.print(f"  [{colour}]{escape(gap['topic'])}[/{colour}], met {gap['frequency']} ×")
    if katas:
        tried = sum(kata["attemptsCount"] > 0 for kata in katas)
        console.print(f"\n{len(katas)} katas, {tried} of them tried.")


def print_sessions(found: Answer) -> None:
    if not found["sessions"]:
        console.print("No coaching sessions in this project yet. Start one in the web app.")
        return
    table = Table("session", "issue", "status", "phases", "minutes", "begun", box=None)
    table.columns[0].no_wrap = True
    for line in found["sessions"]:
        number = f"#{line['issueNumber']} " if line["issueNumber"] else ""
        table.add_row(
            line["id"],
            escape(number + (line["issueTitle"] or "")),
            _coloured(line["status"]),
            f"{line['phasesCompleted']}/{line['phasesTotal']}" if line["phasesTotal"] else "–",
            f"{line['minutes']:g}",
            line["startedAt"][:16].replace("T", " "),
        )
    console.print(table)


def print_replay(found: Answer) -> None:
    line = found["session"]
    number = f"#{line['issueNumber']} " if line["issueNumber"] else ""
    console.print(
        f"[bold]{escape(number + (line['issueTitle'] or 'Coaching session'))}[/bold] "
        f"({_coloured(line['status'])}, {line['minutes']:g} minutes)"
    )
    for moment in found["moments"]:
        text = escape(moment["text"])
        colour = KINDS.get(moment["kind"])
        console.print(
            f"[dim]{_clock(moment['offsetMs'])}[/dim]  "
            + (f"[{colour}]{text}[/{colour}]" if colour else text),
            soft_wrap=True,
        )
    if not found["moments"]:
        console.print("[dim]Nothing was logged in it.[/dim]")


def _clock(milliseconds: int) -> str:
    """How far into the session: h:mm:ss."""
    minutes, seconds = divmod(max(milliseconds, 0) // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}"


def _coloured(status: Any) -> str:
    colour = STATUSES.get(status)
    return f"[{colour}]{status}[/{colour}]" if colour else str(status)
