"""What a model would be told, without asking one: `--dry-run`."""

import asyncio
from dataclasses import dataclass, field

from bottega.assistant.loop.turn import LoopContext
from bottega.assistant.orders import AssistantOrder
from bottega.assistant.plugins.definition import AgentDefinition, CommandDefinition, Plugin
from bottega.assistant.plugins.loading import plugin_folders
from bottega.assistant.prompt.assembly import assemble
from bottega.assistant.prompt.gathering import ReadMemory, gather
from bottega.assistant.prompt.sections import Prompt
from bottega.core.services import Core


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """A turn that nobody takes."""

    core: Core
    user_id: str
    order: AssistantOrder
    plugin: Plugin
    agent: AgentDefinition
    command: CommandDefinition | None
    class_id: str | None = None
    context: LoopContext = field(default_factory=LoopContext)
    additions: dict[str, str] = field(default_factory=dict)
    set_aside: set[str] = field(default_factory=set)

    @property
    def input(self) -> str:
        return self.order.input


async def dry_run(
    core: Core, order: AssistantOrder, user_id: str, read_memory: ReadMemory
) -> Prompt:
    """The prompt as the first model call would have it, before any hook has added to it."""
    plugin = await asyncio.to_thread(plugin_folders(core).load, order.plugin)
    turn = Rehearsal(
        core=core,
        user_id=user_id,
        order=order,
        plugin=plugin,
        agent=plugin.agent(order.agent),
        command=plugin.command(order.command) if order.command else None,
    )
    return assemble(turn, await gather(turn, read_memory))
