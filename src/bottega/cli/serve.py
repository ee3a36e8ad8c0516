"""`bottega serve`, `bottega worker` and `bottega mcp`: the long-lived processes."""

import asyncio
import gc
import os
import secrets
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.panel import Panel

from bottega.cli.connection import ServerFile, announce, find_server, withdraw
from bottega.cli.readiness import tell_service_manager
from bottega.core.footprint import use_one_arena
from bottega.errors import Conflict
from bottega.settings import Settings, load_settings

if TYPE_CHECKING:
    from bottega.app import App

console = Console(stderr=True)

Project = Annotated[
    Path | None, typer.Option("--project", help="The project to work on. [PROJECT_DIR]")
]


def serve(
    port: Annotated[int | None, typer.Option(help="The port; 0 picks a free one. [PORT]")] = None,
    host: Annotated[str | None, typer.Option(help="The address to bind. [HOST]")] = None,
    project: Project = None,
) -> None:
    """Start the server: the web app, MCP, REST, WebSocket, events.

    Options win over the environment, the environment over `.env`. Stop with Ctrl-C.
    """
    # Everything that is loaded now stays: looking for garbage among it takes a tenth of the start.
    # The server turns it on again when it is ready.
    gc.disable()
    use_one_arena()
    from bottega.app import App
    from bottega.server.compose import compose
    from bottega.server.serving import serve as run_server

    settings = load_settings(port=port, host=host, project_dir=project)
    configure_logging(settings)
    running = find_server(settings.data_dir)
    if running is not None:
        raise Conflict(
            f"A server runs on {settings.data_dir} already: {running.url}, process {running.pid}. "
            "Use that one, stop it, or set DATA_DIR to another directory."
        )
    token = secrets.token_urlsafe(32)

    def on_ready(url: str) -> None:
        announce(settings.data_dir, ServerFile(url=url, pid=os.getpid(), token=token))
        tell_service_manager()
        greet(settings, url)

    try:
        run_server(
            lambda: compose(App(settings), process_token=token),
            settings.host,
            settings.port,
            on_ready,
        )
    finally:
        withdraw(settings.data_dir)


def worker(project: Project = None) -> None:
    """Work on queued runs beside the servers of the same PostgreSQL."""
    from bottega.app import App

    settings = load_settings(project_dir=project)
    configure_logging(settings)
    asyncio.run(work(App(settings, serves=False)))


def mcp(
    room: Annotated[
        str | None, typer.Option(help="Only this room's tools; all rooms' by default.")
    ] = None,
    project: Project = None,
) -> None:
    """Offer the same MCP tools over standard input and output."""
    from bottega.app import App

    settings = load_settings(project_dir=project)
    configure_logging(settings)
    asyncio.run(speak_stdio(App(settings, serves=False), room))


def configure_logging(settings: Settings) -> None:
    from bottega.server.logging import configure_logging as configure

    configure(settings.bottega_log_level, settings.bottega_log_format)


def greet(settings: Settings, url: str) -> None:
    """What a newcomer needs to know, once: where it is, how to connect, which model answers."""
    from bottega.app import model_mode

    mode = model_mode(settings)
    answers = (
        f"[yellow]offline[/yellow]: {mode.reason}\n"
        "         Set one and start again to have a model answer."
        if mode.offline
        else f"[green]{mode.strong}[/green], quick tasks {mode.fast}"
    )
    console.print(
        Panel.fit(
            f"Open     [bold link={url}]{url}[/bold link]\n"
            f"Connect  claude mcp add --transport http bottega {url}/mcp\n"
            f"Project  {settings.project}\n"
            f"Model    {answers}",
            title="[bold]Bottega[/bold]",
            subtitle="Ctrl-C stops it",
            border_style="dim",
        ),
        highlight=False,
    )


async def work(app: "App") -> None:
    """Run queued work until told to stop."""
    told_to_stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, told_to_stop.set)
    try:
        await app.start()
        await app.core.runs.launch()
        console.print("[green]Working[/green] on queued runs. Ctrl-C stops it.")
        await told_to_stop.wait()
    finally:
        await app.stop()


async def speak_stdio(app: "App", room: str | None) -> None:
    from bottega.server.compose import mcp_door

    await app.start()
    try:
        await mcp_door(app).serve_stdio(room or "")
    finally:
        await app.stop()
