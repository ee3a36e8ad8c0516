"""The whole app, served for real, with its owner and a colleague who has a token."""

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI
from websockets.asyncio.client import ClientConnection, connect

from bottega.app import App
from bottega.server.composition import compose
from bottega.server.process import bind, running
from bottega.settings import Settings


@dataclass
class Colleague:
    user_id: str
    token_id: str
    secret: str = field(repr=False)

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.secret}"}


@dataclass
class ServedApp:
    app: App
    server: FastAPI
    url: str
    #: The owner's.
    http: httpx.AsyncClient
    stack: AsyncExitStack = field(repr=False)

    @property
    def project(self) -> Path:
        return self.app.settings.project

    def put(self, path: str, text: str = "SECRET=1\n") -> Path:
        file = self.project / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    async def colleague(self, name: str = "mallory") -> Colleague:
        made = (await self.http.post("/api/tokens", json={"name": "laptop", "user": name})).json()
        return Colleague(made["user_id"], made["id"], made["secret"])

    async def websocket(self, colleague: Colleague | None = None) -> ClientConnection:
        return await self.stack.enter_async_context(
            connect(
                self.url.replace("http", "ws", 1) + "/ws",
                proxy=None,
                additional_headers=colleague.headers if colleague else {},
            )
        )


async def say(socket_: ClientConnection, type_: str, **payload: Any) -> None:
    await socket_.send(json.dumps({"type": type_, "payload": payload, "id": type_}))


async def hear(socket_: ClientConnection, *types: str) -> dict[str, Any]:
    """The next message of one of these types."""
    while True:
        message: dict[str, Any] = json.loads(await socket_.recv())
        if message["type"] in types:
            return message


@asynccontextmanager
async def serve_app(tmp_path: Path, **settings: Any) -> AsyncIterator[ServedApp]:
    project = tmp_path / "project"
    project.mkdir(exist_ok=True)
    given: dict[str, Any] = {"bottega_model": "offline", "data_dir": tmp_path / "data", **settings}
    app = App(Settings(project_dir=project, **given))
    server = compose(app)
    async with (
        AsyncExitStack() as stack,
        running(server, bind("127.0.0.1", 0)) as url,
        httpx.AsyncClient(base_url=url, trust_env=False, timeout=30) as http,
        stack,
    ):
        yield ServedApp(app, server, url, http, stack)
