"""`bottega library`: make libraries of your own documents, search them, and check citations."""

from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import quote

import typer

from bottega.core.client import Api
from bottega.core.terminal import Answer, present
from bottega.errors import InvalidInput
from bottega.library import printing

commands = typer.Typer(
    help="Documents that can be searched, cited and checked.", no_args_is_help=True
)

PATH = "/api/libraries"
#: Spelt out: the modules that define them load all that reads and searches documents.
Kind = Literal["standard", "guide"]
SearchType = Literal["hybrid", "keyword", "vector"]
#: Seconds between two looks at an ingest.
LOOK = 0.3

Name = Annotated[str, typer.Argument(help="The library's name, as `list` shows it.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]


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
    asking = api(context)
    if not folder.exists():
        raise InvalidInput(f"There is no folder {folder}. Give the one with the documents.")
    if name not in [library["name"] for library in asking.get(PATH)["libraries"]]:
        asking.post(PATH, json={"name": name, "title": title})
    given = {"folder": str(folder.resolve()), "kind": kind}
    run_id = asking.post(f"{path_of(name)}/ingest", json=given)["run_id"]
    ended = _watch(asking, name, run_id, quiet=as_json)
    present(ended, printing.print_ingest, as_json=as_json)
    if ended["status"] != "completed":
        raise typer.Exit(1)


@commands.command("list")
def list_libraries(context: typer.Context, as_json: AsJson = False) -> None:
    """Show the libraries there are."""
    present(api(context).get(PATH), printing.print_libraries, as_json=as_json)


@commands.command("search")
def search(
    context: typer.Context,
    name: Name,
    query: Annotated[str, typer.Argument(help="What you look for, in your own words.")],
    document: Annotated[
        list[str] | None, typer.Option(help="Only in this one: its number or path. Repeatable.")
    ] = None,
    by: Annotated[SearchType, typer.Option(help="How to search.")] = "hybrid",
    rerank: Annotated[bool, typer.Option(help="Look at the best ones once more.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=100, help="How many, best first.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Find paragraphs by words and meaning."""
    found = api(context).get(
        f"{path_of(name)}/search",
        query=query,
        max_results=limit,
        filter=document or None,
        search_type=by,
        rerank=rerank,
    )
    present(found, printing.print_results, as_json=as_json)


@commands.command("show")
def show(
    context: typer.Context,
    name: Name,
    reference: Annotated[str, typer.Argument(help="As people cite it: `315.12(a)`; or an id.")],
    as_json: AsJson = False,
) -> None:
    """Show a paragraph, and what it leads to."""
    asking = api(context)
    paragraph = asking.get(f"{path_of(name)}/paragraph", identifier=reference)
    around = asking.get(f"{path_of(name)}/neighbours", identifier=paragraph["id"])
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
    asked = {"citations": [{"paragraph_ref": reference, "claim": claim}]}
    report = api(context).post(f"{path_of(name)}/verify", json=asked)["citations"]
    present(report["details"][0], printing.print_verdict, as_json=as_json)
    if not report["details"][0]["supports_claim"]:
        raise typer.Exit(1)


@commands.command("status")
def status(context: typer.Context, name: Name, as_json: AsJson = False) -> None:
    """Show what is in a library, and which files could not be read."""
    present(api(context).get(path_of(name)), printing.print_status, as_json=as_json)


@commands.command("remove")
def remove(
    context: typer.Context,
    name: Name,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Remove a library. The files it was made from stay where they are."""
    asking = api(context)
    asking.get(path_of(name))
    if not yes:
        typer.confirm(f"Remove the library {name}?", abort=True)
    present(asking.delete(path_of(name)), printing.print_removed, as_json=as_json)


def api(context: typer.Context) -> Api:
    client: Api = context.obj
    return client


def path_of(name: str) -> str:
    return f"{PATH}/{quote(name, safe='')}"


def _watch(asking: Api, name: str, run_id: str, *, quiet: bool) -> Answer:
    """Show how far it is until it has ended."""
    path = f"{path_of(name)}/ingests/{quote(run_id, safe='')}"
    with printing.progress_bar(quiet=quiet) as advance:
        while True:
            progress: Answer = asking.get(path, wait=LOOK)
            advance(progress["done"], progress["total"])
            if progress["status"] in ("completed", "failed", "cancelled"):
                return progress
