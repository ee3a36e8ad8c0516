from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.app import Agent
from tests.journal.builders import JournalApp, open_journal


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[JournalApp]:
    """On SQLite with embedded vectors."""
    async with open_journal(tmp_path) as app:
        yield app


@pytest.fixture
async def any_app(tmp_path: Path, database_url: str) -> AsyncIterator[JournalApp]:
    """On SQLite with embedded vectors, and on PostgreSQL with pgvector."""
    async with open_journal(tmp_path, database_url) as app:
        yield app


@pytest.fixture
def agent(app: JournalApp) -> Agent:
    return app.agent
