"""What a plugin's markdown files define, and what can be wrong with them."""

import difflib
import re
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from bottega.core import clock
from bottega.core.definitions.folders import Origin
from bottega.errors import InvalidInput, NotFound

#: Words of the request in a file's name.
SLUG_WORDS = 6


@dataclass(frozen=True, slots=True, order=True)
class PluginProblem:
    """Lines and columns count from 1, as editors show them."""

    #: Relative to the plugin's folder: `agents/planner.md`.
    file: str
    line: int
    column: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.message}"


def no_such(kind: str, name: str, known: Collection[str]) -> str:
    """After `there is`: that there is none of this name, and which one was probably meant."""
    name = name if len(name) <= 64 else name[:63] + "…"
    close = difflib.get_close_matches(name, known, n=1)
    if close:
        return f"no {kind} {name!r}; did you mean {close[0]!r}?"
    there_are = f"there are {', '.join(sorted(known))}" if known else "there is none at all"
    return f"no {kind} {name!r}; {there_are}"


def not_found(kind: str, name: str, known: Collection[str]) -> NotFound:
    return NotFound(f"There is {no_such(kind, name, known)}", valid_options=sorted(known))


class Frontmatter(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]


class AgentMeta(Frontmatter):
    """The frontmatter of `agents/{name}.md`."""

    #: Of the provider, such as `claude-sonnet-4-5`; the house's own unless a key for it is there.
    model: str = Field(description="the model's identifier")
    provider: Literal["anthropic", "openai"] = Field(description="`anthropic` or `openai`")
    description: str = ""
    workspace: list[str] = []
    skills: list[Name] = []
    #: Empty is all that are built in, except bash.
    tools: list[str] = []
    hooks: list[str] = []
    memory: bool = True
    handoffs: list[Name] = []
    output_schema: dict[str, Any] | None = Field(None, alias="outputSchema")
    max_turns: int = Field(25, alias="maxTurns", ge=1, le=1000)
    max_budget_usd: float | None = Field(None, alias="maxBudgetUsd", ge=0)
    max_tool_retries: int = Field(3, alias="maxToolRetries", ge=0, le=100)
    max_no_progress_iterations: int = Field(3, alias="maxNoProgressIterations", ge=1, le=100)
    force_finalize_on_stall: bool = Field(False, alias="forceFinalizeOnStall")


class CommandMode(StrEnum):
    SINGLE = "single"
    INTERACTIVE = "interactive"


class CommandMeta(Frontmatter):
    """The frontmatter of `commands/{name}.md`."""

    agent: Name = Field(description="the agent to invoke")
    description: str = Field(description="what it does, in a line")
    #: Something that people might say to it.
    example: str | None = None
    mode: CommandMode = CommandMode.SINGLE
    #: Where its output is put in the workspace; `{slug}`, `{class}` and `{date}` are filled in.
    writes: str | None = None


def slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return "-".join(re.findall(r"[a-z0-9]+", plain)[:SLUG_WORDS]) or "untitled"


def fill_output_path(template: str, request: str, class_id: str | None) -> str:
    """`lessons/{class}/{date}-{slug}.md` as `lessons/3B/2026-03-02-iteration-for-3b.md`."""
    filled = {
        "slug": slug(request),
        "class": re.sub(r"[^\w-]", "-", class_id or "general"),
        "date": clock.now().date().isoformat(),
    }
    for name, value in filled.items():
        template = template.replace(f"{{{name}}}", value)
    return template


class SkillMeta(BaseModel, extra="allow", frozen=True):
    """The frontmatter of `skills/{name}/SKILL.md`: Claude Code's, of which we need this much."""

    name: str | None = None
    description: Annotated[str, Field(min_length=1, max_length=1024)]


@dataclass(frozen=True, slots=True)
class AgentDefinition:
    name: str
    plugin: str
    meta: AgentMeta
    #: The body: what the agent is told to be and do.
    instructions: str
    path: Path


@dataclass(frozen=True, slots=True)
class CommandDefinition:
    name: str
    plugin: str
    meta: CommandMeta
    #: The body: how the task is framed.
    framing: str
    path: Path

    @property
    def full_name(self) -> str:
        return f"{self.plugin}:{self.name}"


@dataclass(frozen=True, slots=True)
class SkillDefinition:
    name: str
    plugin: str
    meta: SkillMeta
    folder: Path


@dataclass(frozen=True, slots=True)
class Plugin:
    name: str
    folder: Path
    agents: Mapping[str, AgentDefinition] = field(default_factory=dict)
    commands: Mapping[str, CommandDefinition] = field(default_factory=dict)
    skills: Mapping[str, SkillDefinition] = field(default_factory=dict)
    #: `CLAUDE.md` of the project and of the plugin: context for every agent.
    context: str = ""
    origin: Origin = Origin.SHIPPED
    #: All that is wrong in its files. What a broken file would have defined is not in the plugin.
    problems: Sequence[PluginProblem] = ()

    def agent(self, name: str) -> AgentDefinition:
        """`InvalidInput` with every problem if its file is broken, `NotFound` if it has none."""
        if name not in self.agents:
            self._refuse_broken("agent", name)
            raise not_found("agent", name, self.agents)
        return self.agents[name]

    def command(self, name: str) -> CommandDefinition:
        if name not in self.commands:
            self._refuse_broken("command", name)
            there_are = [command.full_name for command in self.commands.values()]
            raise not_found("command", f"{self.name}:{name}", there_are)
        return self.commands[name]

    def _refuse_broken(self, kind: str, name: str) -> None:
        at = f"{kind}s/{name}.md"
        lines = [f"{self.name}/{each}" for each in self.problems if each.file == at]
        if lines:
            raise InvalidInput(
                f"The {kind} {name!r} cannot be used until this is put right:\n" + "\n".join(lines),
                problems=lines,
            )
