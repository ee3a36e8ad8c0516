"""`bottega journal`: read what was learned, form values, and keep the journal in order."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import Progress

from bottega.core.commands import Argument, AsJson, CommandGroup, Option, call
from bottega.core.doors.client import present
from bottega.errors import InvalidInput
from bottega.journal import operations, printing
from bottega.journal.calibration import operations as calibration
from bottega.journal.clusters import operations as clusters
from bottega.journal.context import operations as task_context
from bottega.journal.entries import operations as entries
from bottega.journal.entries.enums import Axis, EvidenceKind
from bottega.journal.values import operations as values

commands = CommandGroup("Goals, hypotheses, predictions, and what was learned.")

LINES_AT_ONCE = 500

ENTRY_ID = Argument("The entry's id, as `list` shows it.")
PROJECT = Option("Another project's journal.")
DOMAIN = Option("Only of this domain.")
OUTCOME = Option("Only with this outcome.")
SESSION = "The session whose open entry is meant."

Project = Annotated[str | None, typer.Option(help=PROJECT.help)]

commands.add(
    entries.list_entries,
    "list",
    printing.print_entries,
    help="Show entries, newest first.",
    domain=DOMAIN,
    outcome=OUTCOME,
    since=Option("An ISO 8601 date, UTC."),
    limit=Option("How many, newest first."),
    project=PROJECT,
)
commands.add(
    entries.show_entry,
    "show",
    printing.print_entry,
    help="Show one entry whole.",
    id=ENTRY_ID,
    project=PROJECT,
)
commands.add(
    entries.search_experiences,
    "search",
    printing.print_search,
    help="Find experiences by words and meaning.",
    query=Argument("What it is about, in your own words."),
    axis=Option("The side to compare."),
    domain=DOMAIN,
    outcome=OUTCOME,
    limit=Option("How many, best first."),
    project=PROJECT,
)
commands.add(
    calibration.calibration,
    "calibration",
    printing.print_calibration,
    help="Show how well confidence foretold what happened.",
    project=PROJECT,
)
commands.add(
    entries.list_orphans,
    "orphans",
    printing.print_entries,
    help="Show open entries that nobody works on any more.",
)
commands.add(
    task_context.assemble_context,
    "context",
    printing.print_context,
    help="Show the lessons and values worth knowing before a task.",
    query=Argument("The task at hand."),
    domain=DOMAIN,
    budget_tokens=Option("How many tokens it may take.", name="--budget"),
)
commands.add(
    entries.adopt_entry,
    "adopt",
    printing.print_done("Adopted"),
    help="Go on with an orphan.",
    id=ENTRY_ID,
    session_id=Option(SESSION, name="--session"),
)
commands.add(
    entries.abandon_entry,
    "abandon",
    printing.print_done("Abandoned"),
    help="End an orphan; it is kept as abandoned.",
    id=ENTRY_ID,
    result=Option("Why nobody goes on with it.", name="--because", default=None),
)


@commands.command("clusters")
def list_clusters_or_members(
    context: typer.Context,
    cluster_id: Annotated[str | None, typer.Argument(help="Show this cluster's members.")] = None,
    axis: Annotated[Axis, typer.Option(help="The side to compare.")] = Axis.FULL,
    limit: Annotated[int, typer.Option(min=1, max=100, help="How many members.")] = 20,
    project: Project = None,
    as_json: AsJson = False,
) -> None:
    """Show groups of alike experiences, or one group's members."""
    if cluster_id is None:
        found = call(context, clusters.list_clusters, axis=axis, project=project)
        present(found, printing.print_clusters, as_json=as_json)
        return
    found = call(
        context, clusters.list_members, cluster_id=cluster_id, limit=limit, project=project
    )
    present(found, printing.print_members, as_json=as_json)


@commands.command("values")
def list_or_store_values(
    context: typer.Context,
    axis: Annotated[Axis | None, typer.Option(help="Only of this axis.")] = None,
    store: Annotated[str | None, typer.Option(help="Store this value, if it is valid.")] = None,
    cluster: Annotated[str | None, typer.Option(help="The cluster it rests on.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=100, help="How many.")] = 20,
    project: Project = None,
    as_json: AsJson = False,
) -> None:
    """Show values, those of the largest clusters first; or store one."""
    if store is None:
        found = call(context, values.list_values, axis=axis, limit=limit, project=project)
        present(found, printing.print_values, as_json=as_json)
        return
    if cluster is None:
        raise typer.BadParameter("A value rests on a cluster: name it with --cluster.")
    own_axis = axis or cluster.removeprefix("cluster_").rpartition("_")[0]
    value = call(context, values.store_value, text=store, cluster_id=cluster, axis=own_axis)
    present(value, printing.print_stored, as_json=as_json)


@commands.command("evidence")
def evidence(
    context: typer.Context,
    kind: Annotated[EvidenceKind, typer.Argument(help="What ran.")],
    command: Annotated[str, typer.Argument(help="The command that ran.")],
    passed: Annotated[bool, typer.Option("--passed/--failed", help="How it ended.")],
    summary: Annotated[str | None, typer.Option(help="What it printed, in short.")] = None,
    session: Annotated[str | None, typer.Option(help=SESSION)] = None,
    entry: Annotated[str | None, typer.Option(help="A resolved entry, by its id.")] = None,
    as_json: AsJson = False,
) -> None:
    """Attach a test or build that ran to the open entry. For hooks; it resolves nothing."""
    ran = {"kind": kind, "command": command, "passed": passed, "summary": summary}
    asked = {"evidence": ran, "session_id": session, "entry_id": entry}
    attached = call(context, entries.attach_evidence, **asked)
    present(attached, printing.print_done("Attached to"), as_json=as_json)


@commands.command("sync")
def sync(context: typer.Context, as_json: AsJson = False) -> None:
    """Store what was resolved but not stored, and make lost vectors again."""
    done = call(context, operations.sync)
    present(done, printing.print_synced, as_json=as_json)
    if done["failed"]:
        raise typer.Exit(1)


@commands.command("export")
def export_file(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="Where to write; `-` is the terminal.")],
    project: Project = None,
) -> None:
    """Write every experience and value, one JSON object a line."""
    lines = (json.dumps(line, ensure_ascii=False) + "\n" for line in _pages(context, project))
    if str(file) == "-":
        sys.stdout.writelines(lines)
        return
    count = 0
    with file.open("w", encoding="utf-8") as output:
        for line in lines:
            output.write(line)
            count += 1
    printing.console.print(f"[green]Wrote[/green] {count} lines to {file}.", soft_wrap=True)


@commands.command("import")
def import_file(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="What `export` wrote.", exists=True)],
) -> None:
    """Add experiences and values from a file. Known ids are left as they are."""
    lines = list(_lines(file))
    imported = skipped = 0
    with Progress(console=printing.console, transient=True) as progress:
        bar = progress.add_task("Importing", total=len(lines))
        for start in range(0, len(lines), LINES_AT_ONCE):
            some = lines[start : start + LINES_AT_ONCE]
            done = call(context, operations.import_lines, lines=some)
            imported, skipped = imported + done["imported"], skipped + done["skipped"]
            progress.advance(bar, len(some))
    printing.console.print(f"[green]Imported[/green] {imported}, known already: {skipped}.")


def _pages(context: typer.Context, project: str | None) -> Iterator[dict[str, Any]]:
    after: str | None = None
    while True:
        page = call(context, operations.export, after=after, limit=LINES_AT_ONCE, project=project)
        yield from page["lines"]
        after = page["next"]
        if after is None:
            return


def _lines(file: Path) -> Iterator[Any]:
    for number, text in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if not text.strip():
            continue
        try:
            yield json.loads(text)
        except json.JSONDecodeError as error:
            raise InvalidInput(f"{file}, line {number} is not JSON: {error}.") from None
