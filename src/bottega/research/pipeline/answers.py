"""One call of a model as a durable step has it: streamed while it comes, priced, kept.

A reply that is prose instead of JSON was paid for like any other, so it is a result and no error:
the object in it may still be found, and if not, the model is asked once more.
"""

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any, Literal, TypeVar, Unpack

from pydantic import BaseModel, ConfigDict, ValidationError

from bottega.core.budgets import Budget
from bottega.core.llm.gateway import RETRY_PAUSE, Gateway, Options
from bottega.core.llm.tasks import Task, Usage
from bottega.errors import ApiMaxTokensError, ApiRefusalError, ModelError
from bottega.research.pipeline.json_extraction import json_objects

In = TypeVar("In")
Out = TypeVar("Out", bound=BaseModel)

Thinking = Literal["none", "low", "medium", "high", "adaptive"]

#: Characters of a reply that an event keeps.
LONGEST_SHOWN = 20_000
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


class Reply(BaseModel):
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
        return text[:LONGEST_SHOWN]

    @property
    def usage(self) -> Usage:
        return Usage(self.input_tokens, self.output_tokens)


async def ask(
    gateway: Gateway,
    task: Task[In, Out],
    input: In,
    on_text: Callable[[str], None],
    **options: Unpack[Options],
) -> Reply:
    """The model's reply; a transient error is tried once more. Errors tell their `cost`."""
    meter = Budget()
    options["budget"] = meter
    try:
        return await _stream(gateway, task, input, on_text, meter, options)
    except ModelError as error:
        if not error.details.get("retryable"):
            error.details["cost"] = meter.spent
            raise
    await asyncio.sleep(RETRY_PAUSE)
    try:
        return await _stream(gateway, task, input, on_text, meter, options)
    except ModelError as error:
        error.details["cost"] = meter.spent
        raise


async def _stream(
    gateway: Gateway,
    task: Task[In, Out],
    input: In,
    on_text: Callable[[str], None],
    meter: Budget,
    options: Options,
) -> Reply:
    text: list[str] = []
    try:
        async with gateway.stream(task, input, **options) as stream:
            async for piece in stream:
                text.append(piece)
                on_text(piece)
    except ModelError as error:
        if not _is_unreadable(error):
            raise
        return Reply(text="".join(text), problem=error.message, cost=meter.spent)
    answer = stream.answer
    return Reply(
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


def read(reply: Reply, output: type[Out]) -> Out | None:
    """The output, if need be dug out of the text."""
    if reply.output is not None:
        return output.model_validate(reply.output)
    for found in json_objects(reply.text):
        try:
            return output.model_validate(found)
        except ValidationError:
            continue
    return None


def asked_again(task: Task[In, Out], reply: Reply) -> Task[In, Out]:
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
