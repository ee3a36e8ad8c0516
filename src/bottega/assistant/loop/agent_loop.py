"""The loop: hooks, then the model and its tools until a final text, then hooks again.

A subagent is the same loop over another turn. Importing this imports Pydantic AI.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic_ai.messages import ModelMessage

from bottega.assistant.loop.agent_run import ActiveAgent, AgentRun
from bottega.assistant.loop.durable import DurableModel
from bottega.assistant.loop.hooks import AgentTool, Hook, HookAbort, LoopDependencies, SubagentCall
from bottega.assistant.loop.limits import LimitGuard, LoopLimits, LoopStop
from bottega.assistant.loop.models import is_offline, open_model
from bottega.assistant.loop.steps import PaidSteps
from bottega.assistant.loop.subagents import (
    NAME,
    SUMMARY_SCHEMA,
    child_turn,
    report,
    subagent_tool,
)
from bottega.assistant.loop.turn import FinalAnswer, LoopOutcome, Turn
from bottega.assistant.plugins.definition import AgentDefinition
from bottega.assistant.sessions.schemas import LoopStatus, Point
from bottega.conversation.tools import Handoff, PendingHandoff, context_block
from bottega.core.llm.costs import Budget
from bottega.core.runs.runs import tell_delta
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
        dependencies: LoopDependencies,
        turn: Turn,
        steps: PaidSteps,
        history: Sequence[ModelMessage] = (),
        *,
        is_subagent: bool = False,
    ) -> None:
        self._dependencies = dependencies
        self._turn = turn
        self._steps = steps
        self._is_subagent = is_subagent
        #: The conversation so far; every call of a tool in it has its answer.
        self.messages = list(history)

    async def run(self) -> LoopOutcome:
        turn = self._turn
        try:
            limits = LoopLimits.of(turn.agent, turn.order, is_subagent=self._is_subagent)
            self._guard = LimitGuard(turn.context, limits)
            self._active = await self._activate(turn.agent, turn.budget)
            self._standing = self._active.hooks
            await self._active.run_hooks(Point.PRE_LOOP, turn)
            await self._prepare()
            final = await self._answer(turn.input)
            while revision := await self._active.run_hooks(Point.POST_LOOP, turn):
                final = await self._answer(revision.prompt)
            # Hooks may have put the last touch to the text.
            return LoopOutcome(LoopStatus.SUCCESS, turn.output, final.remark, output=final.output)
        except HookAbort as abort:
            return LoopOutcome(LoopStatus.HOOK_ABORT, turn.output, abort.reason, abort.hook)
        except LoopStop as stop:
            return LoopOutcome(stop.loop_status, turn.output, stop.message)
        except BudgetExceeded as error:  # a hook's or a tool's own question to a model
            return LoopOutcome(LoopStatus.MAX_BUDGET, turn.output, error.message)

    async def _answer(self, prompt: str) -> FinalAnswer:
        """Go on until there is a final text, whoever writes it in the end."""
        while True:
            try:
                outcome = await self._run_agent(prompt)
            except LoopStop as stop:
                if not (stop.is_stall and self._guard.limits.force_finalize_on_stall):
                    raise
                outcome = await self._finalize(stop)
            if isinstance(outcome, FinalAnswer):
                self._turn.output = outcome.text
                return outcome
            prompt = await self._hand_over(outcome)

    async def _run_agent(self, prompt: str, *, may_use_tools: bool = True) -> FinalAnswer | Handoff:
        pending = PendingHandoff()
        self._active.tools = await self._tools(pending)
        run = AgentRun(self._turn, self._active, self.messages, may_use_tools=may_use_tools)
        try:
            return await run.run(prompt, pending)
        finally:
            self.messages = run.messages
            self._turn.context.history = list(run.messages)

    async def _finalize(self, stop: LoopStop) -> FinalAnswer:
        self._turn.note("loop", stop.message)
        try:
            outcome = await self._run_agent(LAST_ANSWER, may_use_tools=False)
        except LoopStop as again:
            # Why it stalled says more than that it did so again; other limits speak for themselves.
            raise (stop if again.is_stall else again) from again
        assert isinstance(outcome, FinalAnswer), "without tools there is no handoff"
        return FinalAnswer(outcome.text, outcome.output, BEST_EFFORT + stop.message)

    async def _hand_over(self, handoff: Handoff) -> str:
        turn = self._turn
        told = {
            "from": handoff.from_agent,
            "to": handoff.to_agent,
            "context": handoff.context,
        }
        name = f"handoff {handoff.from_agent} to {handoff.to_agent}"
        with turn.core.traces.span(name, SpanKind.RUN, attributes=told):
            await self._active.run_hooks(Point.ON_HANDOFF, turn, handoff)
            await turn.steps.emit("handoff", told)
            agent = turn.plugin.agents[handoff.to_agent]
            turn.agent = agent
            self._guard.switch_agent(LoopLimits.of(agent, turn.order))
            is_capped = turn.order.max_budget_usd is None and agent.meta.max_budget_usd is not None
            own = turn.budget.child(agent.meta.max_budget_usd) if is_capped else turn.budget
            # What the turn was begun with judges what comes out of it, whoever writes that.
            self._active = await self._activate(agent, own, self._standing)
            await self._prepare()
        return context_block(handoff)

    async def _activate(
        self, agent: AgentDefinition, budget: Budget, standing: Sequence[Hook] = ()
    ) -> ActiveAgent:
        """`standing` hooks come before the agent's own, which are each there once."""
        order = self._turn.order
        hooks = list(standing)
        if "hooks" not in order.without:
            callers = [] if self._is_subagent else order.hooks
            known = {hook.name for hook in standing}
            new = [name for name in agent.meta.hooks if name not in known]
            also = [name for name in callers if name not in known]
            # In a thread: a hook may bring long lists of words with it.
            hooks += await asyncio.to_thread(self._dependencies.resolve_hooks, new, also)
        schema: Mapping[str, Any] | None = agent.meta.output_schema
        if schema is None and self._is_subagent:
            schema = SUMMARY_SCHEMA
        return ActiveAgent(agent, budget, self._guard, hooks, schema)

    async def _prepare(self) -> None:
        turn, active = self._turn, self._active
        prompt = await self._dependencies.assemble(turn)
        active.instructions = prompt.text
        told = {"agent": active.agent.name, "tokens": dict(prompt.tokens_by_section)}
        await turn.steps.emit("prompt_assembled", told)
        meta, gateway = active.agent.meta, turn.core.gateway
        turn.offline = is_offline(gateway, turn.order, meta)
        model = (
            self._dependencies.offline_model(turn)
            if turn.offline
            else await open_model(
                gateway, turn.order, meta, session_id=turn.session_id, budget=active.budget
            )
        )
        active.model = DurableModel(
            model,
            self._steps.drawing_on(active.budget),
            f"model {active.agent.name}",
            self._tell,
            offline_in=turn.core.traces if turn.offline else None,
        )

    async def _tools(self, pending: PendingHandoff) -> list[AgentTool]:
        turn, agent = self._turn, self._active.agent
        tools: list[AgentTool] = list(await self._dependencies.tools(turn, agent))
        if self._is_subagent:
            return tools
        agents = turn.plugin.agents
        tools += [
            pending.tool(agent.name, name, agents[name].meta.description)
            for name in agent.meta.handoffs
            if name in agents
        ]
        others = {name: other for name, other in agents.items() if name != agent.name}
        is_wanted = not agent.meta.tools or NAME in agent.meta.tools
        if others and is_wanted and "subagents" not in turn.order.without:
            tools.append(subagent_tool(others, self._spawn))
        return tools

    async def _spawn(self, agent: AgentDefinition, task: str) -> dict[str, Any]:
        turn, active = self._turn, self._active
        await active.run_hooks(Point.ON_SUBAGENT_START, turn, SubagentCall(agent.name, task))
        await turn.steps.emit("subagent", {"agent": agent.name, "task": task, "state": "started"})
        budget = active.budget.child(agent.meta.max_budget_usd)
        steps = self._steps.drawing_on(budget)
        child = child_turn(turn, agent, task, budget, steps)
        attributes = {"gen_ai.agent.name": agent.name, "task": task}
        with turn.core.traces.span(
            f"subagent {agent.name}", SpanKind.RUN, attributes=attributes
        ) as span:
            outcome = await AgentLoop(self._dependencies, child, steps, is_subagent=True).run()
            span.set_attribute("status", outcome.status.value)
        turn.context.summary.input_tokens += child.context.summary.input_tokens
        turn.context.summary.output_tokens += child.context.summary.output_tokens
        told = report(agent, outcome, child)
        await turn.steps.emit("subagent", {**told, "task": task, "state": "ended"})
        call = SubagentCall(agent.name, task, summary=told["summary"])
        await active.run_hooks(Point.ON_SUBAGENT_END, turn, call)
        return told

    def _tell(self, text: str) -> None:
        turn = self._turn
        if text:
            substep = f"{turn.agent.name}-{turn.context.summary.turns + 1}"
            tell_delta(turn.core.bus, turn.run_id, substep, text, turn.user_id)
