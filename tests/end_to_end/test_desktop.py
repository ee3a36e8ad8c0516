"""`bottega desktop` where there is no window to be had; the window itself is in tests/clients."""

import json
import os
import stat
from pathlib import Path

import httpx
import pytest

from bottega.cli.desktop.window import SMALLEST, Shape
from tests.end_to_end.conftest import Start, run_bottega, run_cold

#: A toolkit that cannot open a window says so and ends its process.
BROKEN_TOOLKIT = """
import sys
sys.exit("could not connect to display")
"""


@pytest.fixture
def toolkit(tmp_path: Path) -> str:
    """A PYTHONPATH on which pywebview is there, and broken; for cold starts, which read it."""
    (tmp_path / "broken" / "webview").mkdir(parents=True)
    (tmp_path / "broken" / "webview" / "__init__.py").write_text(BROKEN_TOOLKIT)
    return os.pathsep.join([str(tmp_path / "broken"), os.environ.get("PYTHONPATH", "")])


def test_without_pywebview_or_a_display_it_says_what_to_do_and_starts_nothing(
    tmp_path: Path, toolkit: str
) -> None:
    data = tmp_path / "data"
    nowhere = {"DATA_DIR": str(data), "DISPLAY": "", "WAYLAND_DISPLAY": ""}
    without = run_bottega("desktop", cwd=tmp_path, **nowhere)
    assert without.returncode == 1
    assert "pipx inject bottega" in without.stderr or "no display" in without.stderr
    blind = run_cold("desktop", cwd=tmp_path, **nowhere, PYTHONPATH=toolkit)
    assert blind.returncode == 1
    assert "There is no display here" in blind.stderr
    for said in (without, blind):
        assert "`bottega desktop --browser`" in said.stderr
    assert not data.exists()


def test_a_window_that_cannot_be_opened_leaves_no_server_behind(
    tmp_path: Path, toolkit: str
) -> None:
    data = tmp_path / "data"
    said = run_cold(
        *("desktop", "--project", str(tmp_path)),
        cwd=tmp_path,
        DATA_DIR=str(data),
        DISPLAY=":1",
        PYTHONPATH=toolkit,
        PORT="0",
    )
    assert said.returncode == 1
    assert "could not connect to display" in said.stderr
    assert "`bottega desktop --browser`" in said.stderr
    assert "http://127.0.0.1:" in (data / "desktop" / "server.log").read_text()
    assert not (data / "server.json").exists()


def test_a_running_server_is_used_and_stays(
    tmp_path: Path, toolkit: str, start_server: Start
) -> None:
    """In the browser, and after a window that could not be opened."""
    server = start_server()
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}\n')
    browser.chmod(browser.stat().st_mode | stat.S_IXUSR)
    data = {"DATA_DIR": str(server.data_dir)}
    said = run_bottega("desktop", "--browser", cwd=tmp_path, BROWSER=f"{browser} %s", **data)
    assert said.returncode == 0, said.stderr
    assert opened.read_text().strip() == server.url
    window = {"DISPLAY": ":1", "PYTHONPATH": toolkit}
    failed = run_cold("desktop", cwd=tmp_path, **window, **data)
    assert failed.returncode == 1
    assert httpx.get(f"{server.url}/health", trust_env=False).is_success


@pytest.mark.parametrize(
    "content", ["", "{", "[]", '{"width": "wide"}', '{"width": null, "height": 1, "maximized": 0}']
)
def test_a_shape_that_is_none_is_the_usual_one(content: str, tmp_path: Path) -> None:
    file = tmp_path / "window.json"
    file.write_text(content)
    assert Shape.remembered(file) == Shape.remembered(tmp_path / "none") == Shape()


def test_a_shape_is_remembered_and_never_too_small(tmp_path: Path) -> None:
    file = tmp_path / "window.json"
    Shape(1000, 700, maximized=True).remember(file)
    assert Shape.remembered(file) == Shape(1000, 700, maximized=True)
    file.write_text(json.dumps({"width": 1, "height": -5, "maximized": False}))
    assert Shape.remembered(file) == Shape(*SMALLEST)
