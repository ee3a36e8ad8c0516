"""`bottega journal export` and `import`: a journal as a file of JSON Lines."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import Progress

from bottega.core.client import Api
from bottega.errors import InvalidInput
from bottega.journal.printing import console

PATH = "/api/journal"
LINES_AT_ONCE = 500

Project = Annotated[str | None, typer.Option(help="Another project's journal.")]


def export_file(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="Where to write; `-` is the terminal.")],
    project: Project = None,
) -> None:
    """Write every experience and value, one JSON object a line."""
    lines = (json.dumps(line, ensure_ascii=False) + "\n" for line in _pages(context.obj, project))
    if str(file) == "-":
        sys.stdout.writelines(lines)
        return
    count = 0
    with file.open("w", encoding="utf-8") as output:
        for line in lines:
            output.write(line)
            count += 1
    console.print(f"[green]Wrote[/green] {count} lines to {file}.", soft_wrap=True)


def import_file(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="What `export` wrote.", exists=True)],
) -> None:
    """Add experiences and values from a file. Known ids are left as they are."""
    api: Api = context.obj
    lines = list(_lines(file))
    imported = skipped = 0
    with Progress(console=console, transient=True) as progress:
        bar = progress.add_task("Importing", total=len(lines))
        for start in range(0, len(lines), LINES_AT_ONCE):
            some = lines[start : start + LINES_AT_ONCE]
            done = api.post(f"{PATH}/import", json={"lines": some})
            imported, skipped = imported + done["imported"], skipped + done["skipped"]
            progress.advance(bar, len(some))
    console.print(f"[green]Imported[/green] {imported}, known already: {skipped}.")


def _pages(api: Api, project: str | None) -> Iterator[dict[str, Any]]:
    after: str | None = None
    while True:
        page = api.get(f"{PATH}/export", after=after, limit=LINES_AT_ONCE, project=project)
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
