"""The `bottega` command. Each command is a thin adapter: it asks the house and shows the answer."""

import importlib
import importlib.util
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import cached_property
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape

from bottega import __version__
from bottega.app import ROOMS
from bottega.cli import (
    backups,
    config,
    connect,
    doctor,
    retention,
    serve,
    tokens,
    traces,
    transcripts,
    transfer,
    trust,
)
from bottega.cli.demo.command import demo
from bottega.cli.desktop.command import desktop
from bottega.errors import BottegaError

errors = Console(stderr=True)

cli = typer.Typer(
    name="bottega",
    help="A workshop for coding agents and the people who work with them.",
    epilog="Start with [bold]bottega doctor[/bold], then [bold]bottega serve[/bold].",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
cli.command()(serve.serve)
cli.command()(serve.worker)
cli.command()(serve.mcp)
cli.command()(connect.connect)
cli.command()(doctor.doctor)
cli.command()(demo)
cli.command()(desktop)
cli.command()(backups.backup)
cli.command("restore")(backups.restore_file)
cli.command("export")(transfer.export_file)
cli.command("import")(transfer.import_file)
cli.add_typer(config.commands, name="config")
cli.add_typer(traces.commands, name="trace")
cli.add_typer(retention.commands, name="retention")
cli.add_typer(tokens.commands, name="token")
cli.add_typer(tokens.sign_in_commands, name="sign-ins")
cli.add_typer(transcripts.commands, name="transcripts")
cli.add_typer(trust.commands, name="trust")


@cli.command()
def version() -> None:
    """Print the version."""
    Console().print(__version__)


class Api:
    """Connects on the first call, so that `--help` and bad usage cost nothing."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack

    @cached_property
    def _client(self) -> Any:
        from bottega.cli.connection import connect
        from bottega.server.logs import configure_logging
        from bottega.settings import load_settings

        # What a server would note in its log is of no interest on this terminal.
        configure_logging("warning")
        return self._stack.enter_context(connect(load_settings()))

    def __getattr__(self, name: str) -> Callable[..., Any]:
        method: Callable[..., Any] = getattr(self._client, name)
        return method


def show_version(is_asked: bool) -> None:
    if is_asked:
        version()
        raise typer.Exit


@cli.callback()
def root(
    context: typer.Context,
    _: Annotated[
        bool,
        typer.Option(
            "--version", callback=show_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    context.obj = Api(context.with_resource(ExitStack()))


def add_rooms(asked: str = "") -> None:
    """Every room that has a `commands.py` is a group of commands named after it; what stands in
    its `top_level` are commands of their own. Only the room that is asked for is loaded, if the
    word names one."""
    own = {command.name for command in cli.registered_commands}
    wanted = [asked] if asked in ROOMS else [] if asked in own else ROOMS
    for room in wanted:
        name = f"bottega.{room}.commands"
        if importlib.util.find_spec(name) is not None:
            module = importlib.import_module(name)
            cli.add_typer(module.commands, name=room)
            for command, function in getattr(module, "top_level", {}).items():
                cli.command(command)(function)


def main() -> None:
    add_rooms(next(iter(sys.argv[1:]), ""))
    try:
        cli()
    except BottegaError as error:
        said = escape(error.message)
        errors.print(f"[red]error:[/red] {said}", highlight=False, soft_wrap=True)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
