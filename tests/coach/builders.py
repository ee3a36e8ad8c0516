"""The coach's app: a small project, what is said to a person's windows, sessions, plans, gaps and
katas; and what a scripted model was told."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic_ai.messages import ModelRequest
from sqlalchemy import select

from bottega.coach.editor.state import Editors, EditorState, Windows
from bottega.coach.enums import Severity
from bottega.coach.plans import repository as plans
from bottega.coach.plans.repository import NewPhase, PlanWithPhases
from bottega.coach.practice import repository as kata_records
from bottega.coach.practice.schemas import Review
from bottega.coach.practice.service import Practice
from bottega.coach.practice.tables import KataSpec
from bottega.coach.skills import repository as skill_records
from bottega.coach.skills.service import Skills
from bottega.coach.skills.tables import KnowledgeGap
from bottega.core.isolation.machine import Isolation
from bottega.core.llm.gateway import Gateway
from bottega.core.llm.ledger import ApiCall
from bottega.core.llm.providers import Models, choose
from bottega.core.llm.testing import LoopbackApi
from bottega.core.llm.testing.scripted import ScriptedModel
from bottega.core.services import Core
from bottega.core.sessions.actions import Action
from bottega.core.sessions.session import Session, SessionKind
from bottega.core.users import LOCAL_USER
from tests.app import App, make_core, running

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
TESTS = (
    "# doubles a number\nassert double(2) == 4",
    "# nothing doubled is nothing\nassert double(0) == 0",
    "# doubles below zero\nassert double(-3) == -6",
)
NO_STAR = {
    "title": "No multiplication",
    "description": "Without the star.",
    "minLevel": 2,
    "check": "assert '*' not in source, 'there is a star'",
}
READABLE = {"title": "Reads like a sentence", "description": "For a reader.", "minLevel": 5}
GOOD = "def double(number):\n    return number * 2\n"
WRONG = "def double(number):\n    return number * number\n"
NOTES = "Look out for squaring: that is the classic confusion."
#: What a machine without isolation says of itself.
OPEN_MACHINE = Isolation(False, (), ("seccomp",), "this machine does not offer seccomp")


@dataclass
class Broadcast:
    """What was sent to windows, and to whose."""

    type: str
    payload: dict[str, Any]
    user_id: str | None
    project: str | None


class CoachApp(App):
    def __init__(self, core: Core, root: Path) -> None:
        super().__init__(core, root)
        self.editors = Editors(core)
        self.windows = Windows(core.broadcaster)
        self.skills = Skills(core.database)
        #: In order.
        self.broadcasts: list[Broadcast] = []
        self._arrival = asyncio.Event()
        core.broadcaster.attach(self.listen)

    @property
    def editor(self) -> EditorState:
        return self.editors.of(LOCAL_USER)

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
        self.broadcasts.append(Broadcast(type, payload, user_id, project))
        self._arrival.set()

    def of_type(self, type: str) -> list[dict[str, Any]]:
        return [sent.payload for sent in self.broadcasts if sent.type == type]

    async def hear(self, type: str, count: int = 1) -> dict[str, Any]:
        """The `count`-th message of a type, when it has been sent."""
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
            self.editors.project,
            user_id=LOCAL_USER,
            issue_number=issue_number,
            issue_title=issue_title,
        )

    async def add_plan(self, *phases: NewPhase, text: str = "A plan") -> PlanWithPhases:
        async with self.core.database.write() as session:
            return await plans.create(session, self.editor.require_session(), text, phases)

    async def actions(self, session_id: str) -> list[Action]:
        """Oldest first."""
        return list(reversed(await self.core.actions.recent(session_id, 1_000)))

    async def action_types(self, session_id: str) -> list[str]:
        return [action.action_type for action in await self.actions(session_id)]


@asynccontextmanager
async def open_coach(
    root: Path,
    *,
    api: LoopbackApi | None = None,
    change: Callable[[Core], Core] = lambda core: core,
    **options: Any,
) -> AsyncIterator[CoachApp]:
    """On the small project; the model behind `api` is asked once, whatever it answers."""
    for path, text in PROJECT.items():
        file = root / "project" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def changed(core: Core) -> Core:
        return change(core if api is None else replace(core, gateway=_without_retries(core, api)))

    app = CoachApp(make_core(root, change=changed, **options), root)
    async with running(app):
        yield app


def _without_retries(core: Core, api: LoopbackApi) -> Gateway:
    access = api.access(retries=0)
    return Gateway(Models(choose("anthropic", access), access), core.ledger, sleep=_at_once)


async def _at_once(_seconds: float) -> None:
    """No waiting before a retry."""


async def add_gap(
    app: CoachApp,
    topic: str = "Arithmetic",
    severity: Severity = Severity.MEDIUM,
    related: Sequence[str] = (),
) -> KnowledgeGap:
    session_id = app.editor.session_id or (await app.start_session()).id
    async with app.core.database.write() as session:
        gap, _ = await skill_records.record_gap(
            session, LOCAL_USER, session_id, topic, severity, "Seen twice", related
        )
    return gap


async def add_kata(app: CoachApp, gap: KnowledgeGap | None = None, **fields: Any) -> KataSpec:
    gap = gap or await add_gap(app)
    given: dict[str, Any] = {
        "title": "Doubling",
        "description": "Write `double(number)`.",
        "scaffolding_code": "def double(number):\n    ...\n",
        "instructor_notes": NOTES,
        "test_cases": TESTS,
        "constraints": [READABLE, NO_STAR],
    }
    async with app.core.database.write() as session:
        return await kata_records.add_kata(session, gap.id, **given | fields)


async def stored(app: CoachApp, kata: KataSpec) -> tuple[KataSpec, KnowledgeGap]:
    async with app.core.database.read() as session:
        found = await kata_records.kata(session, kata.id, LOCAL_USER)
    assert found is not None
    return found


def practice(app: CoachApp, machine: Isolation | None = None) -> Practice:
    return Practice(app.core, app.windows, app.skills, machine=machine)


def solution(kata: KataSpec, code: str, *constraints: str) -> Review:
    return Review(kata_id=kata.id, user_code=code, active_constraint_titles=list(constraints))


def told_to(model: ScriptedModel, call: int = 0) -> tuple[str, dict[str, Any]]:
    """The instructions and the prompt of a call."""
    [request] = [told for told in model.conversations[call] if isinstance(told, ModelRequest)]
    [text] = [part.content for part in request.parts if part.part_kind == "user-prompt"]
    assert isinstance(text, str)
    return request.instructions or "", json.loads(text)


async def calls(app: CoachApp) -> list[ApiCall]:
    """Oldest first."""
    await app.core.ledger.flush()
    async with app.core.database.read() as session:
        return list(await session.scalars(select(ApiCall).order_by(ApiCall.created_at)))
