"""The bakery's changes, on disk and in the database, with the parts that keep them together."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bottega.board.changes.changes import Changes
from bottega.board.changes.lifecycle import move
from bottega.board.enums import Actor, ChangeStatus
from bottega.board.projects import Projects
from bottega.board.repository import changes as repository
from bottega.board.syncing.sync import Sync
from bottega.board.tables import Change, ChangeRevision, ChangeTransition, Project
from bottega.core import clock
from bottega.core.sessions import SessionKind
from tests.board.house import House

ID = "add-discounts"


@dataclass
class Desk:
    house: House
    project: Project
    projects: Projects
    sync: Sync
    changes: Changes

    @property
    def folder(self) -> Path:
        return Path(self.project.path) / "openspec/changes"

    @property
    def tasks(self) -> Path:
        return self.folder / ID / "tasks.md"

    @property
    def proposal(self) -> Path:
        return self.folder / ID / "proposal.md"

    async def look(self) -> None:
        await self.sync.project(self.project.id)

    async def row(self, id: str = ID) -> Change:
        async with self.house.core.database.read() as session:
            return await repository.get(session, self.project.id, id)

    async def revisions(self, id: str = ID) -> Sequence[ChangeRevision]:
        async with self.house.core.database.read() as session:
            return await repository.revisions(session, self.project.id, id)

    async def history(self, id: str = ID) -> Sequence[ChangeTransition]:
        async with self.house.core.database.read() as session:
            return await repository.transitions(session, self.project.id, id)

    async def edit_row(self, **values: Any) -> None:
        """As an edit does whose file could not be written."""
        async with self.house.core.database.write() as session:
            row = await repository.hold(session, self.project.id, ID)
            for name, value in values.items():
                setattr(row, name, value)
            row.db_modified_at = clock.now()

    async def assign(self) -> str:
        core = self.house.core
        holder = await core.sessions.create(SessionKind.AGENT, self.project.path)
        async with core.database.write() as session:
            row = await repository.hold(session, self.project.id, ID)
            await move(session, row, ChangeStatus.APPROVED, Actor.USER)
            await move(session, row, ChangeStatus.ASSIGNED, Actor.AGENT, session_id=holder.id)
            row.assigned_session_id = holder.id
        return holder.id

    def heard(self, topic: str) -> list[dict[str, Any]]:
        return [event.payload for event in self.house.heard if event.topic == topic]


@asynccontextmanager
async def open_desk(house: House, program: str = "no-openspec-here") -> AsyncIterator[Desk]:
    """The first project of the house, scanned and synced."""
    projects = Projects(house.core)
    project = (await projects.scan()).projects[0]
    sync = Sync(house.core, projects, program=program)
    desk = Desk(house, project, projects, sync, Changes(house.core, projects, sync))
    await desk.look()
    yield desk
    await sync.stop()
