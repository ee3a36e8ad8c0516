"""Sources and their tools as people see them. A tool's result is plain bounded text: data,
never instructions.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from bottega.core.definitions.folders import Origin
from bottega.errors import BottegaError
from bottega.research.sources.definition import Auth, AuthType, HttpConfig, McpSource
from bottega.research.sources.folders import FILE, BrokenSource
from bottega.research.sources.launch import Launch, NeedsAuth, credential_names

if TYPE_CHECKING:
    from mcp_types import CallToolResult, ContentBlock, Tool


MOST_TEXT = 60_000
MOST_TOOLS = 200
MOST_DESCRIPTION = 2_000
MOST_SCHEMA = 64 * 1024
#: What models' providers take for a name.
LONGEST_NAME = 64
_UNFIT = re.compile(r"[^A-Za-z0-9_-]")


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


def source_tool_name(slug: str, tool: str) -> str:
    """`mcp__{source}__{tool}`, as models' providers accept it; two long names never become one."""
    name = _UNFIT.sub("_", f"mcp__{slug}__{tool}")
    if len(name) <= LONGEST_NAME:
        return name
    mark = hashlib.sha256(f"{slug}\0{tool}".encode()).hexdigest()[:8]
    return f"{name[: LONGEST_NAME - 9]}_{mark}"


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


class ResearchHealth(StrEnum):
    #: Not used yet since the house was opened.
    UNKNOWN = "unknown"
    OK = "ok"
    FAILING = "failing"
    #: A person must enter a credential or sign in.
    NEEDS_AUTH = "needs_auth"


def health_after(error: BottegaError | None) -> ResearchHealth:
    """Of a source that worked, or failed with this."""
    if error is None:
        return ResearchHealth.OK
    return ResearchHealth.NEEDS_AUTH if isinstance(error, NeedsAuth) else ResearchHealth.FAILING


class HealthView(BaseModel):
    health: ResearchHealth = ResearchHealth.UNKNOWN
    last_error: str | None = None
    tools: int | None = None
    checked_at: datetime | None = None


class SourceView(HealthView):
    slug: str
    name: str
    description: str = ""
    icon: str | None = None
    type: str = ""
    origin: Origin
    enabled: bool = False
    #: Nothing of a project's source runs before a person has enabled it.
    trusted: bool = True
    auth: AuthType = AuthType.NONE
    #: For OAuth.
    signed_in: bool | None = None
    #: Names of the credentials that it wants.
    credentials: list[str] = []
    #: What is wrong with its files, each with line and column.
    problems: list[str] = []


class SourceDetail(SourceView):
    """A source with what a person has to know before they trust it."""

    #: Where it is defined.
    file: str
    #: `guide.md`, for people and prompts.
    guide: str = ""
    #: What would be started, word by word, and where.
    program: list[str] = []
    cwd: str | None = None
    #: What would be asked.
    url: str | None = None
    #: What the program gets in its environment, or the address in its headers, as the file has it:
    #: credentials by their names. A person's own file may hold secrets, so its values stay there.
    given: dict[str, str | None] = {}
    #: Those of its credentials that are there.
    stored: list[str] = []


class SourceCheck(BaseModel):
    name: str
    passed: bool
    message: str


class TestReport(BaseModel):
    """What happened when a source was tried."""

    __test__ = False  # no test of ours, whatever pytest makes of the name

    slug: str
    passed: bool
    health: ResearchHealth
    checks: list[SourceCheck]
    tools: list[str] = []
    #: What a person can do next.
    advice: list[str] = []
    duration_ms: int = 0


def source_view(
    source: McpSource, health: HealthView, *, enabled: bool, trusted: bool, signed_in: bool | None
) -> SourceView:
    config = source.config
    auth = config.auth if isinstance(config, HttpConfig) else Auth()
    if signed_in is False:
        health = health.model_copy(update={"health": ResearchHealth.NEEDS_AUTH})
    return SourceView(
        **health.model_dump(),
        slug=source.slug,
        name=config.name,
        description=config.description,
        icon=config.icon,
        type=config.type,
        origin=source.origin,
        enabled=enabled,
        trusted=trusted,
        auth=auth.type,
        signed_in=signed_in,
        credentials=credential_names(source),
    )


def source_detail(view: SourceView, launch: Launch, stored: Sequence[str]) -> SourceDetail:
    source = launch.source
    config = source.config
    given = config.headers if isinstance(config, HttpConfig) else config.env
    is_private = source.origin is Origin.OWN
    return SourceDetail(
        **view.model_dump(),
        file=str(source.folder / FILE),
        guide=source.guide,
        program=list(launch.program),
        cwd=str(launch.cwd) if launch.cwd else None,
        url=config.url if isinstance(config, HttpConfig) else None,
        given={name: None if is_private else value for name, value in given.items()},
        stored=list(stored),
    )


def broken_view(broken: BrokenSource) -> SourceView:
    return SourceView(
        slug=broken.slug,
        name=broken.slug,
        origin=broken.origin,
        health=ResearchHealth.FAILING,
        last_error=broken.error.message,
        problems=[f"{p.line}:{p.column}: {p.message}" for p in broken.error.problems],
    )
