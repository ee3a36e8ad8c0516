"""The app in a test: a real core on a folder of its own, and the ways to ask it.

    async with open_app(tmp_path, "journal") as app:
        await app.agent_in("journal")("list_ghap_entries")
        await app.http("journal").get("/entries")

What a test puts there first is in the `builders.py` of its room.
"""

import asyncio
import importlib
import json
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import typer
from pydantic_ai.models import Model
from typer.testing import CliRunner, Result

from bottega.app import build_core
from bottega.cli.connection import Client
from bottega.core.events import Event
from bottega.core.llm.gateway import Gateway
from bottega.core.llm.testing import LoopbackApi
from bottega.core.llm.testing.scripted import ScriptedModels
from bottega.core.rooms import Caller, Door, Room
from bottega.core.runs.runs import follow
from bottega.core.services import Core
from bottega.core.users import LOCAL_USER
from bottega.memory.room import Memory
from bottega.server.http import create_server
from bottega.server.mcp.calls import ToolCalls
from bottega.settings import Settings
from tests.databases import put_database, put_run_database

#: For what is done in a moment on a quiet machine.
PATIENCE = 30


class Agent:
    """Calls a room's tools as the MCP door does, with checked arguments and JSON results."""

    def __init__(self, room: Room, user_id: str = LOCAL_USER) -> None:
        self._room = room
        self._tools = {tool.name: tool for tool in room.tools}
        self._caller = Caller(Door.MCP, user_id, "agent")

    async def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        result = await self.ask(tool, arguments)
        assert not result["isError"], result["structuredContent"]
        answer: dict[str, Any] = result["structuredContent"]
        return answer

    async def refused(self, tool: str, **arguments: Any) -> tuple[str, str]:
        """The type and the message of the error."""
        result = await self.ask(tool, arguments)
        assert result["isError"], f"{tool} was not refused: {result['structuredContent']}"
        error = result["structuredContent"]["error"]
        return error["type"], error["message"]

    async def ask(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The whole result of a call, as it goes over the wire."""
        return await ToolCalls().run(self._room.name, self._tools[tool], arguments, self._caller)


class App:
    """A core and some rooms, which a server can serve as it serves the whole app."""

    def __init__(self, core: Core, root: Path, *rooms: str) -> None:
        self.core = core
        self.root = root
        self.memory = Memory(core)
        modules = [importlib.import_module(f"bottega.{name}.room") for name in rooms]
        self.rooms: list[Room] = [module.build(core, self.memory) for module in modules]
        #: Everything that was published, oldest first.
        self.events: list[Event] = []
        core.bus.on("*", self.events.append)

    @property
    def project(self) -> Path:
        return self.core.files.root

    def room(self, name: str) -> Room:
        return next(room for room in self.rooms if room.name == name)

    def agent_in(self, room: str, user_id: str = LOCAL_USER) -> Agent:
        return Agent(self.room(room), user_id)

    def http(self, room: str | None = None) -> httpx.AsyncClient:
        """A client of the real routes, without a port: of a room's, or of them all."""
        url = f"http://127.0.0.1/api/{room}" if room else "http://127.0.0.1"
        transport = httpx.ASGITransport(create_server(self))
        return httpx.AsyncClient(transport=transport, base_url=url, timeout=60)

    def topics(self) -> list[str]:
        return [event.topic for event in self.events]

    def events_of(self, topic: str) -> list[Event]:
        return [event for event in self.events if event.topic == topic]

    def payloads(self, topic: str) -> list[dict[str, Any]]:
        return [event.payload for event in self.events_of(topic)]

    async def new_user(self, name: str) -> str:
        return (await self.core.users.create(name)).id

    async def wait_for(self, run_id: str, *types: str) -> None:
        """Return when the run has emitted an event of one of these types."""
        async with asyncio.timeout(PATIENCE):
            async for event in follow(self.core.runs, self.core.bus, run_id):
                if getattr(event, "type", None) in types:
                    return

    async def run_settled(self, run_id: str) -> None:
        """Return when the run waits for a person or has ended."""
        async with asyncio.timeout(PATIENCE):
            await self.core.runs.wait(run_id)

    async def start(self) -> None:
        core = self.core
        for part in (core.database, core.bus, core.ledger, core.traces, core.vectors):
            await part.start()
        await self.memory.start()
        for room in self._others():
            if room.start is not None:
                await room.start()

    async def stop(self) -> None:
        core = self.core
        await core.runs.stop()
        for room in reversed(self._others()):
            if room.stop is not None:
                await room.stop()
        await self.memory.stop()
        await core.buffer_log.stop()
        await core.gateway.close()
        await core.leases.stop()
        for part in (core.vectors, core.traces, core.ledger, core.bus, core.database):
            await part.stop()

    def _others(self) -> list[Room]:
        """All but memory's room, which a test may not have asked for."""
        return [room for room in self.rooms if room.name != "memory"]

    def health(self) -> dict[str, Any]:
        return {"database": {"kind": self.core.database.dialect}}


def make_settings(
    root: Path, *, database_url: str | None = None, api: LoopbackApi | None = None, **more: Any
) -> Settings:
    """Data and an empty project below `root`; offline, unless a model is to be asked at `api`."""
    (root / "project").mkdir(parents=True, exist_ok=True)
    given: dict[str, Any] = {
        "data_dir": root / "data",
        "project_dir": root / "project",
        "database_url": database_url,
        "bottega_model": "offline",
    }
    if api is not None:
        given |= {
            "bottega_model": "anthropic",
            "anthropic_api_key": "sk-ant-loopback",
            "anthropic_base_url": api.url,
        }
    return Settings(_env_file=None, **given | more)


def make_core(
    root: Path,
    *,
    database_url: str | None = None,
    model: Model | None = None,
    api: LoopbackApi | None = None,
    change: Callable[[Core], Core] = lambda core: core,
    **settings: Any,
) -> Core:
    """On SQLite, unless there is a `database_url`; offline, or with a scripted `model`, or with
    the provider's SDK against the loopback `api`. `change` puts other parts in."""
    made = make_settings(root, database_url=database_url, api=api, **settings)
    put_database(made.data_dir / "bottega.db")
    put_run_database(made.data_dir / "runs.db")
    core = build_core(made)
    if model is not None:
        gateway = Gateway(ScriptedModels(model), core.ledger, traces=core.traces)
        core = replace(core, gateway=gateway)
    return change(core)


@asynccontextmanager
async def open_app(root: Path, *rooms: str, **options: Any) -> AsyncIterator[App]:
    """The named rooms, started, around the memory they share. Options: those of `make_core`."""
    app = App(make_core(root, **options), root, *rooms)
    async with running(app):
        yield app


@asynccontextmanager
async def running(app: App) -> AsyncIterator[None]:
    try:
        await app.start()
        yield
    finally:
        await app.stop()


class Terminal:
    """Commands as a person types them; what a server would log is not theirs."""

    def __init__(self, client: Client, cli: typer.Typer) -> None:
        self._client = client
        self._cli = cli

    def __call__(self, *words: str, input: str | None = None) -> Result:
        runner = CliRunner(env={"COLUMNS": "200", "TERM": "dumb"})
        return runner.invoke(self._cli, list(words), obj=self._client, input=input)

    def said(self, *words: str, input: str | None = None) -> str:
        result = self(*words, input=input)
        assert result.exit_code == 0, (result.output, result.exception)
        return result.stdout

    def json(self, *words: str) -> Any:
        said = self.said(*words, "--json")
        return json.loads(said[said.index("{\n") :])


@contextmanager
def open_terminal(
    opening: AbstractAsyncContextManager[App], cli: typer.Typer
) -> Iterator[Terminal]:
    """Commands are not async, so they get an event loop for the app that they ask."""
    with asyncio.Runner() as runner:
        app = runner.run(opening.__aenter__())
        http = app.http()

        def request(method: str, path: str, **options: Any) -> httpx.Response:
            return runner.run(http.request(method, path, **options))

        try:
            yield Terminal(Client(request), cli)
        finally:
            runner.run(http.aclose())
            runner.run(opening.__aexit__(None, None, None))
