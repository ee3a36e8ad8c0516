"""Projects on disk; projects, changes, sessions and knowledge as rows, where no file is needed."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from bottega.board.changes.states import ChangeStatus
from bottega.board.changes.tables import Change
from bottega.board.knowledge.schemas import BoardTier, NewKnowledge
from bottega.board.knowledge.tables import GlobalKnowledge, ProjectMemory
from bottega.board.projects.tables import Project
from bottega.core.services import Core
from bottega.core.sessions.session import Session, SessionKind
from tests.app import App, make_core, running

#: A project that OpenSpec's own tools accept.
BAKERY = {
    "openspec/project.md": "# Bakery\n\nOrders and ovens.\n",
    "openspec/specs/orders/spec.md": (
        "# orders Specification\n\n## Purpose\n\nHow orders are taken and added up in the "
        "bakery, so that every customer pays what the price list says.\n\n## Requirements\n\n"
        "### Requirement: Totals\n\nThe shop SHALL add up an order in whole cents.\n\n"
        "#### Scenario: Two rolls\n\n- **WHEN** two rolls at 45 cents are ordered\n"
        "- **THEN** the total is 90 cents\n"
    ),
    "openspec/changes/add-discounts/proposal.md": (
        "# Add discounts\n\n## Why\n\nRegular customers ask for a discount on large orders, and "
        "the shop wants to give one.\n\n## What Changes\n\n- A discount from ten rolls on\n\n"
        "## Impact\n\n- Affected specs: orders\n"
    ),
    "openspec/changes/add-discounts/tasks.md": (
        "## 1. Prices\n\n- [ ] 1.1 Read the discount from the price list\n- [ ] 1.2 Apply it to "
        "the total\n\n## 2. Tests\n\n- [ ] 2.1 Cover ten rolls\n"
    ),
    "openspec/changes/add-discounts/specs/orders/spec.md": (
        "## ADDED Requirements\n\n### Requirement: Discounts\n\nThe shop SHALL take ten per cent "
        "off an order of ten rolls or more.\n\n#### Scenario: Ten rolls\n\n- **WHEN** ten rolls "
        "at 45 cents are ordered\n- **THEN** the total is 405 cents\n"
    ),
}


class BoardApp(App):
    """Without the board's room: a test makes the services that it is about."""

    @property
    def projects_dir(self) -> Path:
        return self.root / "projects"


@asynccontextmanager
async def open_board(
    root: Path, *, projects: Mapping[str, Mapping[str, str]] | None = None, **options: Any
) -> AsyncIterator[BoardApp]:
    """With a bakery in `PROJECTS_DIR` unless other projects are given."""
    projects_dir = root / "projects"
    projects_dir.mkdir(parents=True, exist_ok=True)
    for name, files in ({"bakery": BAKERY} if projects is None else projects).items():
        write_project(projects_dir / name, files)
    app = BoardApp(make_core(root, projects_dir=projects_dir, **options), root)
    async with running(app):
        yield app


def write_project(folder: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


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
            "tier": BoardTier.PROJECT,
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
        {"tier": BoardTier.GLOBAL, "category": "pattern", "content": content, **more}
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
