"""`bottega desktop`: the web app in a window of its own, with a server if none runs.

The window is a process of its own: a toolkit that finds no display ends its whole process, and the
server must be stopped in order all the same.
"""

import asyncio
import importlib.util
import os
import signal
import socket
import sys
import webbrowser
from asyncio.subprocess import Process
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

import bottega
from bottega.cli.connection import find_server
from bottega.cli.serve import Project
from bottega.cli.server_process import Server, running, serving
from bottega.errors import Unavailable
from bottega.settings import Settings, load_settings

LOOPBACK = "127.0.0.1"
ICON = Path(bottega.__file__).parent / "server" / "static" / "favicon.svg"
#: What stands in for a window.
INSTEAD = "`bottega desktop --browser` opens it in your browser instead."

console = Console(stderr=True, highlight=False, soft_wrap=True)


def desktop(
    browser: Annotated[
        bool, typer.Option("--browser", help="In your browser, not in a window of its own.")
    ] = False,
    project: Project = None,
) -> None:
    """Open the web app in a window of its own.

    A server that runs on this DATA_DIR is used. With none running, one is started on this machine
    alone, and stopped when the window is closed.
    """
    # Asked to end by either signal, it stops what it started.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    settings = load_settings(project_dir=project)
    problem = None if browser else why_no_window()
    if problem is not None:
        raise Unavailable(problem)
    asyncio.run(show(settings, in_browser=browser))


def why_no_window() -> str | None:
    """What is missing, with the next step."""
    is_linux = sys.platform.startswith("linux")
    if importlib.util.find_spec("webview") is None:
        package = "'pywebview[pyside6]'" if is_linux else "pywebview"
        return (
            "A window needs pywebview, which is not installed. If you installed Bottega with pipx: "
            f"`pipx inject bottega {package}`; with pip: `pip install 'bottega[desktop]'`. "
            f"{INSTEAD}"
        )
    if is_linux and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return (
            "There is no display here: neither DISPLAY nor WAYLAND_DISPLAY is set. Start it from a "
            f"desktop session. {INSTEAD}"
        )
    return None


async def show(settings: Settings, *, in_browser: bool) -> None:
    folder = settings.data_dir / "desktop"
    await asyncio.to_thread(make_folder, folder)
    async with AsyncExitStack() as stack:
        found = await asyncio.to_thread(find_server, settings.data_dir)
        if found is not None:
            url, server = found.url, None
        else:
            with console.status("Starting the server"):
                started = await stack.enter_async_context(start(settings, folder))
            url, server = started.url, started.process
        if in_browser:
            await show_in_browser(url, server)
        else:
            await show_window(url, folder, server)


def make_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise Unavailable(
            f"{folder} cannot be made: {error.strerror}. Set DATA_DIR to a directory of yours."
        ) from None


def start(settings: Settings, folder: Path) -> AbstractAsyncContextManager[Server]:
    """Where it is always, so that what the web app keeps in the window is found again."""
    return serving(
        *("--host", LOOPBACK, "--port", str(free_port(settings.port))),
        *("--project", str(settings.project)),
        data_dir=settings.data_dir,
        log=folder / "server.log",
        folder=Path.cwd(),
        environment=os.environ,
    )


def free_port(wanted: int) -> int:
    """The wanted one, or 0 for any if another program has it."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, wanted))
        except OSError:
            return 0
    return wanted


async def show_in_browser(url: str, server: Process | None) -> None:
    if not await asyncio.to_thread(webbrowser.open, url):
        console.print("No browser could be opened from here.")
    console.print(f"Bottega is at [bold]{url}[/bold].")
    if server is not None:
        console.print("Ctrl-C ends it.")
        await server.wait()
        raise ended(server)


async def show_window(url: str, folder: Path, server: Process | None) -> None:
    """Until the window is closed, or the server that was started for it is gone."""
    log = folder / "window.log"
    log.unlink(missing_ok=True)
    async with running(
        "bottega.cli.desktop.window",
        *(url, str(folder), str(ICON)),
        log=log,
        folder=Path.cwd(),
        environment=os.environ,
    ) as window:
        processes = [window] if server is None else [window, server]
        waits = [asyncio.create_task(process.wait()) for process in processes]
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        if window.returncode is None and server is not None:
            raise ended(server)
        if window.returncode:
            raise Unavailable(f"The window could not be opened: {last_words(log)} {INSTEAD}")


def ended(server: Process) -> Unavailable:
    return Unavailable(
        f"The server ended with {server.returncode}; see `server.log` in DATA_DIR/desktop."
    )


def last_words(log: Path) -> str:
    """What the toolkit said at the end, and where the rest is."""
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines()]
    said = next((line for line in reversed(lines) if line), "it said nothing")
    return f"{said.rstrip('.')}. All of it is in {log}."
