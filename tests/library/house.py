"""A house with the example standards beside it."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bottega.app import build_core
from bottega.core.events import Event
from bottega.core.llm.testing import LoopbackApi
from bottega.core.services import Core
from bottega.memory.room import Memory
from bottega.settings import Settings
from tests.databases import put_database, put_run_database

STANDARDS = Path(__file__).parents[2] / "examples" / "standards"


@dataclass
class House:
    core: Core
    memory: Memory
    #: A copy of the example standards, to be changed at will.
    standards: Path
    heard: list[Event] = field(default_factory=list)


def model_at(api: LoopbackApi | None) -> dict[str, str]:
    """The settings of a house whose model is an API on loopback; without one, nothing."""
    if api is None:
        return {}
    return {
        "bottega_model": "anthropic",
        "anthropic_api_key": "sk-ant-loopback",
        "anthropic_base_url": api.url,
    }


@asynccontextmanager
async def open_house(
    root: Path, *, database_url: str | None = None, **settings: Any
) -> AsyncIterator[House]:
    """Offline, unless the settings say otherwise."""
    project = root / "project"
    project.mkdir(exist_ok=True)
    standards = root / "standards"
    shutil.copytree(STANDARDS, standards, dirs_exist_ok=True)
    put_database(root / "data" / "bottega.db")
    put_run_database(root / "data" / "runs.db")
    core = build_core(
        Settings(
            data_dir=root / "data",
            project_dir=project,
            database_url=database_url,
            _env_file=None,
            **{"bottega_model": "offline", **settings},
        )
    )
    memory = Memory(core)
    house = House(core, memory, standards)
    core.bus.on("*", house.heard.append)
    await core.database.start()
    for part in (core.bus, core.ledger, core.traces, core.vectors, memory):
        await part.start()
    try:
        yield house
    finally:
        await core.runs.stop()
        await core.gateway.close()
        for stopping in (memory, core.vectors, core.traces, core.ledger, core.bus, core.database):
            await stopping.stop()
