"""A colleague's token, an agent and a link: no door hands out or changes what is closed."""

import asyncio
import json
from pathlib import Path

import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from tests.trust.served_app import ServedApp, hear, say, serve_app

CLOSED = [
    ".env",
    ".git/config",
    ".git/hooks/post-checkout",
    ".bottega/sources/x/config.json",
    ".claude/settings.json",
    "deploy/server.pem",
    "notes.txt",
]


def fill(served: ServedApp) -> None:
    served.put(".env")
    served.put(".git/config")
    served.put(".claude/settings.json")
    served.put("deploy/server.pem")
    served.put("src/main.py", "print(1)\n")
    (served.project / "notes.txt").symlink_to(".env")


def content(project: Path) -> dict[str, str]:
    return {str(path): path.read_text() for path in project.rglob("*") if path.is_file()}


async def test_no_file_that_is_closed_is_had_over_http(tmp_path: Path) -> None:
    async with serve_app(tmp_path) as served:
        fill(served)
        before = content(served.project)
        mallory = await served.colleague()
        for headers in (mallory.headers, {}):
            for path in CLOSED:
                url = "/api/coach/files"
                saved = {"path": path, "content": "mine"}
                answers = [
                    await served.http.get(url, params={"path": path}, headers=headers),
                    await served.http.put(url, json=saved, headers=headers),
                ]
                assert [answer.status_code for answer in answers] == [403, 403], path
                for answer in answers:
                    assert "SECRET" not in answer.text
                    assert "is closed" in answer.json()["error"]["message"]
            tree = (await served.http.get("/api/coach/tree", headers=headers)).text
            for name in (".env", ".git", ".claude", "server.pem", "notes.txt"):
                assert f'"{name}"' not in tree
            assert '"main.py"' in tree
        assert content(served.project) == before


async def test_no_file_that_is_closed_is_had_over_the_websocket(tmp_path: Path) -> None:
    async with serve_app(tmp_path) as served:
        fill(served)
        before = content(served.project)
        socket = await served.websocket(await served.colleague())
        async with asyncio.timeout(30):
            for path in CLOSED:
                await say(socket, "file:open", path=path)
                answer = await hear(socket, "fs:content", "connection:error")
                assert "is closed" in json.dumps(answer), answer
                await say(socket, "file:save", path=path, content="mine")
                answer = await hear(socket, "fs:save_ack", "fs:save_error")
                assert "is closed" in json.dumps(answer), answer
        assert content(served.project) == before


async def test_no_file_that_is_closed_is_had_over_mcp(tmp_path: Path) -> None:
    async with serve_app(tmp_path) as served:
        fill(served)
        async with Client(f"{served.url}/mcp/coach") as client:
            for path in CLOSED:
                result = await client.call_tool("paige_get_buffer", {"path": path})
                assert "SECRET" not in str(result)
                with pytest.raises(MCPError) as refused:
                    await client.read_resource(f"bottega://project/files/{path}")
                assert "SECRET" not in str(refused.value)
            for resource in (await client.list_resources()).resources:
                assert not any(path in str(resource.uri) for path in CLOSED)
