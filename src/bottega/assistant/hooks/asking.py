"""A hook's question to a fast model, which may never stand in the person's way."""

from typing import TypeVar

import structlog

from bottega.assistant.loop.models import is_offline
from bottega.assistant.loop.turn import Turn
from bottega.core.llm import offline
from bottega.core.llm.tasks import Answer, Out, Task
from bottega.errors import BudgetExceeded, ModelError, Unavailable

In = TypeVar("In")

log = structlog.get_logger()


async def ask_fast(turn: Turn, task: Task[In, Out], input: In) -> Answer[Out]:
    """The model's answer, or our own where there is no model, no money or no luck."""
    if not is_offline(turn.core.gateway, turn.order, turn.agent.meta):
        try:
            return await turn.core.gateway.call(
                task, input, retry=True, session_id=turn.session_id, budget=turn.budget
            )
        except (ModelError, BudgetExceeded, Unavailable) as error:
            log.warning("hook.without_model", task=task.name, error=str(error))
    return Answer(await offline.work_out(task, input), "offline", offline=True)
