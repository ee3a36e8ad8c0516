"""`bottega board import`: test reports in, and what they brought."""

from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlencode

import typer
from rich.markup import escape

from bottega.board.asking import PATH, AsJson, InProject, api_of, find_project
from bottega.board.printing import console, with_progress
from bottega.core.terminal import Answer, present
from bottega.errors import BottegaError

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


def import_reports(
    context: typer.Context, files: Files, project: InProject = None, as_json: AsJson = False
) -> None:
    """Take test reports in; failures that come again become proposals."""
    api = api_of(context)
    found = find_project(api, project)
    address = f"{PATH}/reports?{urlencode({'project_id': found['id']})}"
    results: list[dict[str, Any]] = []
    for file in with_progress(files, "Importing"):
        kind = "application/xml" if file.suffix.lower() == ".xml" else "application/json"
        try:
            done = api.send(address, file.read_bytes(), kind)
        except (BottegaError, OSError) as error:
            done = {"error": str(error)}
        results.append({"file": str(file), **done})
    answer = {"project": found["name"], "imported": results}
    present(answer, print_imported, as_json=as_json)
    if any("error" in result for result in results):
        raise typer.Exit(1)


def print_imported(answer: Answer) -> None:
    for result in answer["imported"]:
        print_result(result)


def print_result(result: Answer) -> None:
    name = f"[bold]{escape(result['file'])}[/bold]"
    if "error" in result:
        console.print(f"{name} [red]{escape(result['error'])}[/red]", highlight=False)
        return
    report = result["report"]
    colour = "red" if report["failed"] else "green"
    console.print(
        f"{name} {report['total']} tests: {report['passed']} passed, "
        f"[{colour}]{report['failed']} failed[/{colour}], {report['flaked']} flaky, "
        f"{report['skipped']} skipped; {result['new_failures']} new failures.",
        highlight=False,
        soft_wrap=True,
    )
    for word, ids in (("Proposed", result["proposed"]), ("Updated", result["updated"])):
        for change in ids:
            console.print(f"  [cyan]{word}[/cyan] {change}", highlight=False)
    for change in result["reopened"]:
        console.print(f"  [red]Reopened[/red] {change}", highlight=False)
    for test in result["green"]:
        mended = f", which {test['change_id']} was to mend" if test["change_id"] else ""
        console.print(
            f"  [green]Green again[/green] {escape(test['test_name'])}{mended}", highlight=False
        )
    if result["held_back"]:
        console.print(
            f"  [yellow]{result['held_back']} more proposals wait[/yellow] for their turn."
        )
    if result["waiting"]:
        console.print(f"  [dim]{result['waiting']} wait whether they happen again.[/dim]")
    for note in result["notes"]:
        console.print(f"  [yellow]{escape(note)}[/yellow]", highlight=False, soft_wrap=True)
