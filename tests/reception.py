"""Some rooms behind their doors, in this process: routes, tools and what commands ask."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import typer
from typer.testing import CliRunner, Result

from bottega.cli.connection import Client
from bottega.core.rooms import Room
from bottega.core.runs.following import follow
from bottega.core.services import Core
from bottega.server.http import create_server
from tests.journal.house import Agent


@dataclass
class Reception:
    """What a server serves: the last room is the one that is tried."""

    core: Core
    rooms: Sequence[Room]

    @property
    def agent(self) -> Agent:
        return Agent(self.rooms[-1])

    async def until(self, run_id: str, *types: str) -> None:
        """Wait until the run has told one of these."""
        async with asyncio.timeout(30):
            async for event in follow(self.core.runs, self.core.bus, run_id):
                if getattr(event, "type", None) in types:
                    return

    async def settled(self, run_id: str) -> None:
        """Wait until the run needs somebody or has ended."""
        async with asyncio.timeout(30):
            await self.core.runs.wait(run_id)

    async def start(self) -> None:
        pass

    async def stop(self) -> None:
        pass

    def health(self) -> dict[str, Any]:
        return {}


@asynccontextmanager
async def receive(core: Core, *rooms: Room) -> AsyncIterator[Reception]:
    """With the last room started."""
    room = rooms[-1]
    assert room.start is not None
    assert room.stop is not None
    await room.start()
    try:
        yield Reception(core, rooms)
    finally:
        await core.runs.stop()
        await room.stop()


@asynccontextmanager
async def over_http(reception: Reception) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(app=create_server(reception))
    url = f"http://127.0.0.1/api/{reception.rooms[-1].name}"
    async with httpx.AsyncClient(transport=transport, base_url=url, timeout=60) as http:
        yield http


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
def terminal_at(
    root: Path, opened: Callable[[Path], AbstractAsyncContextManager[Reception]], cli: typer.Typer
) -> Iterator[Terminal]:
    with asyncio.Runner() as runner:
        opening = opened(root)
        reception = runner.run(opening.__aenter__())
        transport = httpx.ASGITransport(app=create_server(reception))
        http = httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", timeout=60)

        def request(method: str, path: str, **options: Any) -> httpx.Response:
            return runner.run(http.request(method, path, **options))

        try:
            yield Terminal(Client(request), cli)
        finally:
            runner.run(http.aclose())
            runner.run(opening.__aexit__(None, None, None))
