"""The research room's doors around the example standards."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from bottega.library import room as library_room
from bottega.research import room as research_room
from tests.reception import Reception, receive
from tests.research.house import open_research_house


@asynccontextmanager
async def open_reception(root: Path) -> AsyncIterator[Reception]:
    async with open_research_house(root) as house:
        rooms = [each.build(house.core, house.memory) for each in (library_room, research_room)]
        async with receive(house.core, *rooms) as reception:
            yield reception
