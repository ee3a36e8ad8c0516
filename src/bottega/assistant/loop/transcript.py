"""What a turn finds in its session, and what it leaves there.

Both are steps of a run, and a step may be done again when a crash came before its record: messages
have ids that follow from the run's, so that they are said once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel
from sqlalchemy import func, insert, select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.assistant.tables import AssistantSession
from bottega.core import clock
from bottega.core.conversations import Message
from bottega.core.database import storable
from bottega.core.services import Core
from bottega.core.sessions import SessionStatus, lock
from bottega.errors import NotFound

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage


class Beginning(BaseModel):
    """A session as a turn finds it."""

    #: How many messages were there before.
    position: int
    tasks: list[dict[str, Any]]
    class_id: str | None


@dataclass(frozen=True, slots=True)
class Kept:
    """What a turn leaves behind, beside its messages."""

    agent: str
    class_id: str | None
    tasks: list[dict[str, Any]]
    #: `None` leaves the one that was there.
    artefact: str | None
    #: Whether the person is expected to go on.
    awaits_input: bool


class Transcript:
    def __init__(self, core: Core) -> None:
        self._core = core

    async def begin(self, session_id: str, run_id: str, said: str) -> Beginning:
        """Note what the person says: it stands there whatever becomes of the turn."""
        from bottega.assistant.loop import history

        async with self._core.database.write() as writing:
            row = await _locked(writing, session_id)
            position = await _put(writing, session_id, run_id, [history.said(said)])
            return Beginning(position=position, tasks=row.tasks, class_id=row.class_id)

    async def read(self, session_id: str, length: int) -> "list[ModelMessage]":
        """The first messages of the conversation, exactly as they were."""
        from bottega.assistant.loop import history

        kept = await self._core.conversations.list(session_id, user_id=None, limit=length)
        return history.load(message.content for message in kept)

    async def keep(
        self, session_id: str, run_id: str, said: "Sequence[ModelMessage]", kept: Kept
    ) -> None:
        async with self._core.database.write() as writing:
            row = await _locked(writing, session_id)
            # The first is what the person said, now in the words that the model got.
            await _put(writing, session_id, run_id, said)
            row.agent, row.class_id, row.tasks = kept.agent, kept.class_id, kept.tasks
            row.updated_at = clock.now()
            if kept.artefact is not None:
                row.artefact = storable(kept.artefact)
        status = SessionStatus.ACTIVE if kept.awaits_input else SessionStatus.IDLE
        await self._core.sessions.set_status(session_id, status, user_id=None)


async def _put(
    writing: AsyncSession, session_id: str, run_id: str, said: "Sequence[ModelMessage]"
) -> int:
    """Add a turn's messages, or change those that are there; where the first of them stands."""
    from bottega.assistant.loop import history

    ids = [f"{run_id}-{number}" for number in range(len(said))]
    rows = await writing.scalars(select(Message).where(Message.id.in_(ids)))
    known = {row.id: row for row in rows}
    count = select(func.count()).where(Message.session_id == session_id)
    length = await writing.scalar(count) or 0
    first = known[ids[0]].position if ids and ids[0] in known else length
    added: list[dict[str, Any]] = []
    for identifier, message in zip(ids, said, strict=True):
        values = {
            "role": history.role(message),
            "content": history.dump(message),
            "text": storable(history.text(message)),
        }
        if (row := known.get(identifier)) is not None:
            for name, value in values.items():
                setattr(row, name, value)
        else:
            place = {"id": identifier, "session_id": session_id, "position": length + len(added)}
            added.append(place | values)
    if added:
        # In one go: rows that are added one by one are asked for their numbers one by one.
        await writing.execute(insert(Message), added)
    return first


async def _locked(writing: AsyncSession, session_id: str) -> AssistantSession:
    await lock(writing, session_id, None)
    row = await writing.get(AssistantSession, session_id)
    if row is None:
        raise NotFound(f"There is no assistant session {session_id!r}.")
    return row
