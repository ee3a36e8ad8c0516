"""What a source's tool gave, as plain bounded text: data for whoever asked, never instructions."""

import json
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from mcp_types import CallToolResult, ContentBlock, Tool

MOST_TEXT = 60_000
MOST_TOOLS = 200
MOST_DESCRIPTION = 2_000
MOST_SCHEMA = 64 * 1024


class SourceTool(BaseModel):
    """A tool that a source offers, in its own words."""

    model_config = ConfigDict(frozen=True)

    name: str
    description: str
    # JSON Schema, as the source gives it.
    input_schema: dict[str, Any]
    #: Calling it twice does what calling it once does, as the source says.
    repeatable: bool = False
    #: It changes nothing, as the source says.
    read_only: bool = False


class ToolResult(BaseModel):
    model_config = ConfigDict(frozen=True)

    text: str
    #: The same as JSON, where the source gives it and it is not too large.
    structured: Any | None = None
    is_error: bool = False
    #: Something was left out; the text says what.
    cut: bool = False


def describe(tool: "Tool") -> SourceTool | None:
    """`None` for a tool that no model could be told of."""
    if len(json.dumps(tool.input_schema)) > MOST_SCHEMA:
        return None
    hints = tool.annotations
    return SourceTool(
        name=tool.name,
        description=(tool.description or tool.title or "")[:MOST_DESCRIPTION],
        input_schema=tool.input_schema,
        repeatable=bool(hints and (hints.read_only_hint or hints.idempotent_hint)),
        read_only=bool(hints and hints.read_only_hint),
    )


def render(result: "CallToolResult") -> ToolResult:
    text = "\n".join(filter(None, map(_text_of, result.content)))
    structured = result.structured_content
    encoded = "" if structured is None else json.dumps(structured, ensure_ascii=False)
    if len(encoded) > MOST_TEXT:
        structured = None
    cut = len(text) > MOST_TEXT or bool(encoded and structured is None)
    if len(text) > MOST_TEXT:
        text = f"{text[:MOST_TEXT]}\n[cut here: {len(text) - MOST_TEXT:,} more characters]"
    return ToolResult(
        text=text or encoded[:MOST_TEXT],
        structured=structured,
        is_error=bool(result.is_error),
        cut=cut,
    )


def _text_of(block: "ContentBlock") -> str:
    match block.type:
        case "text":
            return block.text
        case "resource_link":
            return f"[{block.name}: {block.uri}]"
        case "resource" if (text := getattr(block.resource, "text", None)) is not None:
            return str(text)
        case "resource":
            return f"[{block.resource.uri}: left out, it is no text]"
        case "image" | "audio":
            return f"[{block.type} of type {block.mime_type}: left out]"
