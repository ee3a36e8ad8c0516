"""Tools that the provider runs itself, such as web search (D83)."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from pydantic_ai.messages import ModelResponse, NativeToolReturnPart
from pydantic_ai.models import Model
from pydantic_ai.native_tools import (
    AbstractNativeTool,
    CodeExecutionTool,
    WebFetchTool,
    WebSearchTool,
)

from bottega.core.llm.tasks import Source
from bottega.errors import InvalidInput

#: In the Messages API's shape, `{"type": "web_search_20250305", "name": "web_search"}`, or Pydantic
#: AI's own.
Connector: TypeAlias = Mapping[str, Any] | AbstractNativeTool

KINDS: dict[str, type[AbstractNativeTool]] = {
    "web_search": WebSearchTool,
    "web_fetch": WebFetchTool,
    "code_execution": CodeExecutionTool,
}


def native_tools(connectors: Sequence[Connector], model: Model) -> list[AbstractNativeTool]:
    """The tools that the model can have.

    One that it lacks is left out if it is optional, as all in the wire's shape are: the model then
    answers from what it knows, and `Answer.sources` is empty.
    """
    tools = [
        tool if isinstance(tool, AbstractNativeTool) else _from_wire(tool) for tool in connectors
    ]
    supported = model.profile.get("supported_native_tools", frozenset())
    return [tool for tool in tools if type(tool) in supported or not tool.optional]


def _from_wire(tool: Mapping[str, Any]) -> AbstractNativeTool:
    name = str(tool.get("name"))
    kind = KINDS.get(name)
    if kind is None or not str(tool.get("type")).startswith(name):
        raise InvalidInput(f"{dict(tool)} is no connector tool. Use one of: {', '.join(KINDS)}.")
    options = {key: value for key, value in tool.items() if key not in ("type", "name")}
    try:
        return kind(optional=True, **options)
    except TypeError as error:
        raise InvalidInput(f"{dict(tool)}: {error}") from None


def sources(response: ModelResponse) -> list[Source]:
    """The pages that searches returned, in order."""
    found: list[Source] = []
    for part in response.parts:
        if isinstance(part, NativeToolReturnPart) and isinstance(part.content, list):
            found += [
                Source(url=item["url"], title=item.get("title") or "")
                for item in part.content
                if isinstance(item, dict) and "url" in item
            ]
    return found
