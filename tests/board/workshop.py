"""Agents at work: projects and changes as rows, with the parts that hand work out."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import select, update

from bottega.board.agents.clarifications import Clarifications
from bottega.board.agents.sessions import AgentSessions
from bottega.board.enums import ChangeStatus
from bottega.board.queue.queue import Queue
from bottega.board.tables import Change, ChangeTransition, Project
from bottega.core import clock
from bottega.core.events import Event
from bottega.core.sessions import Session
from bottega.core.users import LOCAL_USER
from tests.board.house import House, open_house

ME = LOCAL_USER


@dataclass
class Workshop:
    house: House
    bakery: Project
    sessions: AgentSessions
    queue: Queue
    clarifications: Clarifications

    async def project(self, name: str) -> Project:
        path = str(self.house.projects_dir / name)
        row = Project(name=name, path=path, openspec_path=f"{path}/openspec")
        async with self.house.core.database.write() as session:
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
        async with self.house.core.database.write() as session:
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
        async with self.house.core.database.write() as session:
            chosen = update(Session).where(Session.id == session_id)
            await session.execute(chosen.values(seen_at=seen))

    async def now(self, change_id: str = "add-discounts") -> Change:
        async with self.house.core.database.read() as session:
            return (await session.scalars(select(Change).where(Change.id == change_id))).one()

    async def history(self, change_id: str = "add-discounts") -> Sequence[ChangeTransition]:
        order = ChangeTransition.transitioned_at, ChangeTransition.id
        wanted = select(ChangeTransition).where(ChangeTransition.change_id == change_id)
        async with self.house.core.database.read() as session:
            return (await session.scalars(wanted.order_by(*order))).all()

    def heard(self, topic: str) -> list[Event]:
        return [event for event in self.house.heard if event.topic == topic]


@asynccontextmanager
async def open_workshop(root: Path, database_url: str | None = None) -> AsyncIterator[Workshop]:
    async with open_house(root, database_url=database_url, projects={}) as house:
        core = house.core
        bakery = Project(name="bakery", path=str(house.projects_dir / "bakery"), openspec_path="")
        async with core.database.write() as session:
            session.add(bakery)
        yield Workshop(house, bakery, AgentSessions(core), Queue(core), Clarifications(core))


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
