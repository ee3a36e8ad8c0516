"""`bottega config`: the settings that a person keeps in a file of their own."""

import json
import sys
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bottega.config_file import read_config, write_config
from bottega.errors import ConfigurationError
from bottega.settings import (
    SECRETS,
    Settings,
    check_setting,
    config_path,
    load_settings,
    named_in_environment,
    shown_value,
)

commands = typer.Typer(
    help="Show and change your settings; those in the environment come first.",
    no_args_is_help=True,
)
console = Console()

Name = Annotated[str, typer.Argument(help="A setting, such as BOTTEGA_MODEL.")]


@commands.command("set")
def set_value(
    name: Name,
    value: Annotated[
        str | None, typer.Argument(help="Its value; asked for, and not shown, if left out.")
    ] = None,
) -> None:
    """Write a setting into your `config.toml`, if it is right."""
    if value is None:
        value = typer.prompt(name.upper(), hide_input=name.lower() in SECRETS)
    lower, path = name.lower(), config_path()
    checked = check_setting(name, value)
    settings = read_config(path, Settings.model_fields)
    # Paths are kept as they were typed: `~` means the same tomorrow.
    settings[lower] = checked if isinstance(checked, bool | int) else value
    write_config(path, settings)
    console.print(f"[green]Set[/green] {lower.upper()} in {path}", soft_wrap=True)
    console.print("[dim]A server that runs has to be started again.[/dim]")


@commands.command("unset")
def unset_value(name: Name) -> None:
    """Take a setting out of your `config.toml`."""
    lower, path = name.lower(), config_path()
    settings = read_config(path, Settings.model_fields)
    if lower not in settings:
        raise ConfigurationError(f"{path} does not set {name.upper()}.")
    del settings[lower]
    write_config(path, settings)
    console.print(f"[green]Unset[/green] {lower.upper()} in {path}", soft_wrap=True)


@commands.command("show")
def show_values(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")] = False,
) -> None:
    """Show every setting, where it comes from, and its value; keys are hidden."""
    settings = load_settings()
    in_file = read_config(config_path(), Settings.model_fields)
    rows = [
        {
            "name": name.upper(),
            "value": shown_value(name, getattr(settings, name)),
            "from": _origin(name, in_file),
        }
        for name in Settings.model_fields
    ]
    if as_json:
        sys.stdout.write(json.dumps(rows, indent=2) + "\n")
        return
    table = Table("setting", "value", "from", box=None)
    for row in rows:
        value = "" if row["value"] is None else escape(str(row["value"]))
        origin = str(row["from"])
        table.add_row(str(row["name"]), value, "" if origin == "default" else origin)
    console.print(table)


@commands.command("path")
def show_path() -> None:
    """Print where your `config.toml` is, or would be."""
    sys.stdout.write(f"{config_path()}\n")


def _origin(name: str, in_file: dict[str, object]) -> str:
    if name in named_in_environment():
        return "environment"
    return "config.toml" if name in in_file else "default"
