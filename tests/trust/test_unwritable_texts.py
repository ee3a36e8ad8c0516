"""What JSON can say and nothing can store is the caller's mistake at every door, and told so."""

from pathlib import Path
from typing import Any

import pytest
from mcp import Client

from tests.conftest import Postgres
from tests.trust.served_app import ServedApp, serve_app

HALF = '"half of \\ud800 a pair"'
NUL = '"a \\u0000 character"'
JSON = {"Content-Type": "application/json"}


async def send(served: ServedApp, path: str, body: str) -> Any:
    return await served.http.post(path, content=body, headers=JSON)


async def check_texts(served: ServedApp) -> None:
    kept = await served.http.post("/api/memories", json={"content": "whole cents"})
    assert kept.status_code == 201
    for text in (HALF, NUL):
        for path, body in (
            ("/api/memories", f'{{"content": {text}}}'),
            ("/api/memories/recall", f'{{"query": {text}}}'),
            ("/api/memories/recall", f'{{"query": "cents", "project": {text}}}'),
            ("/api/journal/context", f'{{"query": {text}}}'),
        ):
            answer = await send(served, path, body)
            assert answer.status_code < 500, (path, body, answer.text)
    # With a whole text beside it, only what cannot be stored is in the way.
    answer = await send(served, "/api/memories/recall", f'{{"query": "cents", "project": {HALF}}}')
    assert answer.status_code == 422, answer.text
    assert "surrogate" in answer.json()["error"]["message"]
    async with Client(f"{served.url}/mcp") as agent:
        result = await agent.call_tool("recall", {"query": "cents", "project": "a \x00 character"})
        assert "inside the server" not in str(result.content)


async def test_on_sqlite(tmp_path: Path) -> None:
    async with serve_app(tmp_path) as served:
        await check_texts(served)


async def test_on_postgresql(tmp_path: Path, postgres: Postgres) -> None:
    async with serve_app(tmp_path, database_url=postgres.new_database()) as served:
        await check_texts(served)


@pytest.mark.parametrize("text", [HALF, NUL])
async def test_the_server_goes_on(tmp_path: Path, text: str) -> None:
    async with serve_app(tmp_path) as served:
        await send(served, "/api/memories", f'{{"content": {text}}}')
        whole = await served.http.post("/api/memories", json={"content": "whole"})
        assert whole.status_code == 201
