"""The bakery's board with the doors that agents use, on real files."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from httpx import ASGITransport, AsyncClient
from mcp import Client

from bottega.board.agents.clarifications import Clarifications
from bottega.board.agents.sessions import AgentSessions
from bottega.board.changes.changes import Changes
from bottega.board.knowledge.service import Knowledge
from bottega.board.mcp_prompts import NEXT_WORK
from bottega.board.projects import Projects
from bottega.board.queue.handover import Handover
from bottega.board.queue.progress import Progress
from bottega.board.queue.queue import Queue
from bottega.board.resources import resources
from bottega.board.routes import clarifications as clarification_routes
from bottega.board.routes import queue as queue_routes
from bottega.board.routes import sessions as session_routes
from bottega.board.syncing.sync import Sync
from bottega.board.tables import Project
from bottega.board.tools import tools
from bottega.core.rooms import Caller, Door, Room
from bottega.core.services import Core
from bottega.core.users import LOCAL_USER
from bottega.server.http import create_server
from bottega.server.mcp import McpDoor
from bottega.server.mcp.calls import ToolCalls
from tests.board.house import House, open_house
from tests.mcp_serving import serve_door


@dataclass
class AgentDoors:
    """Also as much of an app as a server needs; the house is started already."""

    house: House
    project: Project
    changes: Changes
    sessions: AgentSessions
    clarifications: Clarifications
    room: Room

    @property
    def core(self) -> Core:
        return self.house.core

    @property
    def rooms(self) -> list[Room]:
        return [self.room]

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    def health(self) -> dict[str, Any]:
        return {}

    async def approve(self, change_id: str = "add-discounts") -> None:
        await self.changes.approve(self.project.id, change_id, LOCAL_USER)

    async def ask(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The whole result of a call, as it goes over the wire."""
        chosen = next(found for found in self.room.tools if found.name == tool)
        return await ToolCalls().run("board", chosen, arguments, Caller(Door.MCP))

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        result = await self.ask(tool, **arguments)
        assert not result["isError"], result["structuredContent"]
        answer: dict[str, Any] = result["structuredContent"]
        return answer

    async def refused(self, tool: str, **arguments: Any) -> tuple[str, str]:
        """The type and the message of the error."""
        result = await self.ask(tool, **arguments)
        assert result["isError"], f"{tool} was not refused: {result['structuredContent']}"
        error = result["structuredContent"]["error"]
        return error["type"], error["message"]

    async def register(self) -> str:
        session = await self.call("board_register_session", project_id=self.project.id)
        return str(session["session_id"])

    async def begin(self) -> tuple[str, dict[str, Any]]:
        """A session with the discounts in its hands: what it says with each call, and its work."""
        await self.approve()
        session_id = await self.register()
        work = (await self.call("board_next_work", session_id=session_id))["work"]
        return session_id, work

    def http(self) -> AsyncClient:
        """Of the real HTTP door."""
        transport = ASGITransport(create_server(self))
        return AsyncClient(transport=transport, base_url="http://localhost/api/board")

    @asynccontextmanager
    async def mcp(self) -> AsyncIterator[Client]:
        """The official client on the real door."""
        async with serve_door(McpDoor(self.rooms)) as url, Client(url) as client:
            yield client


def lease(session_id: str, work: Mapping[str, Any]) -> dict[str, Any]:
    """What a holder says with every word about its change."""
    return {
        "session_id": session_id,
        "change_id": work["change_id"],
        "lease_token": work["lease_token"],
    }


@asynccontextmanager
async def open_agent_doors(root: Path) -> AsyncIterator[AgentDoors]:
    async with open_house(root) as house:
        core = house.core
        projects = Projects(core)
        sync = Sync(core, projects)
        await projects.scan()
        await sync.start()
        changes = Changes(core, projects, sync)
        sessions, queue = AgentSessions(core), Queue(core)
        knowledge, clarifications = Knowledge(core), Clarifications(core)
        await knowledge.start()
        house.memory.recall.add_store(knowledge.project_store)
        house.memory.recall.add_store(knowledge.global_store)
        handover = Handover(core, knowledge)
        room = Room(
            "board",
            tools=tools(
                sessions,
                queue,
                handover,
                Progress(core, queue, changes),
                changes,
                clarifications,
                knowledge,
                house.memory.recall,
            ),
            resources=resources(changes),
            prompts=[NEXT_WORK],
            routes=lambda: [
                session_routes.router(sessions),
                queue_routes.router(queue, handover),
                clarification_routes.router(clarifications),
            ],
            paths=["/board"],
        )
        found = await projects.at(str(house.projects_dir / "bakery"))
        assert found is not None
        try:
            yield AgentDoors(house, found, changes, sessions, clarifications, room)
        finally:
            await knowledge.stop()
            await sync.stop()
