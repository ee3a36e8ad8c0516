"""Model calls that a person waits for: tried twice (D68), their outcome in the action log (D72)."""

import asyncio
import json
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar

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


Question = TypeVar("Question")
Answered = TypeVar("Answered")


class AnswerCache(Generic[Question, Answered]):
    """The latest answer to each person, returned again while the question is the same.

    A dashboard is opened many times a day. What a model said of the same issues, skills and gaps is
    as good the second time, and costs nothing. In memory: a restart asks anew.
    """

    def __init__(self, ask: Callable[[Question, str | None], Awaitable[Answered]]) -> None:
        """`ask` is given a question and the session that pays for it."""
        self._ask = ask
        self._latest: dict[str, tuple[Question, Answered]] = {}
        #: Two pages that open together ask once.
        self._turns: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def answer(
        self,
        question: Question,
        *,
        user_id: str,
        session_id: str | None,
        anew: bool = False,
    ) -> Answered:
        async with self._turns[user_id]:
            latest = self._latest.get(user_id)
            if latest is not None and latest[0] == question and not anew:
                return latest[1]
            answered = await self._ask(question, session_id)
            self._latest[user_id] = question, answered
            return answered
