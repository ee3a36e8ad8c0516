"""Titles, made beside the conversation and never in it.

The call knows the questions and nothing else of the session: it neither reads nor writes the
conversation's messages, so that a title in the making cannot disturb a turn.
"""

import asyncio
from collections.abc import Sequence

import structlog

from bottega.core.llm.gateway import Gateway
from bottega.core.sessions import Sessions
from bottega.errors import BottegaError
from bottega.research.prompts.title import Asked, offline, tidy, title_session

LONGEST_TITLE = 200
MAX_TOKENS = 200

log = structlog.get_logger()


class Titles:
    def __init__(self, gateway: Gateway, sessions: Sessions) -> None:
        self._gateway = gateway
        self._sessions = sessions
        #: By session.
        self._making: dict[str, asyncio.Task[None]] = {}

    def begin(self, session_id: str, question: str) -> None:
        """Make a title for a session that has none, while its first question is answered."""
        if session_id not in self._making:
            task = asyncio.create_task(self._make(session_id, question), name="research-title")
            self._making[session_id] = task
            task.add_done_callback(lambda _: self._making.pop(session_id))

    async def make(self, session_id: str, questions: Sequence[str]) -> str:
        """A title from what was asked; raises what the model's failure raises."""
        answer = await self._gateway.run(
            title_session, Asked(questions), session_id=session_id, max_tokens=MAX_TOKENS
        )
        return tidy(answer.title) or offline(Asked(questions)).title

    async def settled(self) -> None:
        """Return when no title is in the making."""
        await asyncio.gather(*self._making.values())

    async def stop(self) -> None:
        making = tuple(self._making.values())
        for task in making:
            task.cancel()
        await asyncio.gather(*making, return_exceptions=True)

    async def _make(self, session_id: str, question: str) -> None:
        try:
            # A name that a person gave meanwhile is the better one, and stays.
            await self._sessions.entitle(session_id, await self._title(session_id, question))
        except Exception:
            # The edge of a task of its own: there is nobody to tell, and the session goes on.
            log.exception("research.title_not_kept", session_id=session_id)

    async def _title(self, session_id: str, question: str) -> str:
        try:
            return await self.make(session_id, [question])
        except BottegaError as error:
            log.warning("research.title_failed", session_id=session_id, error=error.message)
            return offline(Asked([question])).title
