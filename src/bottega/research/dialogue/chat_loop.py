"""A chat turn with a model: it looks things up with tools until it can answer.

Importing this imports Pydantic AI: only `dialogue/chat.py` does, when a model is there.
"""

from collections.abc import AsyncIterable, Callable, Sequence
from typing import Any

from pydantic_ai import Agent, RunContext, Tool, UsageLimits
from pydantic_ai import exceptions as ai
from pydantic_ai.messages import (
    AgentStreamEvent,
    FunctionToolCallEvent,
    ModelMessage,
    ModelResponse,
    TextPart,
)
from pydantic_ai.models import Model
from pydantic_ai.toolsets import AbstractToolset

from bottega.conversation.messages import said
from bottega.core.llm.exchange import text_of
from bottega.errors import ModelError
from bottega.research.sessions.claude import Recovered

#: Questions to the model in one turn.
MOST_REQUESTS = 12

#: Told while the turn goes on: a piece of text, or the name of a tool that is being used.
Tell = Callable[[str, str], None]


async def converse(
    model: Model,
    instructions: str,
    prompt: str,
    history: Sequence[Recovered],
    tools: Sequence[Callable[..., Any]],
    toolsets: Sequence[AbstractToolset[Any]],
    tell: Tell,
) -> str:
    agent: Agent[None, str] = Agent(
        model,
        instructions=instructions,
        tools=[Tool(tool) for tool in tools],
        toolsets=list(toolsets),
    )

    async def listen(_: RunContext[None], events: AsyncIterable[AgentStreamEvent]) -> None:
        async for event in events:
            _pass_on(event, tell)

    try:
        result = await agent.run(
            prompt,
            message_history=[_said(message) for message in history],
            usage_limits=UsageLimits(request_limit=MOST_REQUESTS),
            event_stream_handler=listen,
        )
    except (ai.AgentRunError, ai.UserError) as error:
        # What the model itself fails with is explained by then; this is the loop's own.
        raise ModelError(
            f"The conversation could not be carried on: {error}. Ask again, or ask for less.",
            retryable=False,
        ) from error
    return result.output


def _pass_on(event: AgentStreamEvent, tell: Tell) -> None:
    if isinstance(event, FunctionToolCallEvent):
        tell("tool", event.part.tool_name)
    elif text := text_of(event):
        tell("text", text)


def _said(message: Recovered) -> ModelMessage:
    if message.role == "user":
        return said(message.text)
    return ModelResponse(parts=[TextPart(message.text)])
