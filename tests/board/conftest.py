from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.board.house import House, open_house


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    """Offline, on SQLite, with the bakery."""
    async with open_house(tmp_path) as house:
        yield house
