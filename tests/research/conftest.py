from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.research.builders import ResearchApp, open_research


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[ResearchApp]:
    """Offline, with the example standards in a library."""
    async with open_research(tmp_path) as app:
        yield app
