"""The library's doors around the example standards: tools, routes and what commands ask."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bottega.core.rooms import Room
from bottega.core.services import Core
from bottega.core.users import LOCAL_USER
from bottega.library.desk import Desk, open_desk
from bottega.library.resources import generic_resources
from bottega.library.room import LARGEST_UPLOAD
from bottega.library.routes import router
from bottega.library.tools import generic_tools, own_room
from tests.journal.house import Agent
from tests.library.house import open_house

HARBOUR = "harbour"


@dataclass
class Counter:
    """What a server serves, with the library as its only room."""

    core: Core
    desk: Desk
    standards: Path

    @property
    def rooms(self) -> Sequence[Room]:
        return [
            Room(
                "library",
                tools=generic_tools(self.desk),
                resources=generic_resources(self.desk),
                routes=lambda: [router(self.desk)],
                paths=["/libraries"],
                large_bodies={"/libraries/upload": LARGEST_UPLOAD},
            )
        ]

    def agent(self, user_id: str = LOCAL_USER) -> Agent:
        return Agent(self.rooms[0], user_id)

    def own_agent(self, library: str = HARBOUR) -> Agent:
        return Agent(own_room(self.desk, library))

    async def fill(self) -> None:
        """Take in the example standards."""
        library = await self.desk.libraries.ensure(HARBOUR, "Rules of the harbour")
        await self.desk.ingest.wait(await self.desk.ingest.folder(library, self.standards))

    async def start(self) -> None:
        pass

    async def stop(self) -> None:
        pass

    def health(self) -> dict[str, Any]:
        return {}


@asynccontextmanager
async def open_counter(root: Path) -> AsyncIterator[Counter]:
    async with open_house(root) as house:
        yield Counter(house.core, open_desk(house.core), house.standards)
