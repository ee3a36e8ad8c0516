"""What the loop needs from the rest of the room, passed in when the room is built."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from bottega.assistant.loop.hooks import Hook
from bottega.assistant.loop.turn import Turn
from bottega.assistant.plugins.definition import AgentDefinition, Plugin

if TYPE_CHECKING:
    from pydantic_ai.models import Model


class AgentTool(Protocol):
    """A tool as the loop uses it; its schema is JSON Schema of an object."""

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...

    @property
    def schema(self) -> Mapping[str, Any]: ...

    @property
    def in_step(self) -> bool:
        """Whether a call is one durable step. A tool that asks the person, or has steps of its
        own, runs between steps instead."""
        ...

    async def run(self, arguments: dict[str, Any]) -> Any:
        """The result for the model, as JSON; an error of our tree is told to it."""
        ...


class AssembledPrompt(Protocol):
    @property
    def text(self) -> str: ...

    @property
    def tokens_by_section(self) -> Mapping[str, int]: ...


class OutputWriter(Protocol):
    """Writes a command's output to where its `writes` says, in the person's workspace."""

    async def write(self, path: str, text: str) -> object: ...


@dataclass(frozen=True, slots=True)
class LoopDependencies:
    #: A plugin by its name; `NotFound` with what there is.
    plugin: Callable[[str], Awaitable[Plugin]]
    #: Hooks by name: the agent's own first, the caller's after them.
    resolve_hooks: Callable[[Sequence[str], Sequence[str]], Sequence[Hook]]
    tools: Callable[[Turn, AgentDefinition], Awaitable[Sequence[AgentTool]]]
    assemble: Callable[[Turn], Awaitable[AssembledPrompt]]
    workspace: Callable[[Turn], OutputWriter]
    #: The model that plays an agent where there is none.
    offline_model: "Callable[[Turn], Model]"
