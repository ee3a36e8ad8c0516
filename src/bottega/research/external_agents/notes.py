"""`agent_state`: values that an agent from outside keeps from one turn to the next."""

import json
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict
from sqlalchemy import delete, func, select

from bottega.core.services import Core
from bottega.core.sessions.session import lock
from bottega.errors import InvalidInput, NotFound, TooLarge, TooMany
from bottega.research.external_agents.tables import AgentNote
from bottega.research.sessions import repository

MOST_KEYS = 200
#: Characters of a value as JSON.
LARGEST_VALUE = 64_000


def check_size(what: str, value: Any, most: int) -> None:
    """`most` characters of JSON. Not-a-number is none, and PostgreSQL would not take it."""
    try:
        size = len(json.dumps(value, allow_nan=False))
    except ValueError:
        raise InvalidInput(f"{what} has a number that JSON does not know.") from None
    except RecursionError:
        raise InvalidInput(f"{what} is nested too deeply.") from None
    if size > most:
        raise TooLarge(f"{what} has {size:,} characters of JSON; {most:,} are taken.")


class NoteView(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    key: str
    value: Any
    updated_at: datetime


class AgentNotes:
    """Each session and each agent in it has its own."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def get(self, session_id: str, agent: str, key: str, *, user_id: str) -> NoteView:
        async with self._core.database.read() as session:
            await repository.get(session, session_id, user_id)
            note = await session.get(AgentNote, (session_id, agent, key))
        if note is None:
            raise NotFound(f"{agent!r} keeps nothing under {key!r} in this session.")
        return NoteView.model_validate(note)

    async def keys(self, session_id: str, agent: str, *, user_id: str) -> list[str]:
        query = select(AgentNote.key).filter_by(session_id=session_id, agent=agent)
        async with self._core.database.read() as session:
            await repository.get(session, session_id, user_id)
            return list(await session.scalars(query.order_by(AgentNote.key)))

    async def set(
        self, session_id: str, agent: str, key: str, value: Any, *, user_id: str
    ) -> NoteView:
        _check(key, value)
        async with self._core.database.write() as session:
            await repository.get(session, session_id, user_id)
            # Writers of one session take turns, so that nobody passes the limit.
            await lock(session, session_id, user_id)
            note = await session.get(AgentNote, (session_id, agent, key))
            if note is None:
                count = select(func.count()).where(
                    AgentNote.session_id == session_id, AgentNote.agent == agent
                )
                if (await session.scalar(count) or 0) >= MOST_KEYS:
                    raise TooMany(f"{agent!r} keeps {MOST_KEYS} values already. Delete some first.")
                note = AgentNote(session_id=session_id, agent=agent, key=key)
                session.add(note)
            note.value = value
            await session.flush()
        return NoteView.model_validate(note)

    async def delete(self, session_id: str, agent: str, key: str, *, user_id: str) -> bool:
        """Whether there was one."""
        gone = delete(AgentNote).where(
            AgentNote.session_id == session_id, AgentNote.agent == agent, AgentNote.key == key
        )
        async with self._core.database.write() as session:
            await repository.get(session, session_id, user_id)
            return len((await session.scalars(gone.returning(AgentNote.key))).all()) > 0


def _check(key: str, value: Any) -> None:
    if not key:
        raise InvalidInput("A value needs a key.")
    check_size(f"The value of {key!r}", value, LARGEST_VALUE)
