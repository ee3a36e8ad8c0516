"""What hooks are given, and how they ask a fast model without ever blocking the person."""

from dataclasses import dataclass
from typing import TypeVar

import structlog

from bottega.assistant.loop.models import is_offline
from bottega.assistant.loop.turn import Turn
from bottega.assistant.memory_files.captures import FindNames
from bottega.assistant.memory_files.notebook import MemoryNotebook
from bottega.core.llm import tasks as offline
from bottega.core.llm.tasks import Answer, Out, Task
from bottega.errors import BudgetExceeded, ModelError, Unavailable

In = TypeVar("In")

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class HookDependencies:
    notebook: MemoryNotebook
    find_names: FindNames


async def ask_fast(turn: Turn, task: Task[In, Out], input: In) -> Answer[Out]:
    """The model's answer, or our own where there is no model, no money or no luck."""
    if not is_offline(turn.core.gateway, turn.order, turn.agent.meta):
        try:
            return await turn.core.gateway.call(
                task, input, retry=True, session_id=turn.session_id, budget=turn.budget
            )
        except (ModelError, BudgetExceeded, Unavailable) as error:
            log.warning("hook.without_model", task=task.name, error=str(error))
    return Answer(await offline.answer_offline(task, input), "offline", offline=True)
