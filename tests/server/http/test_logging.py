"""Log lines: ours and the libraries' come out alike."""

import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from bottega.server.logs import configure_logging


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    root = logging.getLogger()
    before = root.handlers[:], root.level
    yield
    structlog.reset_defaults()
    root.handlers[:], root.level = before


def test_for_machines_every_line_is_one_json_object() -> None:
    stream = io.StringIO()
    configure_logging("info", "json", stream)
    structlog.get_logger().info("door.opened", port=3000)
    structlog.get_logger().debug("door.detail")
    logging.getLogger("some.library").warning("it %s", "creaks")
    try:
        int("boom")
    except ValueError:
        structlog.get_logger().exception("door.broke")
    opened, creaks, broke = map(json.loads, stream.getvalue().splitlines())
    assert (opened["event"], opened["port"], opened["level"]) == ("door.opened", 3000, "info")
    assert (creaks["event"], creaks["level"]) == ("it creaks", "warning")
    assert "ValueError: invalid literal" in broke["exception"]
    assert opened["timestamp"].endswith("Z")


def test_for_people_lines_are_plain_text() -> None:
    stream = io.StringIO()
    configure_logging("warning", "console", stream)
    structlog.get_logger().info("hidden")
    structlog.get_logger().warning("shown", why="it matters")
    assert "hidden" not in stream.getvalue()
    assert "why='it matters'" in stream.getvalue()


def test_the_web_servers_own_chatter_is_left_out() -> None:
    stream = io.StringIO()
    configure_logging("info", "console", stream)
    logging.getLogger("uvicorn.error").info("Started server process")
    logging.getLogger("uvicorn.error").error("something broke")
    assert "Started" not in stream.getvalue()
    assert "something broke" in stream.getvalue()
