from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.journal.house import Agent, House, open_house


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    """On SQLite with embedded vectors."""
    async with open_house(tmp_path) as house:
        yield house


@pytest.fixture
async def any_house(tmp_path: Path, database_url: str) -> AsyncIterator[House]:
    """On SQLite with embedded vectors, and on PostgreSQL with pgvector."""
    async with open_house(tmp_path, database_url) as house:
        yield house


@pytest.fixture
def agent(house: House) -> Agent:
    return house.agent
