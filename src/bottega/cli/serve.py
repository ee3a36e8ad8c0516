"""`bottega serve`, `bottega worker` and `bottega mcp`: the long-lived processes."""

import asyncio
import gc
import os
import secrets
import signal
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.panel import Panel

from bottega.cli.connection import ServerFile, announce, claim_data_dir, withdraw
from bottega.core.footprint import use_one_arena
from bottega.settings import Settings, load_settings, warnings_of

if TYPE_CHECKING:
    from bottega.app import App

console = Console(stderr=True)

ONE_SERVER = (
    "Use that one, stop it, or set DATA_DIR to another directory; with a PostgreSQL DATABASE_URL "
    "any number of servers may share one."
)

Project = Annotated[
    Path | None, typer.Option("--project", help="The project to work on. [PROJECT_DIR]")
]


def serve(
    port: Annotated[int | None, typer.Option(help="The port; 0 picks a free one. [PORT]")] = None,
    host: Annotated[str | None, typer.Option(help="The address to bind. [HOST]")] = None,
    project: Project = None,
) -> None:
    """Start the server: the web app, MCP, REST, WebSocket, events.

    Options win over the environment, the environment over `config.toml`. Stop with Ctrl-C.
    """
    # Everything that is loaded now stays: looking for garbage among it takes a tenth of the start.
    # The server turns it on again when it is ready.
    gc.disable()
    use_one_arena()
    from bottega.app import App
    from bottega.server.composition import compose
    from bottega.server.process import serve as run_server

    settings = load_settings(port=port, host=host, project_dir=project)
    configure_logging(settings)
    token = secrets.token_urlsafe(32)

    def on_ready(url: str) -> None:
        announce(settings.data_dir, ServerFile(url=url, pid=os.getpid(), token=token))
        notify_service_manager()
        greet(settings, url)

    with claim_data_dir(settings, ONE_SERVER):
        try:
            run_server(
                lambda: compose(App(settings), process_token=token),
                settings.host,
                settings.port,
                on_ready,
            )
        finally:
            withdraw(settings.data_dir, token)


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
    import structlog

    from bottega.server.logs import configure_logging as configure

    configure(settings.bottega_log_level, settings.bottega_log_format)
    # A library that only some agents load would read a `.env` of the working directory.
    os.environ.setdefault("FASTMCP_ENV_FILE", os.devnull)
    for warning in warnings_of(settings):
        structlog.get_logger().warning("settings.ignored_or_open", note=warning)


def greet(settings: Settings, url: str) -> None:
    """Print the address, how to connect, and which model answers."""
    from bottega.app import model_mode, project_trust

    mode = model_mode(settings)
    waiting = sum(not each.is_trusted for each in project_trust(settings).list())
    things = "1 thing waits" if waiting == 1 else f"{waiting} things wait"
    brings = f"  [yellow]{things} for `bottega trust`[/yellow]" if waiting else ""
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
            f"Project  {settings.project}{brings}\n"
            f"Model    {answers}",
            title="[bold]Bottega[/bold]",
            subtitle="Ctrl-C stops it",
            border_style="dim",
        ),
        highlight=False,
    )


def notify_service_manager() -> None:
    """Tell systemd (`Type=notify`) that the server answers, if it set `NOTIFY_SOCKET`."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    # A leading @ stands for the zero byte of a socket that has no file.
    path = f"\0{address[1:]}" if address.startswith("@") else address
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.sendto(b"READY=1", path)


async def work(app: "App") -> None:
    """Run queued work until a signal stops it."""
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
    from bottega.server.composition import mcp_door

    await app.start()
    try:
        await mcp_door(app).serve_stdio(room or "")
    finally:
        await app.stop()
