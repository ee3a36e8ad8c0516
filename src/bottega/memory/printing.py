"""Memories on a terminal. Red matters most, yellow is a warning, green went well."""

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bottega.core.doors.client import Answer

console = Console()
COLOURS = {"high": "bold red", "medium": "yellow", "low": "dim"}
FACTS = {
    "importance": "importance",
    "scope": "scope",
    "project": "project",
    "session": "session_id",
    "evidence": "evidence",
    "learned": "created_at",
    "changed": "updated_at",
    "last used": "last_used_at",
    "uses": "use_count",
    "forgotten": "forgotten_at",
}


def print_page(page: Answer) -> None:
    if not page["items"]:
        console.print(
            "No memories here. Agents add them with the [bold]remember[/bold] tool, you with "
            "[bold]bottega memory add[/bold]."
        )
        return
    table = Table("id", "memory", "importance", "project", "used", "learned", box=None)
    table.columns[0].no_wrap = True
    for memory in page["items"]:
        table.add_row(
            memory["id"],
            escape(_first_line(memory["content"])),
            _coloured(memory["importance"]),
            escape(memory["project"] or "everywhere"),
            str(memory["use_count"]),
            memory["created_at"][:10],
        )
    console.print(table)
    if page["next"]:
        console.print(f"[dim]More: add --after {page['next']}[/dim]", soft_wrap=True)


def print_recollection(found: Answer) -> None:
    for store in found["unavailable"]:
        console.print(f"[yellow]{store} cannot be searched now; see `bottega doctor`.[/yellow]")
    if not found["items"]:
        console.print("Nothing that is remembered comes close. Try other words.")
        return
    table = Table("score", "memory", "importance", "from", "id", box=None)
    table.columns[4].no_wrap = True
    for item in found["items"]:
        table.add_row(
            f"{item['score']:.2f}",
            escape(item["content"]),
            _coloured(item["importance"]),
            escape(item["project"] or item["scope"]),
            item["id"],
        )
    console.print(table)
    if found["left_out"]:
        console.print(f"[dim]{found['left_out']} more: raise --budget to see them.[/dim]")


def print_memory(memory: Answer) -> None:
    console.print(f"[bold]{escape(memory['content'])}[/bold]\n", highlight=False)
    table = Table(box=None, show_header=False)
    table.add_row("[dim]id[/dim]", memory["id"])
    table.add_row("[dim]tags[/dim]", escape(", ".join(memory["tags"]) or "–"))
    for label, field in FACTS.items():
        if memory[field] is not None:
            table.add_row(f"[dim]{label}[/dim]", escape(str(memory[field])))
    console.print(table)
    _warn_if_unsearchable(memory)


def print_remembered(memory: Answer) -> None:
    if memory["admission"] == "merged":
        console.print(f"[yellow]Known[/yellow] as {memory['id']}: {memory['reason']}")
        return
    console.print(f"[green]Remembered[/green] {memory['id']}.", soft_wrap=True)
    _warn_if_unsearchable(memory)
    _say_undo(f"forget {memory['id']}")


def print_forgotten(memory: Answer) -> None:
    console.print(f"[yellow]Forgot[/yellow] {memory['id']}: {_quoted(memory)}", soft_wrap=True)
    _say_undo(f"restore {memory['id']}", within=" within 30 days")


def print_deleted(memory: Answer) -> None:
    console.print(f"[red]Deleted[/red] {memory['id']}, with no way back.", soft_wrap=True)


def print_restored(memory: Answer) -> None:
    console.print(f"[green]Restored[/green] {memory['id']}: {_quoted(memory)}", soft_wrap=True)
    _warn_if_unsearchable(memory)


def _warn_if_unsearchable(memory: Answer) -> None:
    if not memory["searchable"] and memory["forgotten_at"] is None:
        console.print(
            "[yellow]It is kept, but cannot be found by meaning until the vector store is "
            "back.[/yellow]"
        )


def _say_undo(command: str, within: str = "") -> None:
    console.print(f"[dim]Undo{within}: bottega memory {command}[/dim]", soft_wrap=True)


def _quoted(memory: Answer) -> str:
    return escape(_first_line(memory["content"]))


def _first_line(content: str) -> str:
    line = content.splitlines()[0]
    return line if len(line) <= 80 else f"{line[:79]}…"


def _coloured(importance: str) -> str:
    colour = COLOURS[importance]
    return f"[{colour}]{importance}[/{colour}]"
