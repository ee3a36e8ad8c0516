"""Messages as the loop, the conversation and the search know them.

Importing this imports Pydantic AI.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from pydantic import TypeAdapter
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ToolReturnPart,
    UserPromptPart,
)

_MESSAGE: TypeAdapter[ModelMessage] = TypeAdapter(ModelMessage)

STOPPED = "Not carried out: the turn was stopped before this call."


def dump(message: ModelMessage) -> dict[str, Any]:
    """As the conversation keeps it; the system prompt is made anew each turn, and left out."""
    if isinstance(message, ModelRequest):
        message = replace(message, instructions=None)
    kept: dict[str, Any] = _MESSAGE.dump_python(message, mode="json")
    return kept


def load(contents: Iterable[dict[str, Any]]) -> list[ModelMessage]:
    return [_MESSAGE.validate_python(content) for content in contents]


def said(text: str) -> ModelRequest:
    """Something a person says."""
    return ModelRequest(parts=[UserPromptPart(text)])


def role(message: ModelMessage) -> str:
    if isinstance(message, ModelResponse):
        return "assistant"
    spoken = any(isinstance(part, UserPromptPart) for part in message.parts)
    return "user" if spoken else "tool"


def text(message: ModelMessage) -> str:
    """What is worth finding again: what people and agents say, not what tools bring."""
    if isinstance(message, ModelResponse):
        return message.text or ""
    prompts = [part.content for part in message.parts if isinstance(part, UserPromptPart)]
    return "\n".join(content for content in prompts if isinstance(content, str))


def settle(messages: Sequence[ModelMessage]) -> list[ModelMessage]:
    """The same, with an answer to every tool call: providers refuse a history that lacks one."""
    returned = {
        part.tool_call_id
        for message in messages
        if isinstance(message, ModelRequest)
        for part in message.parts
        if isinstance(part, ToolReturnPart)
    }
    settled: list[ModelMessage] = []
    for message in messages:
        settled.append(message)
        if isinstance(message, ModelResponse):
            open_calls = [call for call in message.tool_calls if call.tool_call_id not in returned]
            if open_calls:
                settled.append(
                    ModelRequest(
                        parts=[
                            ToolReturnPart(
                                call.tool_name,
                                STOPPED,
                                tool_call_id=call.tool_call_id,
                                outcome="failed",
                            )
                            for call in open_calls
                        ]
                    )
                )
    return settled
