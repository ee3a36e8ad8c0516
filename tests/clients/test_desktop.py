"""`bottega desktop` with the real pywebview and Qt, on a display without a screen."""

import asyncio
import json
import os
import socket
import stat
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import ClientConnection, connect

from tests.clients.display import Screen, screen
from tests.clients.installing import programs
from tests.end_to_end.conftest import launch
from tests.processes import clean_environment

pytestmark = pytest.mark.clients

ELSEWHERE = "https://elsewhere.invalid/page"


@pytest.fixture(scope="module")
def toolkit() -> Path:
    """The `bin` of an environment that has what `bottega[desktop]` brings."""
    return programs("pywebview==6.2.1", "PySide6==6.12.0", "QtPy==2.4.3", "python-xlib==0.33")


@pytest.fixture(scope="module")
def display(toolkit: Path) -> Iterator[Screen]:
    with screen(toolkit / "python") as display:
        yield display


@pytest.fixture
def environment(toolkit: Path, display: Screen, tmp_path: Path) -> dict[str, str]:
    """Of a person at that display, whose browser only notes where it was sent."""
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" >> {tmp_path}/opened\n')
    browser.chmod(browser.stat().st_mode | stat.S_IXUSR)
    [packages] = toolkit.parent.glob("lib/python*/site-packages")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        inspector = probe.getsockname()[1]
    return clean_environment(
        PYTHONPATH=os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(packages)]),
        DISPLAY=display.name,
        HOME=str(tmp_path),
        DATA_DIR=str(tmp_path / "data"),
        PORT="0",
        BROWSER=f"{browser} %s",
        # Chromium has no sandbox for root, and refuses to start with it.
        QTWEBENGINE_DISABLE_SANDBOX="1",
        QTWEBENGINE_REMOTE_DEBUGGING=str(inspector),
    )


@asynccontextmanager
async def desktop(environment: dict[str, str], folder: Path) -> AsyncIterator[Process]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bottega", "desktop"), env=environment, cwd=folder
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()


@dataclass(frozen=True)
class Page:
    """What the window shows, through its engine's own inspector."""

    inspector: ClientConnection

    async def evaluate(self, expression: str) -> Any:
        """As if a person had done it: that is what opening a window takes."""
        given = {"expression": expression, "userGesture": True, "returnByValue": True}
        await self.inspector.send(
            json.dumps({"id": 1, "method": "Runtime.evaluate", "params": given})
        )
        while True:
            answer = json.loads(await self.inspector.recv())
            if answer.get("id") == 1:
                return answer["result"]["result"].get("value")


@asynccontextmanager
async def page_of(environment: dict[str, str]) -> AsyncIterator[Page]:
    """When the app has drawn itself."""
    address = f"http://127.0.0.1:{environment['QTWEBENGINE_REMOTE_DEBUGGING']}/json"
    async with asyncio.timeout(120), httpx.AsyncClient(trust_env=False) as http:
        while True:
            try:
                [shown] = (await http.get(address)).json()
                if shown["url"].startswith("http"):
                    break
            except (httpx.HTTPError, ValueError):
                pass
            await asyncio.sleep(0.2)
    async with connect(shown["webSocketDebuggerUrl"], proxy=None) as inspector:
        page = Page(inspector)
        async with asyncio.timeout(60):
            while await page.evaluate("document.querySelector('h1')?.textContent") != "Home":
                await asyncio.sleep(0.1)
        yield page


async def test_the_window_shows_the_app_and_takes_its_server_with_it(
    environment: dict[str, str], display: Screen, tmp_path: Path
) -> None:
    async with desktop(environment, tmp_path) as process:
        async with page_of(environment) as page:
            address = await page.evaluate("location.origin")
            [window] = await asyncio.to_thread(display.windows)
            assert window == {"size": [1280, 860], "class": "bottega", "has_icon": True}
            await page.evaluate(
                "document.body.insertAdjacentHTML('afterbegin',"
                f" '<a id=away href={ELSEWHERE} target=_blank>away</a>');"
                " document.querySelector('#away').click()"
            )
            async with asyncio.timeout(30):
                while not (tmp_path / "opened").exists():
                    await asyncio.sleep(0.1)
            assert await page.evaluate("location.origin") == address
        assert (tmp_path / "opened").read_text().split() == [ELSEWHERE]
        await asyncio.to_thread(display.windows, "resize", "1000", "700")
        await asyncio.to_thread(display.windows, "close")
        assert await asyncio.wait_for(process.wait(), 60) == 0
    assert not (tmp_path / "data" / "server.json").exists()
    with pytest.raises(httpx.ConnectError):
        httpx.get(address, trust_env=False)

    server = launch(tmp_path, DATA_DIR=environment["DATA_DIR"])
    async with desktop(environment, tmp_path) as process:
        async with page_of(environment) as page:
            assert await page.evaluate("location.origin") == server.url
        [window] = await asyncio.to_thread(display.windows, "close")
        assert window["size"] == [1000, 700]
        assert await asyncio.wait_for(process.wait(), 60) == 0
    assert httpx.get(f"{server.url}/health", trust_env=False).is_success
    server.stop()


async def test_a_display_that_is_gone_is_said_and_the_server_stopped(
    environment: dict[str, str], tmp_path: Path
) -> None:
    """Qt ends its whole process then: not ours."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bottega", "desktop"),
        env={**environment, "DISPLAY": ":9999"},
        cwd=tmp_path,
        stderr=asyncio.subprocess.PIPE,
    )
    _, said = await asyncio.wait_for(process.communicate(), 120)
    assert process.returncode == 1
    assert b"The window could not be opened" in said
    assert b"bottega desktop --browser" in said
    assert not (tmp_path / "data" / "server.json").exists()
