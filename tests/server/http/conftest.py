import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from bottega.core.database import Database
from bottega.core.rooms import Room
from bottega.server.doors import Mcp
from bottega.server.http import create_server
from bottega.server.options import Options
from bottega.server.serving import bind, running
from tests.databases import put_database
from tests.server.http.house import Serve, Served, SmallHouse


@pytest.fixture
async def serve(tmp_path: Path) -> AsyncIterator[Serve]:
    leave = asyncio.Event()
    keepers: list[asyncio.Task[None]] = []

    # A fixture is set up and torn down in different tasks, which the MCP door's scope forbids.
    async def keep(app: FastAPI, address: asyncio.Future[str]) -> None:
        async with running(app, bind("127.0.0.1", 0)) as url:
            address.set_result(url)
            await leave.wait()

    async with AsyncExitStack() as clients:

        async def start(
            *rooms: Room, options: Options | None = None, mcp: Mcp | None = None
        ) -> Served:
            house = SmallHouse(Database(put_database(tmp_path / "bottega.db")), rooms)
            app = create_server(house, options, mcp)
            address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
            keeper = asyncio.create_task(keep(app, address))
            keepers.append(keeper)
            keeper.add_done_callback(lambda _: address.done() or address.cancel())
            url = await address
            http = httpx.AsyncClient(base_url=url, trust_env=False, timeout=10)
            return Served(url, app, house, await clients.enter_async_context(http), clients)

        yield start
    leave.set()
    await asyncio.gather(*keepers)
