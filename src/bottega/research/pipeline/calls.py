"""How a stage reaches models and tools: each call is a durable step, and told as a substep.

The number of a call and its step are taken before anything is awaited: tool calls that are made
together with `asyncio.gather` are so known again after a crash by the order of their start.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel

from bottega.core.budgets import Budget, spending_from
from bottega.core.llm.tasks import Task, Tier, Usage
from bottega.core.runs import RunContext
from bottega.core.runs.following import tell_delta
from bottega.core.runs.outcomes import adapter_of
from bottega.core.services import Core
from bottega.errors import BottegaError, ModelError, TooLarge
from bottega.library.service import estimate_tokens
from bottega.research.agents.definition import OrchestratorConfig
from bottega.research.pipeline import answers
from bottega.research.pipeline.answers import Reply
from bottega.research.pipeline.spending import Spending
from bottega.research.pipeline.substeps import (
    MODEL_TOOL,
    Substeps,
    SubstepType,
    cut,
    shown_input,
)

In = TypeVar("In")
Out = TypeVar("Out", bound=BaseModel)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class DurableCalls:
    core: Core
    run: RunContext
    config: OrchestratorConfig
    substeps: Substeps
    spending: Spending

    @property
    def offline(self) -> bool:
        return self.core.gateway.mode.offline

    async def ask(self, task: Task[In, Out], input: In, *, max_tokens: int = 4096) -> Out:
        task = answers.with_thinking(task, self.config.thinking)
        self._check_fits(task, input, max_tokens)
        reply, output = await self._read(task, input, max_tokens)
        if output is None:
            again = answers.asked_again(task, reply)
            reply, output = await self._read(again, input, max_tokens)
        if output is None:
            raise ModelError(
                f"The model was asked {task.name} twice and gave no usable JSON: {reply.problem}",
                task=task.name,
                reply=cut(reply.text),
            )
        return output

    async def tool(
        self,
        name: str,
        function: Callable[[], Awaitable[T]],
        *,
        input: Mapping[str, Any],
        shown: Callable[[T], str],
        result: type[T],
    ) -> T:
        substep, adapter = self.substeps.next_id(), adapter_of(result)

        async def call() -> dict[str, Any]:
            await self.substeps.tell(
                substep, SubstepType.TOOL_STARTED, name, input=shown_input(input)
            )
            # Tools may ask models of their own: a search of the web, a claim left undecided.
            with spending_from(Budget(self.spending.remaining)) as purse:
                try:
                    value = adapter.dump_python(await function(), mode="json")
                except BottegaError as error:
                    error.details["cost"] = purse.spent
                    raise
            return {"value": value, "cost": purse.spent}

        try:
            outcome = await self.run.step(name, call)
        except BottegaError as error:
            self.spending.add(error.details.get("cost") or 0.0, Usage())
            await self._fail(substep, SubstepType.TOOL_RESULT, name, error)
            raise
        self.spending.add(outcome["cost"], Usage())
        value: T = adapter.validate_python(outcome["value"])
        told = {"result": cut(shown(value)), "is_error": False, "cost": outcome["cost"]}
        await self.substeps.tell(substep, SubstepType.TOOL_RESULT, name, **told)
        return value

    async def status(self, message: str) -> None:
        substep = self.substeps.next_id()
        await self.substeps.tell(substep, SubstepType.STATUS, "status", result=cut(message))

    async def _read(
        self, task: Task[In, Out], input: In, max_tokens: int
    ) -> tuple[Reply, Out | None]:
        reply = await self._answer(task, input, max_tokens)
        # A hostile reply takes its time to be searched.
        return reply, await asyncio.to_thread(answers.read, reply, task.output)

    async def _answer(self, task: Task[In, Out], input: In, max_tokens: int) -> Reply:
        """One call of the model, paid once."""
        substep = self.substeps.next_id()

        async def call() -> Reply:
            if not self.core.gateway.mode.name(task.tier).offline:
                self.spending.check()
            await self.substeps.tell(
                substep, SubstepType.MODEL_STARTED, MODEL_TOOL, input={"task": task.name}
            )
            return await answers.ask(
                self.core.gateway,
                task,
                input,
                lambda text: tell_delta(
                    self.core.bus, self.run.id, substep, text, self.run.user_id
                ),
                session_id=self.run.session_id,
                max_tokens=max_tokens,
                model=self._model(task),
            )

        try:
            reply = await self.run.step(MODEL_TOOL, call)
        except BottegaError as error:
            self.spending.add(error.details.get("cost", 0.0), Usage())
            await self._fail(substep, SubstepType.MODEL_ANSWERED, MODEL_TOOL, error)
            raise
        self.spending.add(reply.cost, reply.usage)
        await self.substeps.tell(
            substep,
            SubstepType.MODEL_ANSWERED,
            MODEL_TOOL,
            result=reply.shown,
            is_error=reply.output is None,
            cost=reply.cost,
            input_tokens=reply.input_tokens,
            output_tokens=reply.output_tokens,
        )
        return reply

    def _model(self, task: Task[Any, Any]) -> str | None:
        """The agent's own choice, for what needs an able model."""
        wants_able = task.tier is Tier.STRONG and not self.offline
        return self.config.model if wants_able else None

    async def _fail(self, substep: str, type: SubstepType, tool: str, error: BottegaError) -> None:
        told = {"result": cut(error.message), "is_error": True, "cost": error.details.get("cost")}
        await self.substeps.tell(substep, type, tool, **told)

    def _check_fits(self, task: Task[In, Out], input: In, max_tokens: int) -> None:
        needed = estimate_tokens(task.instructions + task.prompt(input)) + max_tokens
        if needed > self.config.context_window:
            raise TooLarge(
                f"{task.name} would need about {needed} tokens, and the agent's context window has "
                f"{self.config.context_window}. Ask about less, or choose a smaller depth.",
                needed=needed,
                context_window=self.config.context_window,
            )
