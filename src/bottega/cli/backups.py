"""`bottega backup` and `bottega restore`: the whole house in one file, and back."""

import asyncio
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.filesize import decimal

from bottega.cli.connection import claim_data_dir, find_server
from bottega.cli.transfer import bars, rebuild
from bottega.core import clock
from bottega.core.doors.client import Answer, present
from bottega.errors import Conflict
from bottega.settings import Settings, load_settings

if TYPE_CHECKING:
    from bottega.core.backup.creation import Installation

console = Console()

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
File = Annotated[Path, typer.Argument(help="What `bottega backup` wrote.", show_default=False)]
PREFIX = "bottega-backup-"
STOP_IT = "Stop it, then restore. Nothing was changed."
FORMS = {
    "sqlite": "SQLite, copied at one moment",
    "pg_dump": "PostgreSQL, by pg_dump",
    "jsonl": "PostgreSQL, row by row",
}


def backup(
    file: Annotated[
        Path | None,
        typer.Argument(help=f"Where to write. Default: {PREFIX}DATE-TIME.tar.gz, here."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write the whole house to one file, while it runs.

    The database, durable runs, and every file under DATA_DIR that cannot be made again: workspaces,
    plugins, agents, credentials and their key. The file holds secrets: it is readable by you alone,
    keep it so. An existing file is never overwritten. Bring it back with `bottega restore FILE`.
    """
    from bottega.app import load_rooms
    from bottega.core.backup.creation import create_backup

    load_rooms()
    target = (file or Path(f"{PREFIX}{clock.now():%Y%m%d-%H%M%S}.tar.gz")).absolute()
    if not target.parent.is_dir():
        raise Conflict(f"There is no folder {target.parent}. Make it, or choose another.")
    with bars() as progress:
        taken = asyncio.run(create_backup(installation_of(load_settings()), target, progress))
    present(taken.model_dump(mode="json"), _print_taken, as_json=as_json)


def restore_file(
    file: File,
    check_only: Annotated[
        bool, typer.Option("--check", help="Only read the file from end to end; change nothing.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Bring a backup back into DATA_DIR, or only check it.

    Stop the server first. What was in DATA_DIR is put aside as DATA_DIR.before-restore-TIME and
    never deleted; a backup of an older version is brought up to date. On PostgreSQL the database
    that DATABASE_URL names must be empty: make a new one and leave the old one as it is.
    """
    from bottega.app import load_rooms
    from bottega.core.backup.archive import DatabaseForm
    from bottega.core.backup.restoration import check, restore

    load_rooms()
    settings = load_settings()
    if check_only:
        with bars() as progress:
            manifest = asyncio.run(check(file, progress))
        present(manifest.model_dump(mode="json"), _print_checked, as_json=as_json)
        return
    running = find_server(settings.data_dir)
    if running is not None:
        raise Conflict(
            f"A server runs on {settings.data_dir}: {running.url}, process {running.pid}. {STOP_IT}"
        )
    is_new = not settings.data_dir.exists()
    alone = nullcontext() if is_new else claim_data_dir(settings, STOP_IT)
    with alone, bars() as progress:
        restored = asyncio.run(restore(installation_of(settings), file, progress))
        if restored.manifest.database is DatabaseForm.JSON_LINES:
            asyncio.run(rebuild(settings, progress))
    present(restored.model_dump(mode="json"), _print_restored, as_json=as_json)


def installation_of(settings: Settings) -> "Installation":
    from bottega.app import run_database
    from bottega.core.backup.creation import Installation

    return Installation(settings.data_dir, settings.database, run_database(settings))


def _print_taken(taken: Answer) -> None:
    manifest = taken["manifest"]
    console.print(
        f"[green]Wrote[/green] {taken['file']}, {decimal(taken['size'])}.", soft_wrap=True
    )
    console.print(f"  {_about(manifest)}", soft_wrap=True)
    if taken["note"]:
        console.print(f"  [yellow]The database is in it {taken['note']}.[/yellow]", soft_wrap=True)
    console.print("  [dim]It holds your secrets: keep it as you keep those.[/dim]")


def _print_checked(manifest: Answer) -> None:
    console.print(f"[green]Whole.[/green] {_about(manifest)}", soft_wrap=True)


def _print_restored(restored: Answer) -> None:
    console.print(f"[green]Restored[/green] {restored['data_dir']}.", soft_wrap=True)
    console.print(f"  {_about(restored['manifest'])}", soft_wrap=True)
    for path in restored["kept"]:
        console.print(f"  What was there is in {path}.", soft_wrap=True)


def _about(manifest: Answer) -> str:
    return (
        f"{len(manifest['files'])} files of {manifest['created_at'][:16]} UTC, version "
        f"{manifest['version']}, schema {manifest['revision']}; {FORMS[manifest['database']]}."
    )
