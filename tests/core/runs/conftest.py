"""A `Runs` on each database, launched on first use and put down after the test."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bottega.core.db.database import Database
from bottega.core.events import EventBus
from bottega.core.runs import Runs
from tests.databases import put_run_database


@pytest.fixture
def system_database_url(database_url: str, tmp_path: Path) -> str:
    """As the app chooses it: a file of its own beside SQLite's, or the same PostgreSQL."""
    is_sqlite = database_url.startswith("sqlite")
    return put_run_database(tmp_path / "runs.db") if is_sqlite else database_url


@pytest.fixture
async def bus(database: Database) -> AsyncIterator[EventBus]:
    bus = EventBus(database)
    await bus.start()
    yield bus
    await bus.stop()


@pytest.fixture
async def runs(database: Database, bus: EventBus, system_database_url: str) -> AsyncIterator[Runs]:
    runs = Runs(database, bus, system_database_url=system_database_url)
    yield runs
    await runs.stop()
