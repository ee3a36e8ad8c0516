"""`bottega doctor`: what is configured, what is missing, and what to do about it."""

import asyncio
import importlib.util
import json
import platform
import shutil
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bottega import __version__
from bottega.cli.connection import find_server
from bottega.errors import BottegaError, Unavailable
from bottega.settings import Settings, load_settings

if TYPE_CHECKING:
    from bottega.core.database import Database

#: Under this much free disk a database may stop in the middle of a write.
LOW_DISK_BYTES = 1_000_000_000


class State(StrEnum):
    OK = "ok"
    #: Works without it, with less.
    OPTIONAL = "optional"
    FAILED = "failed"


MARKS = {
    State.OK: "[green]✓[/green]",
    State.OPTIONAL: "[yellow]○[/yellow]",
    State.FAILED: "[red]✗[/red]",
}


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    state: State
    says: str
    #: What to do; empty when nothing needs doing.
    next_step: str = ""


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")] = False,
) -> None:
    """Say what is configured, what is missing, and what to do.

    Ends with exit code 1 if something must be put right before the server can start.
    """
    checks = list(examine())
    if as_json:
        sys.stdout.write(json.dumps([asdict(check) for check in checks], indent=2) + "\n")
    else:
        show(checks)
    if any(check.state is State.FAILED for check in checks):
        raise typer.Exit(1)


def show(checks: list[Check]) -> None:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for check in checks:
        next_step = f"\n[dim]→ {escape(check.next_step)}[/dim]" if check.next_step else ""
        says = escape(check.says) + next_step
        table.add_row(MARKS[check.state], f"[bold]{check.name}[/bold]", says)
    console = Console()
    console.print(table)
    failed = sum(check.state is State.FAILED for check in checks)
    console.print(
        f"\n[red]{failed} to put right before `bottega serve` can start.[/red]"
        if failed
        else "\n[green]All is well.[/green] The server starts with [bold]bottega serve[/bold]."
    )


def examine() -> Iterator[Check]:
    yield Check(
        "Bottega", State.OK, f"{__version__}, Python {platform.python_version()}, {sys.platform}"
    )
    try:
        settings = load_settings()
    except BottegaError as error:
        yield Check("Settings", State.FAILED, error.message, "correct it, or unset the variable")
        return
    yield _data_dir(settings)
    yield _server(settings)
    yield _attempt("Database", lambda: _database(settings))
    yield Check("Project", State.OK, str(settings.project))
    yield _attempt("Model", lambda: _model(settings))
    yield _vectors(settings)
    yield _citations(settings)
    yield _isolation()
    yield _web_app()
    yield from _programs()


def _attempt(name: str, check: Callable[[], Check]) -> Check:
    try:
        return check()
    except BottegaError as error:
        return Check(name, State.FAILED, error.message)


def _data_dir(settings: Settings) -> Check:
    folder = settings.data_dir
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    says = f"{settings.data_dir}, {free / 1e9:.0f} GB free"
    if free < LOW_DISK_BYTES:
        return Check("Data", State.FAILED, says, "free some disk, or set DATA_DIR elsewhere")
    return Check("Data", State.OK, says)


def _server(settings: Settings) -> Check:
    server = find_server(settings.data_dir)
    if server is not None:
        return Check("Server", State.OK, f"running at {server.url}, process {server.pid}")
    with socket.socket() as probe:
        taken = probe.connect_ex((settings.host, settings.port)) == 0
    if taken:
        return Check(
            "Server",
            State.FAILED,
            f"port {settings.port} is used by another program",
            "set PORT to another one",
        )
    return Check("Server", State.OK, f"not running; port {settings.port} is free")


def _database(settings: Settings) -> Check:
    from bottega.core.database import Database, check_file

    database = Database(settings.database)
    if database.path is not None:
        check_file(database.path)
        state = "ready" if database.path.exists() else "made at the first start"
        return Check("Database", State.OK, f"SQLite, {state}")
    asyncio.run(_reach(database))
    return Check("Database", State.OK, f"PostgreSQL at {database.url.render_as_string()}")


async def _reach(database: "Database") -> None:
    from sqlalchemy import text
    from sqlalchemy.exc import DBAPIError

    try:
        async with database.read() as session:
            await session.execute(text("SELECT 1"))
    except DBAPIError as error:
        raise Unavailable(
            f"{database.url.render_as_string()} does not answer: {error.orig}"
        ) from None
    finally:
        await database.stop()


def _model(settings: Settings) -> Check:
    from bottega.app import model_mode
    from bottega.core.llm.retiring import retires

    mode = model_mode(settings)
    if mode.offline:
        return Check(
            "Model",
            State.OPTIONAL,
            f"offline: {mode.reason}",
            "set ANTHROPIC_API_KEY or OPENAI_API_KEY, or OPENAI_BASE_URL with "
            "BOTTEGA_MODEL=openai:NAME for a model of your own",
        )
    says = f"{mode.provider}: fast {mode.fast}, strong {mode.strong}"
    retiring = {
        setting: f"{model.id} is retired on {day}"
        for setting, model in (
            ("BOTTEGA_FAST_MODEL", mode.fast),
            ("BOTTEGA_STRONG_MODEL", mode.strong),
        )
        if (day := retires(model)) is not None
    }
    if retiring:
        return Check(
            "Model",
            State.OPTIONAL,
            f"{says}; {', '.join(retiring.values())}",
            f"set {' and '.join(retiring)} to a newer one",
        )
    return Check("Model", State.OK, says)


def _vectors(settings: Settings) -> Check:
    if settings.chromadb_url:
        return Check("Vectors", State.OK, f"Chroma at {settings.chromadb_url}")
    return Check("Vectors", State.OK, f"in the database, embedder {settings.bottega_embedder}")


def _citations(settings: Settings) -> Check:
    from bottega.core.entailment import is_installed

    if not settings.bottega_entailment:
        return Check("Citations", State.OK, "judged by rules; BOTTEGA_ENTAILMENT is off")
    if is_installed():
        return Check("Citations", State.OK, "judged by rules and by a small model that reads them")
    return Check(
        "Citations",
        State.OPTIONAL,
        "judged by rules alone, which miss most of what is said in other words",
        "pip install 'bottega[entailment]'",
    )


def _isolation() -> Check:
    from bottega.core.isolation.machine import probe

    machine = asyncio.run(probe())
    if machine.available:
        return Check("Isolation", State.OK, f"katas are run: {', '.join(machine.measures)}")
    return Check("Isolation", State.OPTIONAL, f"katas are read, not run: {machine.why}")


def _web_app() -> Check:
    found = importlib.util.find_spec("bottega.server")
    folder = Path(found.origin or "").parent if found else Path()
    if (folder / "static" / "index.html").exists():
        return Check("Web app", State.OK, "built")
    return Check("Web app", State.OPTIONAL, "not built", "`make web` in a checkout")


def _programs() -> Iterator[Check]:
    uses = {
        "claude": (
            "Claude Code, to connect to Bottega",
            "npm install -g @anthropic-ai/claude-code",
        ),
        "git": ("history of projects", "install git"),
        "gh": ("issues from GitHub", "install the GitHub CLI and run `gh auth login`"),
        "openspec": ("change proposals", "npm install -g @fission-ai/openspec"),
    }
    for program, (use, remedy) in uses.items():
        path = shutil.which(program)
        if path:
            yield Check(program, State.OK, use)
        else:
            yield Check(program, State.OPTIONAL, f"not found: {use}", remedy)
