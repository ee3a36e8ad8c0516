"""`bottega memory`: see, find, correct and forget what is remembered."""

from typing import Annotated, Any

import typer

from bottega.core.commands import Argument, AsJson, CommandGroup, Option, call
from bottega.core.doors.client import present
from bottega.memory import operations, printing
from bottega.memory.stores import Importance

commands = CommandGroup("See, find, correct and forget what is remembered.")

MEMORY_ID = Argument("The memory's id, as `list` shows it.")
PROJECT = Option("Only what belongs to this project.")
EVIDENCE = Option('What it rests on: path:L12-L18 "quote".')
TAG = Option("A tag; repeat it for more.", "--tag")

commands.add(
    operations.list_memories,
    "list",
    printing.print_page,
    help="Show memories, newest first.",
    project=PROJECT,
    query=Option("Only those that contain this text."),
    forgotten=Option("Those that can be restored."),
    after=Option("Where the last page ended."),
    limit=Option("How many, newest first.", default=20),
)
commands.add(
    operations.recall_memories,
    "search",
    printing.print_recollection,
    help="Find by meaning, in everything that is remembered.",
    query=Argument("What it is about, in your own words."),
    project=PROJECT,
    budget=Option("How many tokens the answer may take."),
)
commands.add(
    operations.get_memory,
    "show",
    printing.print_memory,
    help="Show one memory whole.",
    id=MEMORY_ID,
)
commands.add(
    operations.add_memory,
    "add",
    printing.print_remembered,
    help="Remember something.",
    content=Argument("What to remember: one fact."),
    project=Option("Where it holds. Default: all."),
    tags=TAG,
    importance=Option("How much it matters."),
    evidence=EVIDENCE,
)
commands.add(
    operations.restore_memory,
    "restore",
    printing.print_restored,
    help="Bring a forgotten memory back.",
    id=MEMORY_ID,
)

MemoryId = Annotated[str, typer.Argument(help=MEMORY_ID.help)]


@commands.command("edit")
def edit(
    context: typer.Context,
    id: MemoryId,
    content: Annotated[str | None, typer.Option(help="New text. Default: asks for it.")] = None,
    tags: Annotated[list[str] | None, typer.Option("--tag", help=TAG.help)] = None,
    importance: Annotated[Importance | None, typer.Option(help="New importance.")] = None,
    evidence: Annotated[str | None, typer.Option(help=EVIDENCE.help)] = None,
    as_json: AsJson = False,
) -> None:
    """Correct a memory; without options it asks for the new text."""
    given: dict[str, Any] = {"content": content, "tags": tags, "importance": importance}
    given["evidence"] = evidence
    if all(value is None for value in given.values()):
        before = call(context, operations.get_memory, id=id)["content"]
        given = {"content": typer.prompt("New text", default=before)}
    memory = call(context, operations.edit_memory, id=id, **given)
    present(memory, printing.print_memory, as_json=as_json)


@commands.command("forget")
def forget(
    context: typer.Context,
    id: MemoryId,
    forever: Annotated[bool, typer.Option("--forever", help="Delete it: no way back.")] = False,
    as_json: AsJson = False,
) -> None:
    """Forget a memory: no search finds it any more."""
    memory = call(context, operations.forget_memory, id=id, forever=forever)
    show_it = printing.print_deleted if forever else printing.print_forgotten
    present(memory, show_it, as_json=as_json)
