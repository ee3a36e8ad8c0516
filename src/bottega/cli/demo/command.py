"""`bottega demo`: a tour through all rooms, offline, on data of its own."""

import asyncio
import shutil
import signal
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from bottega.cli.demo.guide import Guide
from bottega.cli.demo.workspace import DemoFolder, serving
from bottega.cli.server_process import Server
from bottega.errors import Conflict

console = Console(highlight=False)


def demo(
    stay: Annotated[
        bool | None,
        typer.Option(
            help="Leave the web app open on the demo's data. Default: on a terminal.",
            show_default=False,
        ),
    ] = None,
    keep: Annotated[
        Path | None, typer.Option(help="Work in this new directory, and keep it.", metavar="DIR")
    ] = None,
) -> None:
    """Tour all rooms in a minute: no key, no network, nothing left behind.

    Every step asks the real product through its real doors, on example data in a temporary
    directory. At the end the web app stays open on it until Ctrl-C.
    """
    # Asked to end by either signal, it cleans up.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    home = DemoFolder(make_folder(keep))
    is_kept = keep is not None
    try:
        failed = asyncio.run(show(home, stays=console.is_terminal if stay is None else stay))
        # The log is in there.
        is_kept = is_kept or bool(failed)
    except Exception:
        is_kept = True
        raise
    finally:
        leave(home, is_kept=is_kept)
    if failed:
        raise typer.Exit(1)


def make_folder(keep: Path | None) -> Path:
    if keep is None:
        return Path(tempfile.mkdtemp(prefix="bottega-demo-"))
    try:
        keep.mkdir(parents=True)
    except FileExistsError:
        raise Conflict(
            f"{keep} exists already. Name a new directory to keep the demo in."
        ) from None
    return keep.absolute()


async def show(home: DemoFolder, *, stays: bool) -> list[str]:
    """The whole tour; which stops failed."""
    # Only here: a client of MCP takes a second to load, which no other command should wait for.
    from bottega.cli.demo.doors import open_doors
    from bottega.cli.demo.tour import STOPS, walk

    began = time.monotonic()
    guide = Guide(console)
    console.print(f"[bold]Bottega[/bold], {len(STOPS)} rooms, no key and no network needed.")
    async with AsyncExitStack() as stack:
        with console.status("Starting the server"):
            await asyncio.to_thread(home.copy_examples)
            server = await stack.enter_async_context(serving(home))
        console.print(
            f"The server runs at {server.url}, on example data in {home.folder}.", soft_wrap=True
        )
        async with open_doors(server.url, home) as doors:
            failed = await walk(doors, guide)
        guide.show_results(server.url)
        console.print(f"\n{len(STOPS) - len(failed)} of {len(STOPS)} rooms in {seconds(began)}.")
        if stays and not failed:
            await stay_open(server)
    return failed


def seconds(began: float) -> str:
    return f"{time.monotonic() - began:.0f} seconds"


async def stay_open(server: Server) -> None:
    console.print(f"The web app stays open at [bold]{server.url}[/bold]. Ctrl-C ends it.")
    told_to_stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, told_to_stop.set)
    waits = [asyncio.create_task(each) for each in (told_to_stop.wait(), server.process.wait())]
    await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)


def leave(home: DemoFolder, *, is_kept: bool) -> None:
    if is_kept:
        again = f"DATA_DIR={home.data} PROJECT_DIR={home.project} bottega serve"
        console.print(f"Kept in {home.folder}. Open it again with:\n  {again}", soft_wrap=True)
    else:
        shutil.rmtree(home.folder)
        console.print("Nothing is left behind. Start your own with [bold]bottega serve[/bold].")
