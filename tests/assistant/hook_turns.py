"""A turn as hooks find it: a real core, plugin, workspace and session, and a person with a script.

Steps give back what a run would have read from its record, so that what hooks keep in them is
known to survive one.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest
from sqlalchemy import select

from bottega.assistant.guardrails.names import find_names
from bottega.assistant.hooks.surroundings import HookDependencies
from bottega.assistant.loop.hooks import Hook, Revision, run_hooks
from bottega.assistant.loop.turn import LoopContext, Turn
from bottega.assistant.memory_files.notebook import MemoryNotebook
from bottega.assistant.memory_files.paths import MemoryAccess, entrypoint_of
from bottega.assistant.memory_files.service import MemoryFiles
from bottega.assistant.plugins.catalogue import PluginFolders
from bottega.assistant.sessions.schemas import AssistantOrder, Point
from bottega.assistant.sessions.service import AssistantSessions
from bottega.assistant.sessions.tables import AssistantDecision
from bottega.conversation.gates import Gate, GateReply, ItemReply
from bottega.conversation.replies import read_reply
from bottega.core.definitions.folders import Origin
from bottega.core.llm.costs import Budget
from bottega.core.llm.testing.scripted import ScriptedModel, Step
from bottega.core.runs.context import adapter_of, result_type
from bottega.core.services import Core
from bottega.core.traces import SpanRow
from bottega.core.users import LOCAL_USER
from tests.app import open_app
from tests.assistant.builders import put_plugin

T = TypeVar("T")

DRAFT = """# Iteration with 3B

## Starter (10 minutes)

Ten quick questions about last week.

## Main activity

Pairs trace a loop on paper.

## Plenary

One thing that surprised you.
"""

CLASS_3B = """# 3B

- Mixed ability, 24 pupils
- Two EAL pupils (Ukrainian)
"""


class Steps:
    """What a step gives comes back as from a record."""

    def __init__(self) -> None:
        self.told: list[tuple[str, Mapping[str, Any]]] = []

    async def step(
        self, name: str, function: Callable[..., Awaitable[T]], *args: Any, **kwargs: Any
    ) -> T:
        adapter = adapter_of(result_type(function))
        value = adapter.dump_python(await function(*args, **kwargs), mode="json")
        result: T = adapter.validate_python(value)
        return result

    async def emit(self, type: str, payload: Mapping[str, Any] | None = None) -> None:
        self.told.append((type, payload or {}))


class ScriptedPerson:
    """Answers with what a door would send: a reply, or a typed line."""

    def __init__(self, *answers: GateReply | str) -> None:
        self.answers = list(answers)
        self.gates: list[Gate] = []

    async def ask(self, gate: Gate) -> GateReply:
        self.gates.append(gate)
        if not self.answers:
            # Not an assertion: a hook's own errors are forgiven.
            pytest.fail(f"nobody expected to be asked: {gate.text}")
        answer = self.answers.pop(0)
        message = answer if isinstance(answer, str) else answer.model_dump(mode="json")
        return read_reply(gate, message)


@dataclass
class TurnApp:
    turn: Turn
    person: ScriptedPerson
    steps: Steps
    core: Core

    @property
    def files(self) -> MemoryFiles:
        return MemoryFiles(self.core.database, self.core.traces)

    @property
    def parts(self) -> HookDependencies:
        return HookDependencies(MemoryNotebook(self.files), find_names)

    async def learn(self, note: str, class_id: str | None = None) -> None:
        """As an earlier session left it."""
        await self.files.write(str(entrypoint_of(class_id)), note, MemoryAccess(LOCAL_USER))

    async def learned(self, class_id: str | None = None) -> str:
        return await self.files.entrypoint(class_id, MemoryAccess(LOCAL_USER))

    @property
    def gate(self) -> Gate:
        """The last one that was shown."""
        return self.person.gates[-1]

    async def before(self, *hooks: Hook) -> None:
        await run_hooks(Point.PRE_LOOP, hooks, self.turn)

    async def after(self, *hooks: Hook) -> Revision | None:
        return await run_hooks(Point.POST_LOOP, hooks, self.turn)

    async def decisions(self) -> Sequence[AssistantDecision]:
        async with self.core.database.read() as session:
            query = select(AssistantDecision).order_by(AssistantDecision.id)
            return (await session.scalars(query)).all()

    async def spans(self, name: str) -> list[SpanRow]:
        await self.core.traces.flush()
        async with self.core.database.read() as session:
            query = select(SpanRow).where(SpanRow.name == name).order_by(SpanRow.started_at)
            return list((await session.scalars(query)).all())


@asynccontextmanager
async def open_turn(
    root: Path,
    *answers: GateReply | str,
    said: str = "a lesson on iteration for 3B",
    output: str = DRAFT,
    steps: Sequence[Step] = (),
    files: Mapping[str, str] | None = None,
    database_url: str | None = None,
    **order: Any,
) -> AsyncIterator[TurnApp]:
    """Offline, unless a model has `steps` to say."""
    put_plugin(root / "plugins", files={"workspace/classes/3B.md": CLASS_3B, **(files or {})})
    model = ScriptedModel(*steps) if steps else None
    async with open_app(root, database_url=database_url, model=model) as app:
        core = app.core
        plugin = PluginFolders(((Origin.OWN, root / "plugins"),)).load("lessons")
        asked = AssistantOrder(
            plugin="lessons",
            agent="planner",
            input=said,
            **{"command": "create-lesson", **order},
        )
        session = await AssistantSessions(core).create(asked, user_id=LOCAL_USER)
        person, own_steps = ScriptedPerson(*answers), Steps()
        turn = Turn(
            core=core,
            order=asked,
            run_id="run_1",
            session_id=session.id,
            user_id=LOCAL_USER,
            plugin=plugin,
            agent=plugin.agents["planner"],
            command=plugin.commands.get(asked.command or ""),
            steps=own_steps,
            person=person,
            budget=Budget(),
            context=LoopContext(),
            input=said,
            output=output,
        )
        yield TurnApp(turn, person, own_steps, core)


def about(item: str, decision: str, text: str | None = None) -> ItemReply:
    return ItemReply(id=item, decision=decision, text=text)
