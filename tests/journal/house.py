"""The whole app around a journal, and an agent that calls its tools as the MCP door does."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bottega.app import App
from bottega.core.rooms import Caller, Door, Room
from bottega.core.services import Core
from bottega.core.users import LOCAL_USER
from bottega.journal.repository import Owner
from bottega.journal.service import Journal
from bottega.journal.transfer import ImportInput
from bottega.server.mcp.calls import ToolCalls
from bottega.settings import Settings
from tests.databases import put_database

START: dict[str, Any] = {
    "domain": "debugging",
    "strategy": "systematic-elimination",
    "goal": "Fix the flaky login test",
    "hypothesis": "A previous test leaves its session behind",
    "action": "Clear the session store in teardown",
    "prediction": "The test passes consistently",
}
CONFIRMED: dict[str, Any] = {
    "status": "confirmed",
    "result": "50 of 50 runs passed",
    "lesson": {"what_worked": "Clearing shared state in teardown", "takeaway": "Isolate tests"},
}
FALSIFIED: dict[str, Any] = {
    "status": "falsified",
    "result": "It still failed 3 of 50 times",
    "surprise": "The session store was empty all along",
    "root_cause": {"category": "wrong-assumption", "description": "The clock was shared, not it"},
}


class Agent:
    """Calls tools with checked arguments and gets what goes over the wire."""

    def __init__(self, room: Room, user_id: str = LOCAL_USER) -> None:
        self._room = room
        self._tools = {tool.name: tool for tool in room.tools}
        self._caller = Caller(Door.MCP, user_id, "agent")

    async def __call__(self, tool: str, **arguments: Any) -> dict[str, Any]:
        result = await self.ask(tool, arguments)
        assert not result["isError"], result["structuredContent"]
        answer: dict[str, Any] = result["structuredContent"]
        return answer

    async def refused(self, tool: str, **arguments: Any) -> tuple[str, str]:
        """The type and the message of the error."""
        result = await self.ask(tool, arguments)
        assert result["isError"], f"{tool} was not refused: {result['structuredContent']}"
        error = result["structuredContent"]["error"]
        return error["type"], error["message"]

    async def ask(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        calls = ToolCalls()
        return await calls.run(self._room.name, self._tools[tool], arguments, self._caller)


@dataclass
class House:
    app: App
    #: A second one on the same files and tables, as another process would have.
    journal: Journal
    agent: Agent

    @property
    def core(self) -> Core:
        return self.app.core

    @property
    def room(self) -> Room:
        return next(room for room in self.app.rooms if room.name == "journal")

    @property
    def owner(self) -> Owner:
        return self.journal.owner(LOCAL_USER)

    @property
    def folder(self) -> Path:
        return Path(self.journal.project, ".claude", "journal")

    def files(self) -> list[str]:
        return sorted(path.name for path in self.folder.glob("*") if path.name != ".lock")

    async def agent_of(self, name: str) -> Agent:
        return Agent(self.room, (await self.core.users.create(name)).id)

    async def fill(self, lines: Sequence[dict[str, Any]]) -> None:
        asked = ImportInput.model_validate({"lines": lines})
        await self.journal.transfer.import_(self.owner, asked.lines)


@asynccontextmanager
async def open_house(
    root: Path, database_url: str | None = None, **more: Any
) -> AsyncIterator[House]:
    project = root / "project"
    project.mkdir(exist_ok=True)
    settings = Settings(
        data_dir=root / "data",
        project_dir=project,
        database_url=database_url,
        bottega_model="offline",
        _env_file=None,
        **more,
    )
    put_database(root / "data" / "bottega.db")
    # The other rooms would take most of the time, and have nothing to do here.
    with patch("bottega.app.ROOMS", ("memory", "journal")):
        app = App(settings, serves=False)
    try:
        await app.start()
        journal = Journal(app.core)
        await journal.start()
        room = next(room for room in app.rooms if room.name == "journal")
        yield House(app, journal, Agent(room))
        await journal.stop()
    finally:
        await app.stop()
