"""What has to be read before a prompt can be assembled: the workspace and the memory."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol

from bottega.assistant.orders import AssistantOrder
from bottega.assistant.plugins.definition import AgentDefinition, Plugin
from bottega.assistant.workspace.view import WorkspaceView
from bottega.assistant.workspace.workspace import workspace_for
from bottega.core.services import Core

#: Lines of a MEMORY.md that stand in the prompt; it is an index, and the rest is read on demand.
MEMORY_LINES = 200

#: The `MEMORY.md` of a class, or the person's own for None; empty if there is none.
ReadMemory = Callable[[str | None], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class PromptParts:
    workspace: WorkspaceView = field(default_factory=WorkspaceView)
    teacher_memory: str = ""
    class_memory: str = ""
    #: The class that the request is about.
    class_id: str | None = None


class Asked(Protocol):
    """What of a turn decides what is read for it."""

    @property
    def core(self) -> Core: ...
    @property
    def user_id(self) -> str: ...
    @property
    def order(self) -> AssistantOrder: ...
    @property
    def plugin(self) -> Plugin: ...
    @property
    def agent(self) -> AgentDefinition: ...
    @property
    def input(self) -> str: ...
    @property
    def class_id(self) -> str | None: ...
    @property
    def set_aside(self) -> set[str]: ...


async def gather(turn: Asked, read_memory: ReadMemory) -> PromptParts:
    workspace = workspace_for(turn.core, turn.user_id, turn.plugin)
    view = await workspace.view(
        turn.input, listed=turn.agent.meta.workspace, class_id=turn.class_id
    )
    class_id = view.class_id

    async def remember(class_id: str | None) -> str:
        is_wanted = uses_memory(turn.order, turn.agent)
        is_wanted &= memory_path(class_id) not in turn.set_aside
        return await read_memory(class_id) if is_wanted else ""

    return PromptParts(
        workspace=view.without(turn.set_aside),
        teacher_memory=await remember(None),
        class_memory=await remember(class_id) if class_id else "",
        class_id=class_id,
    )


def memory_path(class_id: str | None) -> str:
    """Where the `MEMORY.md` of a class, or the person's own, is said to be."""
    return f"memory/classes/{class_id}/MEMORY.md" if class_id else "memory/MEMORY.md"


def uses_memory(order: AssistantOrder, agent: AgentDefinition) -> bool:
    """Off by `--no-memory`, by the agent's own file, or for an ablation."""
    return order.memory and agent.meta.memory and "memory" not in order.without
