"""The assistant's doors, with the plugins that ship."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from bottega.assistant import room as assistant_room
from tests.assistant.house import open_assistant_house
from tests.reception import Reception, receive


@asynccontextmanager
async def open_reception(root: Path) -> AsyncIterator[Reception]:
    async with open_assistant_house(root) as house:
        room = assistant_room.build(house.core, house.memory)
        async with receive(house.core, room) as reception:
            yield reception
