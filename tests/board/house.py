"""A house with projects on disk, and everything that is published in it."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bottega.app import build_core
from bottega.core.events import Event
from bottega.core.services import Core
from bottega.memory.room import Memory
from bottega.settings import Settings
from tests.databases import put_database

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


@dataclass
class House:
    core: Core
    memory: Memory
    projects_dir: Path
    heard: list[Event] = field(default_factory=list)

    def topics(self) -> list[str]:
        return [event.topic for event in self.heard]


def write_project(folder: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


@asynccontextmanager
async def open_house(
    root: Path,
    *,
    database_url: str | None = None,
    projects: Mapping[str, Mapping[str, str]] | None = None,
    **settings: Any,
) -> AsyncIterator[House]:
    """Offline, with a bakery in `PROJECTS_DIR` unless other projects are given."""
    projects_dir = root / "projects"
    projects_dir.mkdir(exist_ok=True)
    for name, files in ({"bakery": BAKERY} if projects is None else projects).items():
        write_project(projects_dir / name, files)
    project = root / "project"
    project.mkdir(exist_ok=True)
    put_database(root / "data" / "bottega.db")
    core = build_core(
        Settings(
            data_dir=root / "data",
            project_dir=project,
            projects_dir=projects_dir,
            database_url=database_url,
            bottega_model="offline",
            _env_file=None,
            **settings,
        )
    )
    memory = Memory(core)
    house = House(core, memory, projects_dir)
    core.bus.on("*", house.heard.append)
    await core.database.start()
    for part in (core.bus, core.ledger, core.traces, core.vectors, memory):
        await part.start()
    try:
        yield house
    finally:
        for stopping in (memory, core.vectors, core.traces, core.ledger, core.bus, core.database):
            await stopping.stop()
