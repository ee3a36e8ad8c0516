"""The suite's tools that speak MCP itself: other contents than JSON, and calls back to the client.

Rooms have no such tools, so these hang on the door's `extend`, beside the tools of a room.
"""

import base64
import io
import struct
import wave
import zlib
from collections.abc import Awaitable, Callable
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    AudioContent,
    CallToolRequestParams,
    CallToolResult,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    InputRequiredResult,
    SamplingMessage,
    TextContent,
    TextResourceContents,
    Tool,
)

Context = ServerRequestContext[Any, Any]
Answer = CallToolResult | InputRequiredResult
Run = Callable[[Context, CallToolRequestParams], Awaitable[Answer]]


def _pixel() -> str:
    """A PNG of one black pixel."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    chunks = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b"")
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + chunks).decode()


def _silence() -> str:
    """A WAV of one sample."""
    file = io.BytesIO()
    with wave.open(file, "wb") as audio:
        audio.setparams((1, 1, 8_000, 0, "NONE", ""))
        audio.writeframes(b"\0")
    return base64.b64encode(file.getvalue()).decode()


PNG = _pixel()
WAV = _silence()

RUNS: dict[str, Run] = {}
LISTED: list[Tool] = []


def wire_tool(name: str, **arguments: str) -> Callable[[Run], Run]:
    """Register a tool whose arguments are named with their JSON types."""

    def register(run: Run) -> Run:
        properties = {argument: {"type": type_} for argument, type_ in arguments.items()}
        schema = {"type": "object", "properties": properties, "required": list(arguments)}
        LISTED.append(Tool(name=name, description=f"Fixture {name}.", input_schema=schema))
        RUNS[name] = run
        return run

    return register


def say(text: str) -> CallToolResult:
    return show(TextContent(text=text))


def show(*content: ContentBlock) -> CallToolResult:
    return CallToolResult(content=list(content))


def resource(text: str, mime_type: str = "text/plain") -> EmbeddedResource:
    contents = TextResourceContents(uri="test://embedded", mime_type=mime_type, text=text)
    return EmbeddedResource(resource=contents)


@wire_tool("test_image_content")
async def image(context: Context, params: CallToolRequestParams) -> Answer:
    return show(ImageContent(data=PNG, mime_type="image/png"))


@wire_tool("test_audio_content")
async def audio(context: Context, params: CallToolRequestParams) -> Answer:
    return show(AudioContent(data=WAV, mime_type="audio/wav"))


@wire_tool("test_embedded_resource")
async def embedded(context: Context, params: CallToolRequestParams) -> Answer:
    return show(resource("A resource inside an answer."))


@wire_tool("test_multiple_content_types")
async def mixed(context: Context, params: CallToolRequestParams) -> Answer:
    return show(
        TextContent(text="Several kinds at once:"),
        ImageContent(data=PNG, mime_type="image/png"),
        resource('{"kind": "json"}', "application/json"),
    )


@wire_tool("test_logging_tool")
@wire_tool("test_tool_with_logging")
async def logging(context: Context, params: CallToolRequestParams) -> Answer:
    for step in ("started", "half way", "done"):
        await context.session.send_log_message("info", step, related_request_id=context.request_id)
    return say("Logged three times.")


@wire_tool("test_tool_with_progress")
async def progress(context: Context, params: CallToolRequestParams) -> Answer:
    for percent in (0, 50, 100):
        await context.session.report_progress(percent, 100, f"{percent} of 100")
    return say("Came a long way.")


@wire_tool("test_sampling", prompt="string")
async def sampling(context: Context, params: CallToolRequestParams) -> Answer:
    prompt = (params.arguments or {})["prompt"]
    answer = await context.session.create_message(
        [SamplingMessage(role="user", content=TextContent(text=prompt))],
        max_tokens=100,
        related_request_id=context.request_id,
    )
    content = answer.content
    return say(f"LLM response: {content.text if isinstance(content, TextContent) else content}")


@wire_tool("test_elicitation", message="string")
async def elicitation(context: Context, params: CallToolRequestParams) -> Answer:
    schema = {"response": {"type": "string", "description": "What you think."}}
    return await _elicit(context, (params.arguments or {})["message"], schema, ["response"])


@wire_tool("test_elicitation_sep1034_defaults")
async def elicitation_defaults(context: Context, params: CallToolRequestParams) -> Answer:
    schema = {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {
            "type": "string",
            "enum": ["active", "inactive", "pending"],
            "default": "active",
        },
        "verified": {"type": "boolean", "default": True},
    }
    return await _elicit(context, "Check these.", schema, [])


@wire_tool("test_elicitation_sep1330_enums")
async def elicitation_enums(context: Context, params: CallToolRequestParams) -> Answer:
    plain = ["option1", "option2", "option3"]
    titled = [{"const": value, "title": value.title()} for value in plain]
    schema = {
        "untitledSingle": {"type": "string", "enum": plain},
        "titledSingle": {"type": "string", "oneOf": titled},
        "legacyEnum": {
            "type": "string",
            "enum": plain,
            "enumNames": [value.title() for value in plain],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": plain}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled}},
    }
    return await _elicit(context, "Choose.", schema, [])


@wire_tool("test_missing_capability")
async def missing_capability(context: Context, params: CallToolRequestParams) -> Answer:
    capabilities = context.session.client_capabilities
    if capabilities is None or capabilities.sampling is None:
        raise MCPError(
            MISSING_REQUIRED_CLIENT_CAPABILITY,
            "The client has to be able to sample.",
            {"requiredCapabilities": {"sampling": {}}},
        )
    return say("The client can sample.")


async def _elicit(
    context: Context, message: str, properties: dict[str, Any], required: list[str]
) -> CallToolResult:
    answer = await context.session.elicit_form(
        message,
        {"type": "object", "properties": properties, "required": required},
        related_request_id=context.request_id,
    )
    return say(f"User response: action={answer.action}, content={answer.content}")
