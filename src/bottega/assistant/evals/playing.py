"""One case played to its end, with somebody who answers at every gate."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bottega.assistant.evals.cases import EvalCase
from bottega.assistant.evals.guests import Guests
from bottega.assistant.evals.variants import Variant
from bottega.assistant.gates.gate import Gate, GateReply
from bottega.assistant.memory_files.access import Access
from bottega.assistant.memory_files.files import MemoryFiles
from bottega.assistant.orders import AssistantOrder, LoopResult
from bottega.assistant.plugins.definition import Plugin
from bottega.assistant.plugins.loading import FoundCommand, plugin_folders
from bottega.assistant.runs import AssistantRuns
from bottega.assistant.workspace.workspace import workspace_for
from bottega.core.runs import Run, RunEvent
from bottega.core.services import Core
from bottega.core.traces import SpanRow
from bottega.errors import BottegaError, Conflict

#: A turn that asks more often goes round in circles.
MOST_GATES = 40
ACTOR = "evals"


@dataclass(frozen=True, slots=True)
class Asked:
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
    asked: Sequence[Asked] = ()
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
        self._guests = Guests(core, runs.sessions)

    async def play(self, case: EvalCase, variant: Variant) -> Played:
        started = time.perf_counter()
        found = await asyncio.to_thread(plugin_folders(self._core).find, case.command)
        async with self._guests.welcome() as user_id:
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
            await self._memory_files.write(path, text, Access(user_id, ACTOR), vouched=True)
        return {path: await workspace.read(path) for path in await workspace.files()}

    async def _take_turn(
        self, case: EvalCase, variant: Variant, found: FoundCommand, user_id: str
    ) -> tuple[Run, Sequence[Asked]]:
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
        asked: list[Asked] = []
        while not (run := await self._runs.wait_until_settled(run.id)).status.is_final:
            gate = await self._runs.gate(run.id)
            if gate is None or len(asked) >= MOST_GATES:
                await self._runs.cancel(run.id)
                raise Conflict(f"The case {case.name!r} came to no end: it asked too often.")
            given = replies.get(gate.kind)
            reply = given.pop(0) if given else GateReply(decision=gate.default)
            asked.append(Asked(gate, reply))
            await self._runs.reply(run.id, reply, user_id=user_id)
        return run, asked

    async def _spans(self, trace_id: str | None) -> Sequence[SpanRow]:
        await self._core.traces.flush()
        trace = await self._core.traces.get(trace_id or "")
        return [node.span for node in trace.spans]
