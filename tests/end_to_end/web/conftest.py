from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser

from tests.end_to_end.conftest import RunningServer, launch
from tests.end_to_end.web.browsing import Visit, chromium, missing, visiting

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A browser lives in one event loop, so its tests do: to start one takes two seconds."""
    for item in items:
        if item.path.is_relative_to(HERE) and pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest.fixture(autouse=True)
def needs_a_browser() -> None:
    if reason := missing():
        pytest.skip(reason)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with chromium() as opened:
        yield opened


@pytest_asyncio.fixture(loop_scope="session")
async def visit(browser: Browser) -> AsyncIterator[Visit]:
    async with visiting(browser) as opened:
        yield opened


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """One server without a model for all tests of a module: each makes what it needs there."""
    server = launch(tmp_path_factory.mktemp("house"), BOTTEGA_MODEL="offline")
    yield server
    server.stop()


@pytest.fixture(scope="session")
def examples() -> Path:
    return Path(__file__).parents[3] / "examples"
