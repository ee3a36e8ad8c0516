"""The board on a terminal. Green is done, yellow under way, red broken, cyan waits for you."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from bottega.core.doors.client import Answer

console = Console(highlight=False)
COLOURS = {
    "proposing": "cyan",
    "review": "cyan",
    "new": "red",
    "triaged": "cyan",
    "approved": "white",
    "assigned": "yellow",
    "in_progress": "yellow",
    "in_remediation": "yellow",
    "applied": "green",
    "fixed": "green",
    "archived": "dim",
    "active": "green",
    "slow": "yellow",
    "stale": "red",
    "PERSISTENT": "bold red",
    "RECURRING": "red",
    "FLAKY": "yellow",
    "NEW": "white",
    "ERROR": "red",
    "WARNING": "yellow",
}
URGENT = {5: "bold red", 4: "red", 3: "white", 2: "dim", 1: "dim"}
RUNS = {"passed": "[green]○[/green]", "flaked": "[yellow]◐[/yellow]", "skipped": "[dim]·[/dim]"}
FAILED = "[red]●[/red]"

Item = TypeVar("Item")


def with_progress(items: Sequence[Item], doing: str) -> Iterator[Item]:
    """The items in turn, with a bar while each is worked on."""
    columns = SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task(doing, total=len(items))
        for item in items:
            progress.update(bar, description=f"{doing} {escape(str(item))}")
            yield item
            progress.advance(bar)


def print_work(found: Answer) -> None:
    if not found["items"]:
        console.print(
            "Nothing to do here. Bring test results with [bold]bottega board import FILE[/bold], "
            "or propose a change with [bold]openspec[/bold]; [bold]--only all[/bold] shows what "
            "is finished."
        )
        return
    table = Table("", "id", "what", "status", "tasks", "active", box=None)
    table.columns[1].no_wrap = True
    for item in found["items"]:
        tasks = f"{item['tasks_done']}/{item['tasks_total']}" if item["tasks_total"] else "–"
        kind = coloured(item["classification"]) if item["classification"] else ""
        table.add_row(
            urgency(item["priority"]),
            item["id"],
            f"{escape(item['title'])} {kind}".strip(),
            coloured(item["status"]),
            tasks,
            day(item["active_at"]),
        )
    console.print(table)
    if found["total"] > len(found["items"]):
        console.print(f"[dim]{found['total'] - len(found['items'])} more: raise --limit.[/dim]")


def print_change(answer: Answer) -> None:
    change = answer["change"]
    console.print(
        f"[bold]{escape(change['title'])}[/bold] {coloured(change['status'])} "
        f"{urgency(change['priority'])}"
    )
    console.print(f"[dim]{change['id']}[/dim]\n", soft_wrap=True)
    console.print(escape(change["proposal_content"].strip()))
    console.print("\n[bold]Tasks[/bold]" if change["tasks"] else "\nNo tasks.")
    for task in change["tasks"]:
        mark = "[green]✓[/green]" if task["done"] else "[dim]·[/dim]"
        console.print(f"  {'  ' * task['depth']}{mark} {escape(task['text'])}")
    if change["sync_error"]:
        console.print(f"\n[red]{escape(change['sync_error'])}[/red]")
    _print_issues(answer["validation"]["issues"])
    for overlap in answer["overlaps"]["overlaps"]:
        console.print(f"[yellow]Overlaps[/yellow] {overlap['change_id']}")
    console.print("\n[bold]History[/bold]")
    for step in answer["history"]["transitions"]:
        notes = escape((step["notes"] or "").partition("\n")[0])
        console.print(
            f"  [dim]{day(step['transitioned_at'])}[/dim] {coloured(step['to_state'])} "
            f"by {step['triggered_by']} {notes}"
        )


def print_failure(failure: Answer) -> None:
    state = "[red]fails[/red]" if failure["is_failing"] else "[green]passes again[/green]"
    console.print(
        f"[bold]{escape(failure['test_name'])}[/bold] {coloured(failure['classification'])} "
        f"{state} {urgency(failure['priority'])}"
    )
    console.print(f"[dim]{escape(failure['test_id'])}[/dim]", soft_wrap=True)
    runs = "".join(RUNS.get(run["outcome"], FAILED) for run in reversed(failure["runs"]))
    console.print(f"{runs}  seen {failure['occurrence_count']} ×")
    console.print(f"\n{escape(failure['error_message'])}\n")
    decided = "a person" if failure["person_decision"] else "the rules"
    console.print(f"{failure['decision']}, say {decided}: {escape(failure['rationale'] or '')}")
    if failure["change_id"]:
        status = coloured(failure["change_status"] or "gone")
        console.print(f"Change: {failure['change_id']} {status}")


def print_decided(answer: Answer) -> None:
    for change in answer["changes"]:
        console.print(f"{change['id']} is {coloured(change['status'])}.", soft_wrap=True)


def print_refusal(message: str, issues: Iterable[Answer]) -> None:
    console.print(f"[red]{escape(message.partition('. ')[0])}.[/red]")
    _print_issues(issues)


def _print_issues(issues: Iterable[Answer]) -> None:
    for issue in issues:
        line = f":{issue['line']}" if issue["line"] else ""
        console.print(
            f"  {coloured(issue['level'])} {escape(issue['path'])}{line}: "
            f"{escape(issue['message'])}",
            soft_wrap=True,
        )


def print_queue(found: Answer) -> None:
    if not found["waiting"] and not found["leased"]:
        console.print(
            "The queue is empty. [bold]bottega board list --status proposing[/bold] shows what "
            "could be approved."
        )
        return
    table = Table("", "id", "what", "state", box=None)
    table.columns[1].no_wrap = True
    for item in found["leased"]:
        who = f"[yellow]with {item['session_id']}[/yellow]"
        table.add_row(urgency(item["priority"]), item["change_id"], escape(item["title"]), who)
    for item in found["waiting"]:
        held = escape(item["held_back"] or "") or "[green]ready[/green]"
        table.add_row(urgency(item["priority"]), item["change_id"], escape(item["title"]), held)
    console.print(table)


def print_claim(claimed: Answer) -> None:
    work = claimed["work"]
    if work is None:
        console.print(f"No work now. {escape(claimed['reason'])}")
        return
    console.print(
        f"[green]Claimed[/green] {work['change_id']} with lease token {work['lease_token']}, "
        f"for a {work['agent_type']}.",
        soft_wrap=True,
    )


def print_sessions(found: Answer) -> None:
    if not found["sessions"]:
        console.print(
            "No agent is at work. A session registers with the tool "
            "[bold]board_register_session[/bold], or by Claude Code's hooks."
        )
        return
    table = Table("session", "type", "liveness", "works on", "last heard", box=None)
    table.columns[0].no_wrap = True
    for each in found["sessions"]:
        lease = each["lease"]
        table.add_row(
            each["id"],
            each["type"],
            coloured(each["liveness"]),
            escape(lease["change_id"]) if lease else "[dim]nothing[/dim]",
            day(each["seen_at"]),
        )
    console.print(table)


def print_questions(found: Answer) -> None:
    if not found["clarifications"]:
        console.print("No agent has a question.")
        return
    for each in found["clarifications"]:
        waits = "[cyan]waits for you[/cyan]" if each["blocking"] else "[dim]goes on[/dim]"
        console.print(f"[bold]{escape(each['question'])}[/bold] {waits}")
        for number, option in enumerate(each["options"], 1):
            console.print(f"  {number}. {escape(option)}")
        about = f", about {escape(each['change_id'])}" if each["change_id"] else ""
        console.print(f"[dim]{each['id']}{about}[/dim]\n", soft_wrap=True)


def print_answered(question: Answer) -> None:
    console.print(f"[green]Answered[/green] {escape(question['answer'])}", soft_wrap=True)


def coloured(word: str) -> str:
    colour = COLOURS.get(word)
    return f"[{colour}]{word}[/{colour}]" if colour else word


def urgency(priority: int) -> str:
    return f"[{URGENT[priority]}]P{priority}[/{URGENT[priority]}]"


def day(moment: str) -> str:
    return moment[:16].replace("T", " ")


def print_imported(answer: Answer) -> None:
    for result in answer["imported"]:
        print_result(result)


def print_result(result: Answer) -> None:
    name = f"[bold]{escape(result['file'])}[/bold]"
    if "error" in result:
        console.print(f"{name} [red]{escape(result['error'])}[/red]")
        return
    report = result["report"]
    colour = "red" if report["failed"] else "green"
    console.print(
        f"{name} {report['total']} tests: {report['passed']} passed, "
        f"[{colour}]{report['failed']} failed[/{colour}], {report['flaked']} flaky, "
        f"{report['skipped']} skipped; {result['new_failures']} new failures.",
        soft_wrap=True,
    )
    for word, ids in (("Proposed", result["proposed"]), ("Updated", result["updated"])):
        for change in ids:
            console.print(f"  [cyan]{word}[/cyan] {change}")
    for change in result["reopened"]:
        console.print(f"  [red]Reopened[/red] {change}")
    for test in result["green"]:
        mended = f", which {test['change_id']} was to mend" if test["change_id"] else ""
        console.print(f"  [green]Green again[/green] {escape(test['test_name'])}{mended}")
    if result["held_back"]:
        console.print(
            f"  [yellow]{result['held_back']} more proposals wait[/yellow] for their turn."
        )
    if result["waiting"]:
        console.print(f"  [dim]{result['waiting']} wait whether they happen again.[/dim]")
    for note in result["notes"]:
        console.print(f"  [yellow]{escape(note)}[/yellow]", soft_wrap=True)
