"""Projects, changes and sessions as rows, for tests that need no files."""

from bottega.board.enums import ChangeStatus, Tier
from bottega.board.knowledge.items import NewKnowledge
from bottega.board.tables import Change, GlobalKnowledge, Project, ProjectMemory
from bottega.core.services import Core
from bottega.core.sessions import Session, SessionKind


async def add_project(core: Core, name: str, path: str | None = None) -> str:
    folder = path or f"/projects/{name}"
    row = Project(id=name, name=name, path=folder, openspec_path=f"{folder}/openspec")
    async with core.database.write() as session:
        session.add(row)
    return row.id


async def add_change(
    core: Core,
    project_id: str,
    change_id: str,
    *,
    status: ChangeStatus = ChangeStatus.APPROVED,
    session_id: str | None = None,
) -> Change:
    row = Change(
        project_id=project_id,
        id=change_id,
        title=change_id.replace("-", " ").capitalize(),
        status=status,
        assigned_session_id=session_id,
    )
    async with core.database.write() as session:
        session.add(row)
    return row


async def add_session(core: Core, session_id: str, project_dir: str = "/projects/bakery") -> str:
    async with core.database.write() as session:
        session.add(Session(id=session_id, kind=SessionKind.AGENT, project_dir=project_dir))
    return session_id


def lesson(
    content: str, project_id: str, change_id: str | None = None, **more: object
) -> NewKnowledge:
    """Something that a project learned."""
    return NewKnowledge.model_validate(
        {
            "tier": Tier.PROJECT,
            "category": "business_logic",
            "content": content,
            "project_id": project_id,
            "change_id": change_id,
            **more,
        }
    )


def pattern(content: str, **more: object) -> NewKnowledge:
    """Something that holds everywhere."""
    return NewKnowledge.model_validate(
        {"tier": Tier.GLOBAL, "category": "pattern", "content": content, **more}
    )


async def global_row(core: Core, item_id: str) -> GlobalKnowledge:
    async with core.database.read() as session:
        row = await session.get(GlobalKnowledge, item_id)
    assert row is not None
    return row


async def project_row(core: Core, item_id: str) -> ProjectMemory:
    async with core.database.read() as session:
        row = await session.get(ProjectMemory, item_id)
    assert row is not None
    return row
