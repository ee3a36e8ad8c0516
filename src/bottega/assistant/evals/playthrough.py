"""One case played to its end, by a user of its own, with a prepared answer at every gate.

Runs and traces belong to a user and are kept, so the users are kept too: as many as cases are
played at once, each emptied before and after a case, so that cases know nothing of each other.
"""

import asyncio
import itertools
import shutil
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from sqlalchemy import delete, select

from bottega.assistant.evals.cases import EvalCase, Variant
from bottega.assistant.loop.runs import AssistantRuns
from bottega.assistant.memory_files.paths import MemoryAccess
from bottega.assistant.memory_files.repository import MemoryEvent, MemoryFile
from bottega.assistant.memory_files.service import MemoryFiles
from bottega.assistant.plugins.catalogue import FoundCommand, plugin_folders
from bottega.assistant.plugins.definition import Plugin
from bottega.assistant.sessions.schemas import AssistantOrder, LoopResult
from bottega.assistant.sessions.service import AssistantSessions
from bottega.assistant.workspace.service import workspace_for
from bottega.conversation.gates import Gate, GateReply
from bottega.core.runs import Run, RunEvent
from bottega.core.services import Core
from bottega.core.traces import SpanRow
from bottega.core.users import User
from bottega.errors import BottegaError, Conflict

#: EvalUsers of this process that are in a case.
_busy: set[str] = set()
#: A turn that asks more often goes round in circles.
MOST_GATES = 40
ACTOR = "evals"


class EvalUsers:
    def __init__(self, core: Core, sessions: AssistantSessions) -> None:
        self._core = core
        self._sessions = sessions

    @asynccontextmanager
    async def borrow(self) -> AsyncIterator[str]:
        """A guest's user id; what they leave behind is gone afterwards."""
        names = (f"eval guest {number}" for number in itertools.count(1))
        name = next(name for name in names if name not in _busy)
        _busy.add(name)
        try:
            user = await self._find(name) or await self._core.users.create(name)
            await self._forget(user.id)
            yield user.id
            await self._forget(user.id)
        finally:
            _busy.discard(name)

    async def _find(self, name: str) -> User | None:
        async with self._core.database.read() as reading:
            found: User | None = await reading.scalar(select(User).where(User.name == name))
        return found

    async def _forget(self, user_id: str) -> None:
        for session in await self._sessions.list(user_id=user_id, limit=1000):
            for run in await self._core.runs.list(session_id=session.id):
                if not run.status.is_final:  # of a process that was stopped
                    await self._core.runs.cancel(run.id)
            await self._sessions.delete(session.id, user_id=user_id)
        async with self._core.database.write() as writing:
            for table in (MemoryEvent, MemoryFile):
                await writing.execute(delete(table).where(table.user_id == user_id))
        folder = self._core.choices.data_dir / "workspaces" / user_id
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class AnsweredGate:
    gate: Gate
    reply: GateReply


@dataclass(frozen=True, slots=True)
class Played:
    case: EvalCase
    variant: Variant
    result: LoopResult | None
    #: Why there is no result.
    error: str | None = None
    #: The workspace as it was before the turn, by path.
    files: Mapping[str, str] = field(default_factory=dict)
    asked: Sequence[AnsweredGate] = ()
    events: Sequence[RunEvent] = ()
    spans: Sequence[SpanRow] = ()
    seconds: float = 0.0

    @property
    def text(self) -> str:
        return self.result.text if self.result else ""


class Player:
    def __init__(self, core: Core, runs: AssistantRuns, memory_files: MemoryFiles) -> None:
        self._core = core
        self._runs = runs
        self._memory_files = memory_files
        self._users = EvalUsers(core, runs.sessions)

    async def play(self, case: EvalCase, variant: Variant) -> Played:
        started = time.perf_counter()
        found = await asyncio.to_thread(plugin_folders(self._core).find, case.command)
        async with self._users.borrow() as user_id:
            files = await self._prepare(case, found.plugin, user_id)
            try:
                run, asked = await self._take_turn(case, variant, found, user_id)
                result: LoopResult = await self._runs.result(run.id)
            except BottegaError as error:
                return Played(case, variant, None, error.message, files)
            seconds = time.perf_counter() - started
            events = await self._runs.events(run.id)
            spans = await self._spans(result.trace_id)
            return Played(case, variant, result, None, files, asked, events, spans, seconds)

    async def _prepare(self, case: EvalCase, plugin: Plugin, user_id: str) -> Mapping[str, str]:
        workspace = workspace_for(self._core, user_id, plugin)
        for path, text in case.files.items():
            await workspace.write(path, text)
        for path, text in case.memory.items():
            await self._memory_files.write(path, text, MemoryAccess(user_id, ACTOR))
        return {path: await workspace.read(path) for path in await workspace.files()}

    async def _take_turn(
        self, case: EvalCase, variant: Variant, found: FoundCommand, user_id: str
    ) -> tuple[Run, Sequence[AnsweredGate]]:
        order = AssistantOrder(
            plugin=found.plugin.name,
            command=found.command.name,
            agent=found.agent.name,
            input=case.input,
            model=variant.model,
            without=list(variant.without),
            permission=case.permission,
        )
        run = await self._runs.start(order, user_id=user_id)
        replies = {kind: list(given) for kind, given in case.replies.items()}
        asked: list[AnsweredGate] = []
        while not (run := await self._runs.wait_until_settled(run.id)).status.is_final:
            gate = await self._runs.gate(run.id)
            if gate is None or len(asked) >= MOST_GATES:
                await self._runs.cancel(run.id)
                raise Conflict(f"The case {case.name!r} came to no end: it asked too often.")
            given = replies.get(gate.kind)
            reply = given.pop(0) if given else GateReply(decision=gate.default)
            asked.append(AnsweredGate(gate, reply))
            await self._runs.reply(run.id, reply, user_id=user_id)
        return run, asked

    async def _spans(self, trace_id: str | None) -> Sequence[SpanRow]:
        await self._core.traces.flush()
        trace = await self._core.traces.get(trace_id or "")
        return [node.span for node in trace.spans]
