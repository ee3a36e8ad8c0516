import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from bottega.core.db.database import Database
from bottega.core.rooms import Room
from bottega.server.doors import Mcp
from bottega.server.http import create_server
from bottega.server.options import Options
from bottega.server.process import bind, running
from tests.databases import put_database
from tests.server.http.small_app import Serve, Served, SmallApp


@pytest.fixture
async def serve(tmp_path: Path) -> AsyncIterator[Serve]:
    leave = asyncio.Event()
    keepers: list[asyncio.Task[None]] = []

    # A fixture is set up and torn down in different tasks, which the MCP door's scope forbids.
    async def keep(server: FastAPI, address: asyncio.Future[str]) -> None:
        async with running(server, bind("127.0.0.1", 0)) as url:
            address.set_result(url)
            await leave.wait()

    async with AsyncExitStack() as clients:

        async def start(
            *rooms: Room, options: Options | None = None, mcp: Mcp | None = None
        ) -> Served:
            app = SmallApp(Database(put_database(tmp_path / "bottega.db")), rooms)
            server = create_server(app, options, mcp)
            address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
            keeper = asyncio.create_task(keep(server, address))
            keepers.append(keeper)
            keeper.add_done_callback(lambda _: address.done() or address.cancel())
            url = await address
            http = httpx.AsyncClient(base_url=url, trust_env=False, timeout=10)
            return Served(url, server, app, await clients.enter_async_context(http), clients)

        yield start
    leave.set()
    await asyncio.gather(*keepers)
