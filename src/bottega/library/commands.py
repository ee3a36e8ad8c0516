"""`bottega library`: make libraries of your own documents, search them, and check citations."""

from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import quote

import typer

from bottega.core.commands import Argument, AsJson, CommandGroup, Option, call
from bottega.core.doors.client import Answer, Api, present
from bottega.errors import InvalidInput
from bottega.library import printing
from bottega.library.documents import operations as documents
from bottega.library.graph import operations as graph
from bottega.library.ingest import operations as ingest
from bottega.library.search import operations as search
from bottega.library.verify import operations as verification

commands = CommandGroup("Documents that can be searched, cited and checked.")

#: Seconds between two looks at an ingest.
LOOK = 0.3
LIBRARY = Argument("The library's name, as `list` shows it.")

Kind = Literal["standard", "guide"]
Name = Annotated[str, typer.Argument(help=LIBRARY.help)]


@commands.command("add")
def add(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="A new name, or a library's to bring up to date.")],
    folder: Annotated[Path, typer.Argument(help="Where its documents are.")],
    kind: Annotated[Kind | None, typer.Option(help="If documents do not say it.")] = None,
    title: Annotated[str | None, typer.Option(help="What people call it.")] = None,
    as_json: AsJson = False,
) -> None:
    """Make a library of a folder's documents, or bring it up to date."""
    if not folder.exists():
        raise InvalidInput(f"There is no folder {folder}. Give the one with the documents.")
    there = call(context, documents.list_libraries)["libraries"]
    if name not in [library["name"] for library in there]:
        call(context, documents.create_library, name=name, title=title)
    api: Api = context.obj
    given = {"folder": str(folder.resolve()), "kind": kind}
    started = api.post(f"/api/libraries/{quote(name, safe='')}/ingest", json=given)
    ended = _watch(context, name, started["run_id"], quiet=as_json)
    present(ended, printing.print_ingest, as_json=as_json)
    if ended["status"] != "completed":
        raise typer.Exit(1)


commands.add(
    documents.list_libraries,
    "list",
    printing.print_libraries,
    help="Show the libraries there are.",
)
commands.add(
    search.search_library,
    "search",
    printing.print_results,
    help="Find paragraphs by words and meaning.",
    name=LIBRARY,
    query=Argument("What you look for, in your own words."),
    filter=Option("Only in this one: its number or path. Repeatable.", "--document"),
    search_type=Option("How to search.", "--by", default="hybrid"),
    rerank=Option("Look at the best ones once more."),
    max_results=Option("How many, best first.", "--limit", default=10),
)


@commands.command("show")
def show(
    context: typer.Context,
    name: Name,
    reference: Annotated[str, typer.Argument(help="As people cite it: `315.12(a)`; or an id.")],
    as_json: AsJson = False,
) -> None:
    """Show a paragraph, and what it leads to."""
    paragraph = call(context, documents.get_paragraph, name=name, identifier=reference)
    around = call(context, graph.list_neighbours, name=name, identifier=paragraph["id"])
    answer = {"paragraph": paragraph, "neighbours": around["hops"]}
    present(answer, printing.print_paragraph, as_json=as_json)


@commands.command("verify")
def verify(
    context: typer.Context,
    name: Name,
    reference: Annotated[str, typer.Argument(help="The paragraph that is cited.")],
    claim: Annotated[str, typer.Argument(help="What it is said to say.")],
    as_json: AsJson = False,
) -> None:
    """Check whether a paragraph says what is claimed; exit code 1 if it does not."""
    cited = [{"paragraph_ref": reference, "claim": claim}]
    report = call(context, verification.verify, name=name, citations=cited)["citations"]
    present(report["details"][0], printing.print_verdict, as_json=as_json)
    if not report["details"][0]["supports_claim"]:
        raise typer.Exit(1)


commands.add(
    documents.library_status,
    "status",
    printing.print_status,
    help="Show what is in a library, and which files could not be read.",
    name=LIBRARY,
)


@commands.command("remove")
def remove(
    context: typer.Context,
    name: Name,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Remove a library. The files it was made from stay where they are."""
    call(context, documents.library_status, name=name)
    if not yes:
        typer.confirm(f"Remove the library {name}?", abort=True)
    removed = call(context, documents.remove_library, name=name)
    present(removed, printing.print_removed, as_json=as_json)


def _watch(context: typer.Context, name: str, run_id: str, *, quiet: bool) -> Answer:
    """Show how far it is until it has ended."""
    with printing.progress_bar(quiet=quiet) as advance:
        while True:
            progress: Answer = call(
                context, ingest.ingest_status, name=name, run_id=run_id, wait=LOOK
            )
            advance(progress["done"], progress["total"])
            if progress["status"] in ("completed", "failed", "cancelled"):
                return progress
