"""The latest answer to each person, returned again while the question is the same.

A dashboard is opened many times a day. What a model said of the same issues, skills and gaps is as
good the second time, and costs nothing.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

Question = TypeVar("Question")
Answered = TypeVar("Answered")


class AnswerCache(Generic[Question, Answered]):
    """The latest answer to each person. In memory: a restart asks anew."""

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
