"""Libraries on a terminal. Green holds, red does not, yellow is to be looked at."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from bottega.core.doors.client import Answer

console = Console()
EXCERPT = 110


@contextmanager
def progress_bar(*, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """Files that were read, of all; nothing for scripts."""
    if quiet:
        yield lambda _done, _total: None
        return
    columns = (TextColumn("Reading"), BarColumn(), MofNCompleteColumn(), TextColumn("files"))
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task("", total=None)
        yield lambda done, total: progress.update(bar, completed=done, total=total)


def print_libraries(found: Answer) -> None:
    if not found["libraries"]:
        console.print(
            "No libraries yet. [bold]bottega library add NAME FOLDER[/bold] makes one of the "
            "documents in a folder."
        )
        return
    table = Table("name", "title", "folder", "changed", box=None)
    for library in found["libraries"]:
        table.add_row(
            library["name"],
            escape(library["title"]),
            escape(library["root"] or "uploaded"),
            library["updated_at"][:10],
        )
    console.print(table)


def print_ingest(progress: Answer) -> None:
    report = progress["report"]
    if progress["status"] != "completed":
        why = escape(progress["error"] or "it was stopped")
        console.print(f"[red]Not finished[/red]: {why}", soft_wrap=True)
    if not progress["total"] and progress["status"] == "completed":
        console.print(
            "[yellow]No documents there.[/yellow] Markdown, text, HTML, reStructuredText, PDF and "
            "DOCX are read."
        )
        return
    console.print(
        f"[green]{report['added']} added[/green], {report['replaced']} replaced, "
        f"{report['unchanged']} unchanged, {report['removed']} removed; "
        f"{report['paragraphs']} paragraphs read.",
        highlight=False,
    )
    for rejected in report["rejected"]:
        _line("red", rejected["path"], rejected["message"])
    for skipped in report["skipped"]:
        _line("dim", skipped["path"], skipped["message"])
    for problem in report["problems"]:
        _line("yellow", problem["path"], problem["message"])


def print_results(found: Answer) -> None:
    if found["degraded"]:
        console.print(f"[yellow]By words only[/yellow]: {escape(found['degraded'])}")
    if not found["hits"]:
        console.print("Nothing comes close. Try other words, or without --document.")
        return
    table = Table("reference", "score", "found by", "text", box=None)
    table.columns[0].no_wrap = True
    for hit in found["hits"]:
        table.add_row(
            escape(hit["paragraph"]["ref"]),
            f"{hit['score']:.2f}",
            escape(", ".join(hit["paths"])),
            escape(excerpt(hit["paragraph"]["text"])),
        )
    console.print(table)


def print_paragraph(answer: Answer) -> None:
    paragraph = answer["paragraph"]
    console.print(f"[bold]{escape(paragraph['ref'])}[/bold]  {escape(paragraph['document'])}")
    place = [*paragraph["headings"], paragraph["path"], paragraph["start"] or ""]
    console.print(f"[dim]{escape(' · '.join(filter(None, place)))}[/dim]", soft_wrap=True)
    console.print(f"\n{escape(paragraph['text'])}\n", highlight=False, soft_wrap=True)
    if not answer["neighbours"]:
        console.print("[dim]It leads nowhere else.[/dim]")
        return
    table = Table("leads to", "score", "by", "text", box=None)
    for hop in answer["neighbours"]:
        last = hop["path"][-1]
        by = f"{last['kind']} (back)" if last["backwards"] else last["kind"]
        place = hop["paragraph"]
        table.add_row(
            escape(place["ref"]), f"{hop['score']:.2f}", by, escape(excerpt(place["text"]))
        )
    console.print(table)


def print_verdict(detail: Answer) -> None:
    if detail["supports_claim"]:
        doubt = "" if detail["verdict"] == "supported" else ", though it is not certain"
        console.print(f"[green]{escape(detail['paragraph_ref'])} says so[/green]{doubt}.")
    elif not detail["exists"]:
        console.print(f"[red]There is no such paragraph[/red] ({detail['error_category']}).")
    else:
        console.print(f"[red]{escape(detail['paragraph_ref'])} does not say so.[/red]")
    for reason in detail["reasons"]:
        console.print(f"  · {escape(reason)}", highlight=False, soft_wrap=True)
    if detail["source_text"]:
        console.print(f"\n[dim]{escape(detail['source_text'])}[/dim]", soft_wrap=True)


def print_status(status: Answer) -> None:
    library = status["library"]
    console.print(f"[bold]{library['name']}[/bold]  {escape(library['title'])}")
    table = Table(box=None, show_header=False)
    edges = ", ".join(f"{count} {kind}" for kind, count in status["edges"].items()) or "none"
    vectors = status["indexed_vectors"]
    rows = {
        "folder": library["root"] or "uploaded",
        "documents": f"{status['standards']} standards, {status['guides']} guides",
        "paragraphs": f"{status['paragraphs']}, {status['terms']} defined terms",
        "edges": edges,
        "found by": f"words: {status['indexed_words']}, "
        f"meaning: {'not available' if vectors is None else vectors} ({status['embedder']})",
    }
    for label, value in rows.items():
        table.add_row(f"[dim]{label}[/dim]", escape(value))
    console.print(table)
    for rejected in status["rejections"]:
        _line("red", rejected["path"], rejected["reason"])


def print_removed(answer: Answer) -> None:
    console.print(f"[green]Removed[/green] {answer['removed']}. Its files are where they were.")


def excerpt(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= EXCERPT else f"{line[: EXCERPT - 1]}…"


def _line(colour: str, path: str, message: str) -> None:
    console.print(f"[{colour}]{escape(path)}[/{colour}] {escape(message)}", soft_wrap=True)
