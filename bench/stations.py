"""How many files and functions of ours one call goes through, asked of a house in this process.

    python -m bench stations

What a reader has to open to follow a call from its door to the database and back. Code that was
imported and not called does not count; work behind the call, in other threads too, does. Before
Python 3.12 only those threads can be watched that begin during the call: what threads of the pool
do (files, parsing, verdicts) is then missing.
"""

import sys
import tempfile
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import bottega
from bottega.app import App
from bottega.core.rooms import Caller, Door
from bottega.settings import Settings

SOURCE = str(Path(bottega.__file__).parent)
QUESTION = "How much notice must a vessel give before it enters the harbour?"


class Stations:
    def __init__(self) -> None:
        self.functions: set[tuple[str, str]] = set()

    @property
    def files(self) -> list[str]:
        return sorted({file for file, _ in self.functions})

    def __call__(self, frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(SOURCE) and code.co_name != "<module>":
            self.functions.add((code.co_filename.removeprefix(SOURCE + "/"), code.co_qualname))


@contextmanager
def watched() -> Iterator[Stations]:
    stations = Stations()
    if sys.version_info >= (3, 12):
        threading.setprofile_all_threads(stations)
    else:
        threading.setprofile(stations)
    sys.setprofile(stations)
    try:
        yield stations
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder, "project")
        project.mkdir()
        settings = Settings(
            data_dir=Path(folder, "data"), project_dir=project, bottega_model="offline"
        )
        app = App(settings, serves=False)
        await app.start()
        try:
            await measure(app)
        finally:
            await app.stop()


async def measure(app: App) -> None:
    tools = {tool.name: tool for room in app.rooms for tool in room.tools}

    async def call(name: str, **arguments: Any) -> Any:
        tool = tools[name]
        return await tool.run(tool.arguments.model_validate(arguments), Caller(Door.MCP))

    async def ask() -> None:
        run = await call("research_start", question=QUESTION, library="harbour")
        await app.core.runs.wait(run.id)

    await make_library(app)
    await call("remember", content="Cents are integers here")
    await show("recall", lambda: call("recall", query="money"))
    await show("research, offline", ask)


async def show(what: str, work: Callable[[], Awaitable[Any]]) -> None:
    # Once before: what is loaded at the first call is no part of the next.
    await work()
    with watched() as stations:
        await work()
    rooms: dict[str, int] = {}
    for file in stations.files:
        rooms[file.partition("/")[0]] = rooms.get(file.partition("/")[0], 0) + 1
    parts = ", ".join(f"{room} {count}" for room, count in sorted(rooms.items()))
    print(f"{what}: {len(stations.files)} files, {len(stations.functions)} functions ({parts})")


async def make_library(app: App) -> None:
    from httpx import ASGITransport, AsyncClient

    from bottega.server.http import create_server

    transport = ASGITransport(create_server(app))
    async with AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
        made = (await http.post("/api/libraries/example")).json()
        await app.core.runs.wait(made["run_id"])
