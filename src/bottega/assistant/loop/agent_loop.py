"""The loop: hooks, then the model and its tools until a final text, then hooks again.

A subagent is the same loop over another turn. Importing this imports Pydantic AI.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic_ai.messages import ModelMessage

from bottega.assistant.hooks.hook import Hook, HookAbort, Point, SubagentCall, Transfer
from bottega.assistant.loop.durable import DurableModel
from bottega.assistant.loop.ending import Ending, Final
from bottega.assistant.loop.floor import Floor
from bottega.assistant.loop.handoffs import Switchboard, TransferTool, context_block
from bottega.assistant.loop.leg import Leg
from bottega.assistant.loop.limits import Limits, LoopStop, Watch
from bottega.assistant.loop.models import is_offline, open_model
from bottega.assistant.loop.parts import AgentTool, Parts
from bottega.assistant.loop.steps import PaidSteps
from bottega.assistant.loop.subagents import (
    NAME,
    SUMMARY_SCHEMA,
    SubagentTool,
    child_turn,
    report,
)
from bottega.assistant.loop.turn import Turn
from bottega.assistant.orders import LoopStatus
from bottega.assistant.plugins.definition import AgentDefinition
from bottega.core.budgets import Budget
from bottega.core.runs.following import tell_delta
from bottega.core.traces import SpanKind
from bottega.errors import BudgetExceeded

LAST_ANSWER = (
    "You have been going round in circles. Call no more tools. With what you have, give your best "
    "final answer now, and say plainly what is missing or unsure in it."
)
BEST_EFFORT = "A best effort: "


class AgentLoop:
    def __init__(
        self,
        parts: Parts,
        turn: Turn,
        steps: PaidSteps,
        history: Sequence[ModelMessage] = (),
        *,
        is_subagent: bool = False,
    ) -> None:
        self._parts = parts
        self._turn = turn
        self._steps = steps
        self._is_subagent = is_subagent
        #: The conversation so far; every call of a tool in it has its answer.
        self.messages = list(history)

    async def run(self) -> Ending:
        turn = self._turn
        try:
            limits = Limits.of(turn.agent, turn.order, is_subagent=self._is_subagent)
            self._watch = Watch(turn.context, limits)
            self._floor = await self._give_floor(turn.agent, turn.budget)
            await self._floor.run_hooks(Point.PRE_LOOP, turn)
            await self._prepare_floor()
            final = await self._speak(turn.input)
            while revision := await self._floor.run_hooks(Point.POST_LOOP, turn):
                final = await self._speak(revision.prompt)
            # Hooks may have put the last touch to the text.
            return Ending(LoopStatus.SUCCESS, turn.output, final.remark, output=final.output)
        except HookAbort as abort:
            return Ending(LoopStatus.HOOK_ABORT, turn.output, abort.reason, abort.hook)
        except LoopStop as stop:
            return Ending(stop.loop_status, turn.output, stop.message)
        except BudgetExceeded as error:  # a hook's or a tool's own question to a model
            return Ending(LoopStatus.MAX_BUDGET, turn.output, error.message)

    async def _speak(self, prompt: str) -> Final:
        """Go on until there is a final text, whoever writes it in the end."""
        while True:
            try:
                outcome = await self._run_leg(prompt)
            except LoopStop as stop:
                if not (stop.is_stall and self._watch.limits.force_finalize_on_stall):
                    raise
                outcome = await self._finalize(stop)
            if isinstance(outcome, Final):
                self._turn.output = outcome.text
                return outcome
            prompt = await self._hand_over(outcome)

    async def _run_leg(self, prompt: str, *, may_use_tools: bool = True) -> Final | Transfer:
        switchboard = Switchboard()
        self._floor.tools = await self._tools(switchboard)
        leg = Leg(self._turn, self._floor, self.messages, may_use_tools=may_use_tools)
        try:
            return await leg.run(prompt, switchboard)
        finally:
            self.messages = leg.messages
            self._turn.context.history = list(leg.messages)

    async def _finalize(self, stop: LoopStop) -> Final:
        self._turn.note("loop", stop.message)
        try:
            outcome = await self._run_leg(LAST_ANSWER, may_use_tools=False)
        except LoopStop as again:
            # Why it stalled says more than that it did so again; other limits speak for themselves.
            raise (stop if again.is_stall else again) from again
        assert isinstance(outcome, Final), "without tools there is no handoff"
        return Final(outcome.text, outcome.output, BEST_EFFORT + stop.message)

    async def _hand_over(self, transfer: Transfer) -> str:
        turn = self._turn
        told = {
            "from": transfer.from_agent,
            "to": transfer.to_agent,
            "context": transfer.context,
        }
        name = f"handoff {transfer.from_agent} to {transfer.to_agent}"
        with turn.core.traces.span(name, SpanKind.RUN, attributes=told):
            await self._floor.run_hooks(Point.ON_HANDOFF, turn, transfer)
            await turn.steps.emit("handoff", told)
            agent = turn.plugin.agents[transfer.to_agent]
            turn.agent = agent
            self._watch.pass_floor(Limits.of(agent, turn.order))
            is_capped = turn.order.max_budget_usd is None and agent.meta.max_budget_usd is not None
            own = turn.budget.child(agent.meta.max_budget_usd) if is_capped else turn.budget
            self._floor = await self._give_floor(agent, own)
            await self._prepare_floor()
        return context_block(transfer)

    async def _give_floor(self, agent: AgentDefinition, budget: Budget) -> Floor:
        order = self._turn.order
        hooks: Sequence[Hook] = ()
        if "hooks" not in order.without:
            callers = [] if self._is_subagent else order.hooks
            # In a thread: a hook may bring long lists of words with it.
            hooks = await asyncio.to_thread(self._parts.resolve_hooks, agent.meta.hooks, callers)
        schema: Mapping[str, Any] | None = agent.meta.output_schema
        if schema is None and self._is_subagent:
            schema = SUMMARY_SCHEMA
        return Floor(agent, budget, self._watch, hooks, self._parts.run_hooks, schema)

    async def _prepare_floor(self) -> None:
        turn, floor = self._turn, self._floor
        prompt = await self._parts.assemble(turn)
        floor.instructions = prompt.text
        told = {"agent": floor.agent.name, "tokens": dict(prompt.tokens_by_section)}
        await turn.steps.emit("prompt_assembled", told)
        meta, gateway = floor.agent.meta, turn.core.gateway
        turn.offline = is_offline(gateway, turn.order, meta)
        model = (
            self._parts.offline_model(turn)
            if turn.offline
            else await open_model(
                gateway, turn.order, meta, session_id=turn.session_id, budget=floor.budget
            )
        )
        floor.model = DurableModel(
            model,
            self._steps.drawing_on(floor.budget),
            f"model {floor.agent.name}",
            self._tell,
            offline_in=turn.core.traces if turn.offline else None,
        )

    async def _tools(self, switchboard: Switchboard) -> list[AgentTool]:
        turn, agent = self._turn, self._floor.agent
        tools: list[AgentTool] = list(await self._parts.tools(turn, agent))
        if self._is_subagent:
            return tools
        agents = turn.plugin.agents
        tools += [
            TransferTool(agents[name], agent.name, switchboard)
            for name in agent.meta.handoffs
            if name in agents
        ]
        others = {name: other for name, other in agents.items() if name != agent.name}
        is_wanted = not agent.meta.tools or NAME in agent.meta.tools
        if others and is_wanted and "subagents" not in turn.order.without:
            tools.append(SubagentTool(others, self._spawn))
        return tools

    async def _spawn(self, agent: AgentDefinition, task: str) -> dict[str, Any]:
        turn, floor = self._turn, self._floor
        await floor.run_hooks(Point.ON_SUBAGENT_START, turn, SubagentCall(agent.name, task))
        await turn.steps.emit("subagent", {"agent": agent.name, "task": task, "state": "started"})
        budget = floor.budget.child(agent.meta.max_budget_usd)
        steps = self._steps.drawing_on(budget)
        child = child_turn(turn, agent, task, budget, steps)
        attributes = {"gen_ai.agent.name": agent.name, "task": task}
        with turn.core.traces.span(
            f"subagent {agent.name}", SpanKind.RUN, attributes=attributes
        ) as span:
            ending = await AgentLoop(self._parts, child, steps, is_subagent=True).run()
            span.set_attribute("status", ending.status.value)
        turn.context.summary.input_tokens += child.context.summary.input_tokens
        turn.context.summary.output_tokens += child.context.summary.output_tokens
        told = report(agent, ending, child)
        await turn.steps.emit("subagent", {**told, "task": task, "state": "ended"})
        call = SubagentCall(agent.name, task, summary=told["summary"])
        await floor.run_hooks(Point.ON_SUBAGENT_END, turn, call)
        return told

    def _tell(self, text: str) -> None:
        turn = self._turn
        if text:
            substep = f"{turn.agent.name}-{turn.context.summary.turns + 1}"
            tell_delta(turn.core.bus, turn.run_id, substep, text, turn.user_id)
