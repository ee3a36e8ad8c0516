from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.library.builders import LibraryApp, open_library_app


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[LibraryApp]:
    """The example standards are beside it, not in a library."""
    async with open_library_app(tmp_path) as app:
        yield app
