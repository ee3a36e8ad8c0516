"""How a stage reaches models and tools: each call is a durable step, shown as a substep, and paid.

The number of a call and its step are taken before anything is awaited: tool calls that are made
together with `asyncio.gather` are so known again after a crash by the order of their start. Substep
ids come from a counter that a replay counts again, so events are keyed by them and told once.

A model's reply is streamed while it comes, priced, and kept. One that is prose instead of JSON was
paid for like any other, so it is a result and no error: the object in it may still be found, and if
not, the model is asked once more.
"""

import asyncio
import itertools
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from typing import Any, Literal, TypeVar, Unpack

from pydantic import BaseModel, ConfigDict, ValidationError

from bottega.core.llm.costs import Budget, spending_from
from bottega.core.llm.gateway import RETRY_PAUSE, Gateway, Options
from bottega.core.llm.tasks import Task, Tier, Usage
from bottega.core.runs import RunContext
from bottega.core.runs.context import adapter_of
from bottega.core.runs.runs import tell_delta
from bottega.core.services import Core
from bottega.core.text.words import estimate_tokens, shorten
from bottega.errors import ApiMaxTokensError, ApiRefusalError, BottegaError, ModelError, TooLarge
from bottega.research.agents.definition import OrchestratorConfig, StageConfig
from bottega.research.pipeline.json_objects import json_objects
from bottega.research.pipeline.state import ResearchEvent

#: Characters of an input's value and of a result, as they are shown.
LONGEST_SHOWN = 2_000
#: The tool that stands for a model's call.
MODEL_TOOL = "orchestrator_llm"
In = TypeVar("In")
Out = TypeVar("Out", bound=BaseModel)
T = TypeVar("T")
Thinking = Literal["none", "low", "medium", "high", "adaptive"]
#: Characters of a reply that an event keeps.
LONGEST_REPLY_SHOWN = 20_000
#: Characters of a reply that could not be read, as the model is shown it again.
LONGEST_QUOTE = 4_000
AGAIN = """

Your last reply could not be used: {problem}
It began:
<last_reply>
{quote}
</last_reply>
Reply with one JSON object and nothing around it. It has to fit this JSON Schema:
{schema}"""


class ModelReply(BaseModel):
    """What a call came to: an output, or the text that could not be read as one."""

    model_config = ConfigDict(frozen=True)

    output: dict[str, Any] | None = None
    text: str = ""
    problem: str = ""
    #: US dollars.
    cost: float = 0.0
    input_tokens: int = 0
    output_tokens: int = 0

    @property
    def shown(self) -> str:
        """What was streamed, for those who come later."""
        text = self.text if self.output is None else json.dumps(self.output, ensure_ascii=False)
        return text[:LONGEST_REPLY_SHOWN]

    @property
    def usage(self) -> Usage:
        return Usage(self.input_tokens, self.output_tokens)


async def ask_model(
    gateway: Gateway,
    task: Task[In, Out],
    input: In,
    on_text: Callable[[str], None],
    **options: Unpack[Options],
) -> ModelReply:
    """The model's reply; a transient error is tried once more. Errors tell their `cost`."""
    meter = Budget()
    options["budget"] = meter
    is_first = True
    while True:
        try:
            return await _stream(gateway, task, input, on_text, meter, options)
        except ModelError as error:
            if not is_first or not error.details.get("retryable"):
                error.details["cost"] = meter.spent
                raise
        is_first = False
        await asyncio.sleep(RETRY_PAUSE)


async def _stream(
    gateway: Gateway,
    task: Task[In, Out],
    input: In,
    on_text: Callable[[str], None],
    meter: Budget,
    options: Options,
) -> ModelReply:
    text: list[str] = []
    try:
        async with gateway.stream(task, input, **options) as stream:
            async for piece in stream:
                text.append(piece)
                on_text(piece)
    except ModelError as error:
        if not _is_unreadable(error):
            raise
        return ModelReply(text="".join(text), problem=error.message, cost=meter.spent)
    answer = stream.answer
    return ModelReply(
        output=answer.output.model_dump(mode="json", by_alias=True),
        cost=meter.spent,
        input_tokens=answer.usage.input_tokens,
        output_tokens=answer.usage.output_tokens,
    )


def _is_unreadable(error: ModelError) -> bool:
    """Whether a whole reply came that does not fit its schema; a provider's own failures say so."""
    return (
        not isinstance(error, ApiRefusalError | ApiMaxTokensError)
        and "provider_status" not in error.details
        and "provider" in error.details
    )


def read_output(reply: ModelReply, output: type[Out]) -> Out | None:
    """The output, if need be dug out of the text."""
    if reply.output is not None:
        return output.model_validate(reply.output)
    for found in json_objects(reply.text):
        try:
            return output.model_validate(found)
        except ValidationError:
            continue
    return None


def ask_again(task: Task[In, Out], reply: ModelReply) -> Task[In, Out]:
    """The same question, with what was wrong with the reply and the schema spelled out."""
    again = AGAIN.format(
        problem=reply.problem,
        quote=reply.text[:LONGEST_QUOTE],
        schema=json.dumps(task.output.model_json_schema()),
    )
    return replace(task, prompt=lambda given: task.prompt(given) + again)


@lru_cache(maxsize=256)
def with_thinking(task: Task[In, Out], thinking: Thinking) -> Task[In, Out]:
    """As the agent wants it; `adaptive` leaves it to the task and the model."""
    if thinking == "adaptive":
        return task
    return replace(task, thinking=None if thinking == "none" else thinking)


class SubstepType(StrEnum):
    TOOL_STARTED = "mcp_start"
    TOOL_RESULT = "mcp_result"
    MODEL_STARTED = "llm_start"
    MODEL_ANSWERED = "llm_complete"


@dataclass(frozen=True, slots=True)
class Substeps:
    """The substeps of one stage, or of one repair iteration of it."""

    run: RunContext
    stage: StageConfig
    iteration: int
    #: One for the whole run.
    counter: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    @property
    def parent(self) -> str:
        return f"orch-{self.run.id}-s{self.stage.id}-{self.iteration}"

    def next_id(self) -> str:
        return f"orch-{self.run.id}-{next(self.counter)}"

    async def tell(self, id: str, type: SubstepType, tool: str, **details: Any) -> None:
        payload = {
            "id": id,
            "parent": self.parent,
            **self.stage.told,
            "type": type,
            "tool": tool,
            **details,
        }
        await self.run.emit(ResearchEvent.SUBSTEP, payload, key=f"{id} {type}")


def cut(text: str) -> str:
    return shorten(text, LONGEST_SHOWN)


def shown_input(input: Mapping[str, Any]) -> dict[str, Any]:
    return {name: cut(value) if isinstance(value, str) else value for name, value in input.items()}


class Spending(Budget):
    """A run's budget, with the tokens that it went on."""

    usage = Usage()

    def add(self, cost: float, usage: Usage) -> None:
        self.charge(cost)
        self.usage += usage


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
        task = with_thinking(task, self.config.thinking)
        self._check_fits(task, input, max_tokens)
        reply, output = await self._read(task, input, max_tokens)
        if output is None:
            again = ask_again(task, reply)
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
            with spending_from(Budget(self.spending.remaining)) as current_budget:
                try:
                    value = adapter.dump_python(await function(), mode="json")
                except BottegaError as error:
                    error.details["cost"] = current_budget.spent
                    raise
            return {"value": value, "cost": current_budget.spent}

        try:
            outcome = await self.run.step(name, call)
        except BottegaError as error:
            await self._fail(substep, SubstepType.TOOL_RESULT, name, error)
            raise
        self.spending.add(outcome["cost"], Usage())
        value: T = adapter.validate_python(outcome["value"])
        told = {"result": cut(shown(value)), "is_error": False, "cost": outcome["cost"]}
        await self.substeps.tell(substep, SubstepType.TOOL_RESULT, name, **told)
        return value

    async def _read(
        self, task: Task[In, Out], input: In, max_tokens: int
    ) -> tuple[ModelReply, Out | None]:
        reply = await self._answer(task, input, max_tokens)
        # A hostile reply takes its time to be searched.
        return reply, await asyncio.to_thread(read_output, reply, task.output)

    async def _answer(self, task: Task[In, Out], input: In, max_tokens: int) -> ModelReply:
        """One call of the model, paid once."""
        substep = self.substeps.next_id()

        async def call() -> ModelReply:
            if not self.core.gateway.mode.name(task.tier).offline:
                self.spending.check()
            await self.substeps.tell(
                substep, SubstepType.MODEL_STARTED, MODEL_TOOL, input={"task": task.name}
            )
            return await ask_model(
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
        self.spending.add(error.details.get("cost") or 0.0, Usage())
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
