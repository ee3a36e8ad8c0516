"""`bottega connect`: Bottega in the configuration of Claude Code, Cursor, VS Code or Codex."""

import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import httpx
import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from bottega.cli.connection import find_server
from bottega.cli.mcp_clients import claude_program
from bottega.cli.mcp_clients.clients import (
    CLIENTS,
    TOKEN,
    ClientName,
    ConfigScope,
    McpClient,
    plugin_folder,
)
from bottega.cli.mcp_clients.config_file import ConfigFile
from bottega.errors import BottegaError, Conflict, InvalidInput
from bottega.settings import load_settings

#: Names that mean every address of this machine; a client needs one of them.
ANYWHERE = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104

console = Console(highlight=False, soft_wrap=True)


def connect(
    client: Annotated[
        ClientName | None, typer.Argument(help="What to connect; without it, list what is.")
    ] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Take out what was put in.")] = False,
    url: Annotated[
        str | None, typer.Option(help="The server. Default: the running one. [BOTTEGA_URL]")
    ] = None,
    scope: Annotated[
        ConfigScope | None,
        typer.Option(help="For all your work, or in this folder. VS Code: this folder."),
    ] = None,
    token: Annotated[
        bool,
        typer.Option("--token", help=f"The program sends the token that it finds in {TOKEN}."),
    ] = False,
) -> None:
    """Connect a coding agent or editor to this server, or list what is connected.

    Everything else in the program's file stays as it is, comments too, and a copy of the file is
    kept beside it.
    """
    if client is None:
        if undo:
            raise InvalidInput("Say what to disconnect, such as `bottega connect cursor --undo`.")
        show_connections()
        return
    chosen = CLIENTS[client]
    file = chosen.file(scope or chosen.default_scope, Path.cwd())
    # Claude Code writes its own file all the time.
    is_its_own = client is ClientName.CLAUDE_CODE and scope is not ConfigScope.PROJECT
    program = claude_program.find() if is_its_own else None
    if undo:
        remove(chosen, file, program)
    else:
        put(chosen, file, program, endpoint(url), sends_token=token)


def put(
    client: McpClient, file: ConfigFile, program: str | None, url: str, *, sends_token: bool
) -> None:
    entry, where = client.entry(url, sends_token=sends_token), escape(str(file.path))
    present = file.entry(entry)
    if present == entry:
        console.print(f"{client.title} is connected to {escape(url)} already, in {where}.")
        return
    if present is not None and not client.is_ours(present):
        raise Conflict(
            f"{file.path} has an entry named bottega that was not put there by this command: "
            f"{dict(present)}. Nothing was changed; rename or remove it, and try again."
        )
    copy = claude_program.put(program, file, entry) if program else file.put(entry)
    console.print(f"[green]Connected[/green] {client.title} to {escape(url)}, in {where}.")
    show_copy(copy)
    console.print(client.afterwards)
    if client is CLIENTS[ClientName.CLAUDE_CODE] and (folder := plugin_folder()):
        console.print(
            "The plugin has commands, skills and hooks too, and makes this connection needless:\n"
            f"  claude plugin marketplace add {escape(shlex.quote(str(folder)))}\n"
            "  claude plugin install bottega@bottega"
        )
    if sends_token:
        console.print(
            f"It sends the token that stands in {TOKEN} where {client.title} is started; the file "
            "names the variable only."
        )
    for note in find_problems(url, sends_token=sends_token):
        console.print(f"[yellow]{escape(note)}[/yellow]")


def remove(client: McpClient, file: ConfigFile, program: str | None) -> None:
    present, where = file.entry(), escape(str(file.path))
    if present is None:
        console.print(f"{client.title} is not connected in {where}; nothing was changed.")
        return
    if not client.is_ours(present):
        raise Conflict(
            f"The entry named bottega in {file.path} was not put there by this command, or was "
            f"changed since: {dict(present)}. Nothing was changed; remove it by hand."
        )
    copy = claude_program.take_out(program, file, present) if program else file.take_out()
    console.print(f"[green]Disconnected[/green] {client.title}: {where} is without Bottega.")
    show_copy(copy)


def show_copy(copy: Path | None) -> None:
    if copy is not None:
        console.print(f"The file as it was before: {escape(str(copy))}")


def endpoint(given: str | None) -> str:
    """The address of the MCP endpoint: of the given server, `BOTTEGA_URL` or the running one."""
    address = (given or os.environ.get("BOTTEGA_URL") or _running()).rstrip("/")
    try:
        parts = urlsplit(address)
        wrong = parts.scheme not in ("http", "https") or not parts.hostname
        wrong = wrong or bool(parts.query or parts.fragment or parts.username)
        _ = parts.port
    except ValueError:
        wrong = True
    if wrong or any(mark.isspace() for mark in address):
        raise InvalidInput(
            f"{address!r} is no server's address: give one such as http://127.0.0.1:3000."
        )
    return address if "mcp" in parts.path.split("/") else f"{address}/mcp"


def _running() -> str:
    settings = load_settings()
    server = find_server(settings.data_dir)
    host = ANYWHERE.get(settings.host, settings.host)
    return server.url if server else f"http://{host}:{settings.port}"


def find_problems(url: str, *, sends_token: bool) -> Iterator[str]:
    """Yields the reasons why the connection would not work now."""
    base = url.rpartition("/mcp")[0]
    token = os.environ.get(TOKEN) if sends_token else None
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        answer = httpx.get(f"{base}/api/sessions", headers=headers, timeout=2, trust_env=False)
    except (httpx.HTTPError, httpx.InvalidURL, ValueError):
        yield f"Nobody answers at {base} now: start the server with `bottega serve`."
        return
    if answer.status_code != httpx.codes.UNAUTHORIZED:
        return
    if not sends_token:
        yield "The server asks for a token: connect again with `--token`."
    elif token is None:
        yield (
            f"{TOKEN} is not set in this shell. `bottega token issue` makes one; set it where the "
            "program is started."
        )
    else:
        yield f"The server does not know the token that stands in {TOKEN} here."


def show_connections() -> None:
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for _ in range(4):
        table.add_column(overflow="fold")
    problems: list[str] = []
    for name, client in CLIENTS.items():
        for scope in ConfigScope:
            file = client.file(scope, Path.cwd())
            path = f"[dim]{escape(str(file.path))}[/dim]"
            table.add_row(f"[bold]{name}[/bold]", scope, _state(file, problems), path)
    console.print(table)
    for problem in problems:
        console.print(f"[red]{escape(problem)}[/red]")
    console.print("\nConnect with [bold]bottega connect NAME[/bold]; --undo takes it out again.")


def _state(file: ConfigFile, problems: list[str]) -> str:
    try:
        entry = file.entry()
    except BottegaError as error:
        problems.append(error.message)
        return "[red]not understood[/red]"
    if entry is None:
        return "[dim]not connected[/dim]"
    return f"[green]{escape(str(entry.get('url', 'in another way')))}[/green]"
