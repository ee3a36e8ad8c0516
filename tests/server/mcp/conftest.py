"""A real server on a free port for the door, and the official client of either era for it."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

import pytest
from mcp import Client

from tests.mcp_serving import serve_door

#: What `Client(mode=)` calls the two eras.
SESSION_ERA = "legacy"
STATELESS_ERA = "2026-07-28"

Serve = Callable[..., AbstractAsyncContextManager[str]]


@pytest.fixture
def serve() -> Serve:
    """`async with serve(door) as url:` answers real HTTP at that URL."""
    return serve_door


@pytest.fixture(params=[SESSION_ERA, STATELESS_ERA])
def connect(request: pytest.FixtureRequest) -> Callable[[str], Client]:
    """The official client, once for each era of the protocol."""
    return lambda url: Client(url, mode=request.param)
