"""What the loop takes from the rest of the room: each a small seam, filled in by `room.py`."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from bottega.assistant.gates.gate import Person
from bottega.assistant.hooks.hook import Hook, Point, Revision, SubagentCall, ToolUse, Transfer
from bottega.assistant.loop.turn import Turn
from bottega.assistant.plugins.definition import AgentDefinition, Plugin
from bottega.core.runs import RunContext

if TYPE_CHECKING:
    from pydantic_ai.models import Model

#: What a hook is shown beside the turn, at the points that have such a thing.
Subject = ToolUse | Transfer | SubagentCall


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


class RunHooks(Protocol):
    """Runs the hooks of one point in their order, each in a span; the first Revision ends it."""

    async def __call__(
        self, point: Point, hooks: Sequence[Hook], turn: Turn, subject: Subject | None = None
    ) -> Revision | None: ...


class Shelf(Protocol):
    """Where a command's `writes` goes: a person's workspace for a plugin."""

    async def write(self, path: str, text: str) -> object: ...


@dataclass(frozen=True, slots=True)
class Parts:
    #: A plugin by its name; `NotFound` with what there is.
    plugin: Callable[[str], Awaitable[Plugin]]
    #: Hooks by name: the agent's own first, the caller's after them.
    resolve_hooks: Callable[[Sequence[str], Sequence[str]], Sequence[Hook]]
    run_hooks: RunHooks
    tools: Callable[[Turn, AgentDefinition], Awaitable[Sequence[AgentTool]]]
    assemble: Callable[[Turn], Awaitable[AssembledPrompt]]
    #: Whoever the run belongs to, waited for by a durable pause.
    person: Callable[[RunContext, str], Person]
    workspace: Callable[[Turn], Shelf]
    #: The model that plays an agent where there is none.
    offline_model: "Callable[[Turn], Model]"
