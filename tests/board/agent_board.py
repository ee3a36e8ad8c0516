"""Agents at work: projects and changes as rows with the services that hand work out, and the doors
that agents use, on real files."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from httpx import AsyncClient
from mcp import Client
from sqlalchemy import select, update

from bottega.board.agents.clarifications import Clarifications
from bottega.board.agents.sessions import AgentSessions
from bottega.board.changes.service import Changes
from bottega.board.changes.states import ChangeStatus
from bottega.board.changes.tables import Change, ChangeTransition
from bottega.board.projects.tables import Project
from bottega.board.queue.service import Queue
from bottega.board.room import room_of
from bottega.board.service import Board
from bottega.core import clock
from bottega.core.events import Event
from bottega.core.rooms import Room
from bottega.core.sessions.session import Session
from bottega.core.users import LOCAL_USER
from bottega.server.mcp import McpDoor
from tests.app import Agent
from tests.board.builders import BoardApp, open_board
from tests.mcp_serving import serve_door

ME = LOCAL_USER


@dataclass
class AgentBoard:
    app: BoardApp
    bakery: Project
    sessions: AgentSessions
    queue: Queue
    clarifications: Clarifications

    async def project(self, name: str) -> Project:
        path = str(self.app.projects_dir / name)
        row = Project(name=name, path=path, openspec_path=f"{path}/openspec")
        async with self.app.core.database.write() as session:
            session.add(row)
        return row

    async def change(
        self,
        change_id: str,
        *,
        age: int = 0,
        status: ChangeStatus = ChangeStatus.APPROVED,
        project: Project | None = None,
        **columns: Any,
    ) -> Change:
        """Approved `age` minutes ago."""
        row = Change(
            project_id=(project or self.bakery).id,
            id=change_id,
            title=change_id.replace("-", " "),
            status=status,
            approved_at=clock.now() - timedelta(minutes=age),
            **columns,
        )
        async with self.app.core.database.write() as session:
            session.add(row)
        return row

    async def agent(self, project: Project | None = None) -> str:
        registered = await self.sessions.register(ME, project_id=(project or self.bakery).id)
        return registered.id

    async def holder(self, change_id: str = "add-discounts") -> tuple[str, int]:
        """An agent that holds this change, the only one approved, and its token."""
        await self.change(change_id)
        agent = await self.agent()
        claim = await self.queue.claim(agent, ME)
        assert claim.change is not None
        assert claim.change.id == change_id
        return agent, claim.change.lease_token

    async def silent(self, session_id: str, **ago: float) -> None:
        """Make a session's last sign of life older."""
        seen = clock.now() - timedelta(**ago)
        async with self.app.core.database.write() as session:
            chosen = update(Session).where(Session.id == session_id)
            await session.execute(chosen.values(seen_at=seen))

    async def now(self, change_id: str = "add-discounts") -> Change:
        async with self.app.core.database.read() as session:
            return (await session.scalars(select(Change).where(Change.id == change_id))).one()

    async def history(self, change_id: str = "add-discounts") -> Sequence[ChangeTransition]:
        order = ChangeTransition.transitioned_at, ChangeTransition.id
        wanted = select(ChangeTransition).where(ChangeTransition.change_id == change_id)
        async with self.app.core.database.read() as session:
            return (await session.scalars(wanted.order_by(*order))).all()

    def heard(self, topic: str) -> list[Event]:
        return self.app.events_of(topic)


@asynccontextmanager
async def open_agent_board(
    root: Path, database_url: str | None = None
) -> AsyncIterator[AgentBoard]:
    async with open_board(root, database_url=database_url, projects={}) as app:
        core = app.core
        bakery = Project(name="bakery", path=str(app.projects_dir / "bakery"), openspec_path="")
        async with core.database.write() as session:
            session.add(bakery)
        yield AgentBoard(app, bakery, AgentSessions(core), Queue(core), Clarifications(core))


class Clocks:
    """A wall clock and a monotonic one, which tick together until one is set."""

    def __init__(self) -> None:
        self.wall = clock.now()
        self.ticks = 1_000.0

    def pass_minutes(self, minutes: float) -> None:
        self.wall += timedelta(minutes=minutes)
        self.ticks += minutes * 60

    def now(self) -> datetime:
        return self.wall

    def monotonic(self) -> float:
        return self.ticks


@dataclass
class AgentDoors:
    app: BoardApp
    project: Project
    changes: Changes
    sessions: AgentSessions
    clarifications: Clarifications
    room: Room

    @property
    def rooms(self) -> list[Room]:
        return [self.room]

    async def approve(self, change_id: str = "add-discounts") -> None:
        await self.changes.approve(self.project.id, change_id, LOCAL_USER)

    async def ask(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return await Agent(self.room).ask(tool, arguments)

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return await Agent(self.room)(tool, **arguments)

    async def refused(self, tool: str, **arguments: Any) -> tuple[str, str]:
        return await Agent(self.room).refused(tool, **arguments)

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
        return self.app.http("board")

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
    """The board's services without its timers."""
    async with open_board(root) as app:
        board = Board(app.core, app.memory.recall)
        [project] = (await board.projects.scan()).projects
        await board.sync.start()
        room = room_of(board)
        doors = AgentDoors(app, project, board.changes, board.sessions, board.clarifications, room)
        app.rooms.append(room)
        try:
            yield doors
        finally:
            app.rooms.remove(room)
            await board.sync.stop()
