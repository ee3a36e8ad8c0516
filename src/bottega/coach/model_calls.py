"""Model calls that a person waits for: tried twice (D68), their outcome in the action log (D72)."""

import json
import time
from typing import Any, TypeVar

from pydantic import BaseModel

from bottega.core.llm.tasks import Answer, Task
from bottega.core.services import Core
from bottega.core.sessions.actions import ActionType
from bottega.errors import BottegaError

In = TypeVar("In")
Out = TypeVar("Out", bound=BaseModel)


async def ask(
    core: Core,
    task: Task[In, Out],
    input: In,
    *,
    session_id: str | None,
    action: ActionType,
    about: dict[str, Any],
) -> Answer[Out]:
    """Asks the model, with one retry; a failure is logged as the `action` and raised."""
    started = time.perf_counter()
    try:
        return await core.gateway.call(task, input, retry=True, session_id=session_id)
    except BottegaError as error:
        failure = {
            **about,
            "model": core.gateway.mode.name(task.tier).id,
            "latency_ms": round((time.perf_counter() - started) * 1000),
            "success": False,
            "error": error.message,
        }
        await core.actions.log_action(session_id, action, failure)
        raise


def as_json(**facts: Any) -> str:
    """What a model is given to work on; every script stays as it is written."""
    return json.dumps(facts, ensure_ascii=False)


def success(answer: Answer[Any]) -> dict[str, Any]:
    """The fields that the action log keeps of a successful call."""
    return {"model": answer.model, "latency_ms": answer.latency_ms, "success": True}
