"""A house with the coach in it, its project, and everything that is said to a person's windows."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from bottega.app import build_core
from bottega.coach.desk.desk import Desk, Desks
from bottega.coach.desk.voice import Voice
from bottega.coach.repository import plans
from bottega.coach.repository.plans import NewPhase, PlanWithPhases
from bottega.coach.skills import Skills
from bottega.core.actions import Action
from bottega.core.llm.gateway import Gateway
from bottega.core.llm.providers import Models, choose
from bottega.core.llm.testing import LoopbackApi
from bottega.core.llm.testing.scripted import ScriptedModels
from bottega.core.services import Core
from bottega.core.sessions import Session, SessionKind
from bottega.core.users import LOCAL_USER
from bottega.memory.room import Memory
from bottega.settings import Settings
from tests.databases import put_database

#: A small project that looks like a real one.
PROJECT = {
    "README.md": "# Bakery\n\nOrders and ovens.\n",
    "src/bakery/__init__.py": "",
    "src/bakery/orders.py": (
        "from bakery.prices import price_of\n\n\n"
        "def total(order):\n    return sum(price_of(item) for item in order)\n"
    ),
    "src/bakery/prices.py": (
        'PRICES = {"bread": 3.2, "roll": 0.45}\n\n\ndef price_of(item):\n    return PRICES[item]\n'
    ),
    "tests/test_orders.py": (
        "from bakery.orders import total\n\n\n"
        'def test_total():\n    assert total(["roll", "roll"]) == 0.9\n'
    ),
}


@dataclass
class Heard:
    """What was broadcast, to whom, in order."""

    type: str
    payload: dict[str, Any]
    user_id: str | None
    project: str | None


@dataclass
class House:
    core: Core
    memory: Memory
    desks: Desks
    voice: Voice
    skills: Skills
    heard: list[Heard] = field(default_factory=list)
    _arrival: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def desk(self) -> Desk:
        return self.desks.of(LOCAL_USER)

    @property
    def project(self) -> Path:
        return self.core.files.root

    def listen(
        self,
        type: str,
        payload: BaseModel | dict[str, Any],
        *,
        user_id: str | None = None,
        project: str | None = None,
    ) -> None:
        if isinstance(payload, BaseModel):
            payload = payload.model_dump(mode="json", by_alias=True)
        self.heard.append(Heard(type, payload, user_id, project))
        self._arrival.set()

    def of_type(self, type: str) -> list[dict[str, Any]]:
        return [heard.payload for heard in self.heard if heard.type == type]

    async def hear(self, type: str, count: int = 1) -> dict[str, Any]:
        """The `count`-th message of a type, when it has been said."""
        async with asyncio.timeout(10):
            while len(self.of_type(type)) < count:
                self._arrival.clear()
                await self._arrival.wait()
        return self.of_type(type)[count - 1]

    async def start_session(
        self, issue_number: int | None = 7, issue_title: str = "Totals are off by a cent"
    ) -> Session:
        return await self.core.sessions.create(
            SessionKind.COACHING,
            self.desks.project,
            user_id=LOCAL_USER,
            issue_number=issue_number,
            issue_title=issue_title,
        )

    async def add_plan(self, *phases: NewPhase, text: str = "A plan") -> PlanWithPhases:
        async with self.core.database.write() as session:
            return await plans.create(session, self.desk.require_session(), text, phases)

    async def actions(self, session_id: str) -> list[Action]:
        """Oldest first."""
        return list(reversed(await self.core.actions.recent(session_id, 1_000)))

    async def action_types(self, session_id: str) -> list[str]:
        return [action.action_type for action in await self.actions(session_id)]


@asynccontextmanager
async def open_house(
    root: Path,
    *,
    model: Any = None,
    api: LoopbackApi | None = None,
    database_url: str | None = None,
    change: Callable[[Core], Core] | None = None,
    **settings: Any,
) -> AsyncIterator[House]:
    """Offline; or with a `ScriptedModel`; or with the real SDK against a loopback API."""
    project = root / "project"
    for path, text in PROJECT.items():
        file = project / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    put_database(root / "data" / "bottega.db")
    core = build_core(
        Settings(
            data_dir=root / "data",
            project_dir=project,
            database_url=database_url,
            bottega_model="offline",
            _env_file=None,
            **settings,
        )
    )
    if model is not None:
        core = replace(core, gateway=Gateway(ScriptedModels(model), core.ledger))
    if api is not None:
        access = api.access(retries=0)
        models = Models(choose("anthropic", access), access)
        core = replace(core, gateway=Gateway(models, core.ledger, sleep=_at_once))
    if change is not None:
        core = change(core)
    memory = Memory(core)
    house = House(core, memory, Desks(core), Voice(core.audience), Skills(core.database))
    core.audience.attach(house.listen)
    await core.database.start()
    for part in (core.bus, core.ledger, core.traces, core.vectors, memory):
        await part.start()
    try:
        yield house
    finally:
        await core.buffer_log.stop()
        await core.gateway.close()
        for stopping in (memory, core.vectors, core.traces, core.ledger, core.bus, core.database):
            await stopping.stop()


async def _at_once(_seconds: float) -> None:
    """No waiting before a retry."""
