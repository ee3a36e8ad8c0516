from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.coach.builders import CoachApp, open_coach


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[CoachApp]:
    """Offline."""
    async with open_coach(tmp_path) as app:
        yield app
