"""Going on with a conversation, whatever became of its transcript.

A session may be bound to a conversation of Claude's SDK. If that one's transcript is gone or holds
nothing, the binding is dropped and the session starts afresh with the last things that were said,
rather than failing.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import structlog

from bottega.core.conversations import Message
from bottega.core.services import Core
from bottega.research.sessions import repository
from bottega.research.sessions.claude import is_resumable_transcript
from bottega.research.sessions.views import Binding, facts_of

LAST_MESSAGES = 6
LONGEST_MESSAGE = 1_000

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Recovered:
    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Resumption:
    #: The SDK's session to resume; `None` starts a fresh one.
    resume: str | None
    #: What to tell a fresh one of what was said before.
    recovered: Sequence[Recovered] = ()


class Resuming:
    def __init__(self, core: Core) -> None:
        self._core = core

    async def bind(self, session_id: str, binding: Binding, *, user_id: str | None) -> None:
        """Remember which conversation of the SDK the session goes on with."""
        async with self._core.database.read() as session:
            await repository.get(session, session_id, user_id)
        await self._core.sessions.note(
            session_id, user_id=user_id, binding=binding.model_dump(mode="json")
        )

    async def prepare(
        self, session_id: str, config_dir: Path, *, user_id: str | None
    ) -> Resumption:
        """How the next turn begins: before every resume, and after every turn, ask this."""
        async with self._core.database.read() as session:
            row = await repository.get(session, session_id, user_id)
            messages = await repository.messages(session, session_id)
        binding = facts_of(row).binding
        if binding is not None:
            if await asyncio.to_thread(
                is_resumable_transcript, config_dir, binding.cwd, binding.session_id
            ):
                return Resumption(binding.session_id)
            log.warning("research.transcript_not_resumable", session_id=session_id)
            await self._core.sessions.note(session_id, user_id=user_id, binding=None)
        return Resumption(None, recovery_context(messages))


def recovery_context(messages: Sequence[Message]) -> list[Recovered]:
    """The last six messages with words in them, a thousand characters of each."""
    spoken = [message for message in messages if message.text.strip()]
    return [
        Recovered(message.role, _cut(message.text.strip())) for message in spoken[-LAST_MESSAGES:]
    ]


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_MESSAGE else f"{text[: LONGEST_MESSAGE - 1]}…"
