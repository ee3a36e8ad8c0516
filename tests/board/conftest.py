from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.board.builders import BoardApp, open_board


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[BoardApp]:
    """Offline, on SQLite, with the bakery."""
    async with open_board(tmp_path) as app:
        yield app
