"""`bottega export` and `bottega import`: what is a user's, as lines that any database takes."""

import asyncio
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from bottega.core.doors.client import Answer, present
from bottega.errors import Conflict, InvalidInput, NotFound
from bottega.settings import Settings, load_settings

if TYPE_CHECKING:
    from bottega.core.db.database import Database
    from bottega.core.transfer import Imported

console = Console()

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
Tell = Callable[[str, int, int], None]


def export_file(
    file: Annotated[Path, typer.Argument(help="Where to write; it must not exist.")],
    user: Annotated[str, typer.Option(help="Whose: a user's name.")] = "local",
    as_json: AsJson = False,
) -> None:
    """Write everything of a user, one JSON object a line.

    Sessions, messages, memories, journal, libraries, board, events, traces, costs; what belongs to
    nobody, such as projects, is in it too. Not in it: tokens, stored credentials, files under
    DATA_DIR (`bottega backup` has those), unfinished runs, and what is made again from the rest.
    """
    from bottega.app import load_rooms

    load_rooms()
    if file.exists():
        raise Conflict(f"{file} exists already. Choose another name, or move it away.")
    with bars() as tell:
        rows = asyncio.run(_export(load_settings(), file, user, tell))
    answer = {"file": str(file), "rows": rows, "user": user}
    present(answer, _print_exported, as_json=as_json)


def import_file(
    file: Annotated[Path, typer.Argument(help="What `bottega export` wrote.")],
    as_json: AsJson = False,
) -> None:
    """Add everything from an export, from SQLite or PostgreSQL to either.

    Records whose ids are known are left as they are, so a file may be imported twice, or again
    after it was cut off. A user of the same name is taken for the same person. What is searched by
    is made anew afterwards.
    """
    from bottega.server.logs import configure_logging

    # That vectors are missing after an import is no news.
    configure_logging("error")
    with bars() as tell:
        imported = asyncio.run(_import(load_settings(), file, tell))
    present(imported.model_dump(mode="json"), _print_imported, as_json=as_json)
    if imported.refused:
        raise typer.Exit(1)


async def _export(settings: Settings, file: Path, user: str, tell: Tell) -> int:
    from bottega.core.db.database import Database
    from bottega.core.transfer import export_lines
    from bottega.core.trust.admission import configure
    from bottega.core.trust.secrets import Secrets

    secrets = Secrets(settings.data_dir)
    await secrets.names()
    configure(settings.bottega_secrets, secrets.redact)
    database = Database(settings.database)
    number = 0
    partial = file.with_name(f".{file.name}.{os.getpid()}.tmp")
    await database.start()
    try:
        user_id = await user_named(database, user)
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as output:
            async for number, line in export_lines(database, user_id=user_id):
                output.write(line)
                tell("lines", number, number)
        await asyncio.to_thread(partial.rename, file)
    except OSError as error:
        raise InvalidInput(f"{file} cannot be written: {error.strerror}.") from error
    finally:
        await asyncio.to_thread(partial.unlink, missing_ok=True)
        await database.stop()
    # Without the first and the last line, which are about the file.
    return number - 2


async def _import(settings: Settings, file: Path, tell: Tell) -> "Imported":
    from bottega.app import App
    from bottega.core.transfer import import_lines

    app = App(settings, serves=False)
    await app.core.database.start()
    try:
        imported = await import_lines(
            app.core.database, file, progress=lambda line: tell("lines", line, line)
        )
    finally:
        await app.core.database.stop()
    if imported.imported:
        await rebuild(settings, tell)
    return imported


async def rebuild(settings: Settings, tell: Tell) -> None:
    """Words and vectors of what came in past the rooms."""
    from bottega.app import App

    app = App(settings, serves=False)
    tell("search", 0, 1)
    try:
        await app.start()
        await app.rebuild()
    finally:
        await app.stop()
    tell("search", 1, 1)


async def user_named(database: "Database", name: str) -> str:
    from sqlalchemy import select

    from bottega.core.users import User

    async with database.read() as session:
        found = await session.scalar(select(User.id).where(User.name == name))
    if found is None:
        raise NotFound(f"There is no user {name!r}. `bottega token list` names users with tokens.")
    return found


def _print_exported(answer: Answer) -> None:
    console.print(
        f"[green]Wrote[/green] {answer['rows']} records to {answer['file']}.", soft_wrap=True
    )


def _print_imported(answer: Answer) -> None:
    known = f"known already: {answer['known']}"
    console.print(f"[green]Imported[/green] {answer['imported']} records, {known}.")
    refusals: list[dict[str, Any]] = answer["refusals"]
    if refusals:
        console.print(f"[red]Refused[/red] {answer['refused']}, because they fit nothing here:")
    for each in refusals:
        console.print(f"  line {each['line']}, {each['kind']}: {each['reason']}", soft_wrap=True)


console = Console(stderr=True)


@contextmanager
def bars() -> Iterator[Callable[[str, int, int], None]]:
    """Yields a function of name, done and total; the bars vanish at the end."""
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()
    with Progress(*columns, console=console, transient=True) as shown:
        tasks = {}

        def show(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = shown.add_task(what)
            shown.update(tasks[what], completed=done, total=total)

        yield show
