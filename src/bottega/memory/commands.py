"""`bottega memory`: see, find, correct and forget what is remembered."""

from enum import StrEnum
from typing import Annotated
from urllib.parse import quote

import typer

from bottega.core.client import Api
from bottega.core.terminal import present
from bottega.memory import printing

commands = typer.Typer(
    help="See, find, correct and forget what is remembered.", no_args_is_help=True
)

PATH = "/api/memories"


class Importance(StrEnum):
    """As in `memory/stores.py`, which a command that only asks need not load."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


MemoryId = Annotated[str, typer.Argument(help="The memory's id, as `list` shows it.")]
Project = Annotated[str | None, typer.Option(help="Only what belongs to this project.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
Tag = Annotated[list[str] | None, typer.Option("--tag", help="A tag; repeat it for more.")]
Evidence = Annotated[str | None, typer.Option(help='What it rests on: path:L12-L18 "quote".')]


@commands.command("list")
def list_memories(
    context: typer.Context,
    project: Project = None,
    query: Annotated[str | None, typer.Option(help="Only those that contain this text.")] = None,
    forgotten: Annotated[bool, typer.Option(help="Those that can be restored.")] = False,
    after: Annotated[str | None, typer.Option(help="Where the last page ended.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="How many, newest first.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Show memories, newest first."""
    page = api(context).get(
        PATH, project=project, query=query, forgotten=forgotten, after=after, limit=limit
    )
    present(page, printing.print_page, as_json=as_json)


@commands.command("search")
def search(
    context: typer.Context,
    query: Annotated[str, typer.Argument(help="What it is about, in your own words.")],
    project: Project = None,
    budget: Annotated[int, typer.Option(min=1, help="How many tokens the answer may take.")] = 1000,
    as_json: AsJson = False,
) -> None:
    """Find by meaning, in everything that is remembered."""
    asked = {"query": query, "project": project, "budget": budget}
    found = api(context).post(f"{PATH}/recall", json=asked)
    present(found, printing.print_recollection, as_json=as_json)


@commands.command("show")
def show(context: typer.Context, id: MemoryId, as_json: AsJson = False) -> None:
    """Show one memory whole."""
    memory = api(context).get(path_of(id))
    present(memory, printing.print_memory, as_json=as_json)


@commands.command("add")
def add(
    context: typer.Context,
    content: Annotated[str, typer.Argument(help="What to remember: one fact.")],
    project: Annotated[str | None, typer.Option(help="Where it holds. Default: all.")] = None,
    tag: Tag = None,
    importance: Annotated[Importance, typer.Option(help="How much it matters.")] = (
        Importance.MEDIUM
    ),
    evidence: Evidence = None,
    as_json: AsJson = False,
) -> None:
    """Remember something."""
    new = {
        "content": content,
        "project": project,
        "tags": tag or [],
        "importance": importance,
        "evidence": evidence,
    }
    memory = api(context).post(PATH, json=new)
    present(memory, printing.print_remembered, as_json=as_json)


@commands.command("edit")
def edit(
    context: typer.Context,
    id: MemoryId,
    content: Annotated[str | None, typer.Option(help="New text. Default: asks for it.")] = None,
    tag: Tag = None,
    importance: Annotated[Importance | None, typer.Option(help="New importance.")] = None,
    evidence: Evidence = None,
    as_json: AsJson = False,
) -> None:
    """Correct a memory; without options it asks for the new text."""
    given = {"content": content, "tags": tag, "importance": importance, "evidence": evidence}
    change = {name: value for name, value in given.items() if value is not None}
    if not change:
        before = api(context).get(path_of(id))["content"]
        change = {"content": typer.prompt("New text", default=before)}
    memory = api(context).patch(path_of(id), json=change)
    present(memory, printing.print_memory, as_json=as_json)


@commands.command("forget")
def forget(
    context: typer.Context,
    id: MemoryId,
    forever: Annotated[bool, typer.Option("--forever", help="Delete it: no way back.")] = False,
    as_json: AsJson = False,
) -> None:
    """Forget a memory: no search finds it any more."""
    memory = api(context).delete(path_of(id), forever=forever)
    show_it = printing.print_deleted if forever else printing.print_forgotten
    present(memory, show_it, as_json=as_json)


@commands.command("restore")
def restore(context: typer.Context, id: MemoryId, as_json: AsJson = False) -> None:
    """Bring a forgotten memory back."""
    memory = api(context).post(f"{path_of(id)}/restore")
    present(memory, printing.print_restored, as_json=as_json)


def api(context: typer.Context) -> Api:
    asked: Api = context.obj
    return asked


def path_of(id: str) -> str:
    return f"{PATH}/{quote(id, safe='')}"
