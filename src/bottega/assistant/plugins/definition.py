"""What a plugin's markdown files say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from bottega.assistant.plugins.problems import PluginProblem, not_found
from bottega.errors import InvalidInput


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]


class AgentMeta(Strict):
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


class CommandMeta(Strict):
    """The frontmatter of `commands/{name}.md`."""

    agent: Name = Field(description="the agent to invoke")
    description: str = Field(description="what it does, in a line")
    #: Something that people might say to it.
    example: str | None = None
    mode: CommandMode = CommandMode.SINGLE
    #: Where its output is put in the workspace; `{slug}`, `{class}` and `{date}` are filled in.
    writes: str | None = None


class SkillMeta(BaseModel):
    """The frontmatter of `skills/{name}/SKILL.md`: Claude Code's, of which we need this much."""

    model_config = ConfigDict(extra="allow", frozen=True)

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


class Origin(StrEnum):
    """Where a plugin was found; a later one stands in for an earlier of the same name."""

    SHIPPED = "shipped"
    #: In the data directory.
    OWN = "own"
    PROJECT = "project"


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
