"""What the journal adds to the house."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import structlog

from bottega.core.operations import Bound, operations_of
from bottega.core.rooms import Caller, Room, Tool
from bottega.core.services import Core
from bottega.core.topics import read_topics
from bottega.errors import BottegaError
from bottega.journal import operations
from bottega.journal.calibration import operations as calibration
from bottega.journal.clusters import operations as clusters
from bottega.journal.context import operations as context
from bottega.journal.entries import operations as entries
from bottega.journal.mcp_prompts import RETRO
from bottega.journal.service import Journal
from bottega.journal.values import operations as values
from bottega.memory.room import Memory

log = structlog.get_logger()

DOMAINS = (entries, clusters, values, context, calibration, operations)


class LoggedOperations(Bound):
    """Operations whose tool calls are logged, with what was refused and why."""

    def tools(self) -> list[Tool[Any]]:
        return [replace(tool, run=_logged(tool.name, tool.run)) for tool in super().tools()]


def build(core: Core, memory: Memory) -> Room:
    journal = Journal(core)
    memory.recall.add_store(journal.experience_store)
    memory.recall.add_store(journal.value_store)

    async def start() -> None:
        await journal.start()
        journal.catch_up()

    return Room(
        name="journal",
        operations=[LoggedOperations(journal, operations_of(module)) for module in DOMAINS],
        prompts=[RETRO],
        paths=("/journal",),
        start=start,
        stop=journal.stop,
        rebuild=journal.rebuild,
        topics=read_topics(__file__),
    )


def _logged(
    tool: str, run: Callable[[Any, Caller], Awaitable[Any]]
) -> Callable[[Any, Caller], Awaitable[Any]]:
    async def logged(arguments: Any, caller: Caller) -> Any:
        try:
            answer = await run(arguments, caller)
        except BottegaError as error:
            log.warning("journal.refused", tool=tool, type=error.type, why=error.message)
            raise
        log.debug("journal.done", tool=tool, user=caller.user_id)
        return answer

    return logged
