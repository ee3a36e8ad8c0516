"""One turn of a session, from what the person said to what is kept of it.

Its body runs again from the start after a crash or a restart: what reads or changes anything is in
a step, and the rest comes to the same.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from bottega.assistant.gates.gate import Gate, GateReply, Person
from bottega.assistant.loop.artefact import path_for
from bottega.assistant.loop.ending import Ending
from bottega.assistant.loop.parts import Parts
from bottega.assistant.loop.steps import PaidSteps, Telling
from bottega.assistant.loop.tracing import in_trace_of
from bottega.assistant.loop.transcript import Beginning, Kept, Transcript
from bottega.assistant.loop.turn import LoopContext, TaskItem, Turn
from bottega.assistant.orders import AssistantOrder, LoopResult, LoopStatus
from bottega.assistant.plugins.definition import CommandMode
from bottega.core.budgets import Budget
from bottega.core.permissions import PermissionMode
from bottega.core.runs import RunContext
from bottega.core.services import Core
from bottega.core.traces import SpanKind
from bottega.errors import BottegaError

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage


class TurnRunner:
    def __init__(self, core: Core, parts: Parts) -> None:
        self._core = core
        self._parts = parts
        self._transcript = Transcript(core)

    async def run(self, run: RunContext, order: AssistantOrder) -> LoopResult:
        assert run.session_id is not None, "a turn belongs to a session"
        telling = Telling(run)
        attributes = {"plugin": order.plugin, "command": order.command or "", "agent": order.agent}
        try:
            with (
                in_trace_of(run.id) as trace_id,
                self._core.traces.span(
                    "assistant turn",
                    SpanKind.RUN,
                    run_id=run.id,
                    session_id=run.session_id,
                    user_id=run.user_id,
                    attributes=attributes,
                ) as span,
            ):
                result = await self._take_turn(run, order, telling, trace_id)
                span.set_attribute("status", result.status.value)
        except BottegaError:
            await telling.drain()
            raise
        else:
            await telling.drain()
            return result
        finally:
            await telling.stop()

    async def _take_turn(
        self, run: RunContext, order: AssistantOrder, telling: Telling, trace_id: str
    ) -> LoopResult:
        from bottega.assistant.loop.agent_loop import AgentLoop

        assert run.session_id is not None
        begun = await run.step("begin", self._transcript.begin, run.session_id, run.id, order.input)
        turn, steps = await self._make_turn(run, order, telling, begun)
        opening = {"input": order.input, "plugin": order.plugin, "command": order.command}
        telling.tell("turn_started", {**opening, "agent": order.agent, "trace_id": trace_id})
        history = await self._transcript.read(run.session_id, begun.position)
        loop = AgentLoop(self._parts, turn, steps, history)
        try:
            ending = await loop.run()
        except BottegaError:
            # A provider that is away ends the run; what was said stays in the conversation.
            await self._keep(run, turn, loop.messages[len(history) :])
            raise
        if ending.status is LoopStatus.SUCCESS:
            await self._write(turn, ending)
        await self._keep(run, turn, loop.messages[len(history) :])
        return _result(turn, ending, trace_id)

    async def _make_turn(
        self, run: RunContext, order: AssistantOrder, telling: Telling, begun: Beginning
    ) -> tuple[Turn, PaidSteps]:
        assert run.session_id is not None
        plugin = await self._parts.plugin(order.plugin)
        agent = plugin.agent(order.agent)
        limit = order.max_budget_usd
        budget = Budget(agent.meta.max_budget_usd if limit is None else limit)
        steps = PaidSteps(run, budget, telling)
        context = LoopContext(task_progress=[TaskItem(**task) for task in begun.tasks])
        turn = Turn(
            core=self._core,
            order=order,
            run_id=run.id,
            session_id=run.session_id,
            user_id=run.user_id,
            plugin=plugin,
            agent=agent,
            command=plugin.command(order.command) if order.command else None,
            steps=steps,
            person=_InOrder(self._parts.person(run, run.session_id), telling),
            budget=budget,
            context=context,
            input=order.input,
            class_id=begun.class_id,
        )
        return turn, steps

    async def _write(self, turn: Turn, ending: Ending) -> None:
        """Put the output where the command says, and tell of it."""
        template = turn.command.meta.writes if turn.command else None
        path = None
        if template is not None and turn.order.permission == PermissionMode.EXPLORE:
            turn.note("loop", f"Nothing was written to {template}: the mode is explore.")
        elif template is not None:
            path = await turn.steps.step("write artefact", self._write_file, turn, template, ending)
            turn.written.append(path)
        await turn.steps.emit("artefact", {"text": ending.text, "path": path})

    async def _write_file(self, turn: Turn, template: str, ending: Ending) -> str:
        path = path_for(template, turn)
        await self._parts.workspace(turn).write(path, ending.text)
        return path

    async def _keep(self, run: RunContext, turn: Turn, messages: "Sequence[ModelMessage]") -> None:
        is_interactive = turn.command and turn.command.meta.mode is CommandMode.INTERACTIVE
        kept = Kept(
            agent=turn.agent.name,
            class_id=turn.class_id,
            tasks=[asdict(task) for task in turn.context.task_progress],
            artefact=turn.output or None,
            awaits_input=bool(is_interactive) or turn.command is None,
        )
        await run.step("keep", self._transcript.keep, turn.session_id, run.id, messages, kept)


class _InOrder:
    """The person, asked only when all that came before the question has been told."""

    def __init__(self, person: Person, telling: Telling) -> None:
        self._person = person
        self._telling = telling

    async def ask(self, gate: Gate) -> GateReply:
        await self._telling.drain()
        return await self._person.ask(gate)


def _result(turn: Turn, ending: Ending, trace_id: str) -> LoopResult:
    summary = turn.context.summary
    return LoopResult(
        status=ending.status,
        reason=ending.reason,
        hook=ending.hook,
        text=ending.text,
        output=ending.output,
        agent=turn.agent.name,
        turns=summary.turns,
        cost=turn.budget.spent,
        input_tokens=summary.input_tokens,
        output_tokens=summary.output_tokens,
        trace_id=trace_id,
        written=list(dict.fromkeys(turn.written)),
        offline=turn.offline,
    )
