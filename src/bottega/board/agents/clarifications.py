"""Questions of agents, and people's answers.

An agent that may not decide asks, with the options it sees. It waits for the answer in a call
(`wait`), or goes on and hears it with its next heartbeat.
"""

import asyncio
from collections.abc import Sequence

from sqlalchemy import Select, select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.agents.schemas import LONGEST_WAIT
from bottega.board.agents.sessions import agent_event
from bottega.board.agents.tables import Clarification
from bottega.board.queue import repository
from bottega.board.queue.leases import lock_agent, wake
from bottega.core import clock
from bottega.core.services import Core
from bottega.core.sessions.session import Session, find
from bottega.core.trust.admission import admit
from bottega.errors import Conflict, InvalidInput, NotFound

LONGEST_ANSWER = 10_000


class Clarifications:
    def __init__(self, core: Core) -> None:
        self._core = core

    async def ask(
        self,
        session_id: str,
        user_id: str | None,
        question: str,
        *,
        options: Sequence[str] = (),
        blocking: bool = True,
        change_id: str | None = None,
    ) -> Clarification:
        """About the change the session holds, unless another is named. A question that is open
        already is not asked twice."""
        question, options = admit(question, "question"), admit(list(options), "question")
        async with self._core.database.write() as session:
            row = await lock_agent(session, session_id, user_id)
            wake(row)
            asked = await _open_question(session, session_id, question)
            if asked is not None:
                return asked
            if change_id is None:
                held = await repository.held_by(session, session_id)
                change_id = None if held is None else held.id
            asked = Clarification(
                session_id=session_id,
                project_id=row.data["project_id"],
                change_id=change_id,
                question=question,
                options=list(options),
                blocking=blocking,
            )
            session.add(asked)
        self._core.bus.publish(
            agent_event(
                "agents.asked",
                row,
                clarification_id=asked.id,
                change_id=asked.change_id,
                question=question,
                options=asked.options,
                blocking=blocking,
            )
        )
        return asked

    async def answer(self, clarification_id: str, answer: str, user_id: str) -> Clarification:
        """One of the options, or the person's own words."""
        words = admit(answer.strip(), "answer")
        if not words:
            raise InvalidInput("The answer is empty. Choose an option or write a few words.")
        async with self._core.database.write() as session:
            asked, row = await _find(session, clarification_id, user_id, lock=True)
            if asked.answered_at is not None:
                raise Conflict(_why_closed(asked), answer=asked.answer)
            asked.answer = words
            asked.answered_by = user_id
            asked.answered_at = clock.now()
        self._core.bus.publish(
            agent_event(
                "agents.answered",
                row,
                clarification_id=asked.id,
                change_id=asked.change_id,
                answer=words,
            )
        )
        return asked

    async def get(self, clarification_id: str, user_id: str | None) -> Clarification:
        async with self._core.database.read() as session:
            asked, _ = await _find(session, clarification_id, user_id)
            return asked

    async def wait(
        self, clarification_id: str, user_id: str | None, seconds: float = LONGEST_WAIT
    ) -> Clarification:
        """The question as soon as it is answered or closed, or as it is when the time is over."""
        deadline = asyncio.get_running_loop().time() + min(seconds, LONGEST_WAIT)
        # Listen before looking, or an answer in between would be missed.
        async with self._core.bus.subscribe("agents.answered", "agents.ended") as heard:
            asked = await self._look(clarification_id, user_id)
            while asked.answered_at is None:
                try:
                    async with asyncio.timeout_at(deadline):
                        event = await anext(heard)
                except (TimeoutError, StopAsyncIteration):
                    break
                # Of no session: it tells that some were missed.
                if event.session_id in (None, asked.session_id):
                    asked = await self._look(clarification_id, user_id)
        return asked

    async def list(
        self,
        user_id: str | None,
        *,
        open_only: bool = True,
        project_id: str | None = None,
        limit: int = 200,
    ) -> Sequence[Clarification]:
        """Open ones, the longest waiting first; or all, the newest first."""
        async with self._core.database.read() as session:
            query = _listed(user_id, open_only, project_id).limit(limit)
            return (await session.scalars(query)).all()

    async def _look(self, clarification_id: str, user_id: str | None) -> Clarification:
        asked = await self.get(clarification_id, user_id)
        if asked.answer is not None and asked.delivered_at is None:
            async with self._core.database.write(durable=False) as session:
                row, _ = await _find(session, clarification_id, user_id)
                row.delivered_at = clock.now()
        return asked


def _listed(user_id: str | None, open_only: bool, project_id: str | None) -> Select[Clarification]:
    query = select(Clarification).join(Session, Session.id == Clarification.session_id)
    if user_id is not None:
        query = query.where(Session.user_id == user_id)
    if project_id is not None:
        query = query.where(Clarification.project_id == project_id)
    if open_only:
        return query.where(Clarification.answered_at.is_(None)).order_by(Clarification.id)
    return query.order_by(Clarification.id.desc())


async def _open_question(
    session: AsyncSession, session_id: str, question: str
) -> Clarification | None:
    found = await session.scalars(
        select(Clarification).where(
            Clarification.session_id == session_id,
            Clarification.answered_at.is_(None),
            Clarification.question == question,
        )
    )
    return found.first()


async def _find(
    session: AsyncSession, clarification_id: str, user_id: str | None, *, lock: bool = False
) -> tuple[Clarification, Session]:
    wanted = select(Clarification).where(Clarification.id == clarification_id)
    found = await session.scalars(wanted.with_for_update() if lock else wanted)
    asked = found.one_or_none()
    if asked is None:
        raise _unknown(clarification_id)
    try:
        return asked, await find(session, asked.session_id, user_id)
    except NotFound:
        raise _unknown(clarification_id) from None


def _why_closed(asked: Clarification) -> str:
    if asked.answer is None:
        return f"The session that asked {asked.question!r} has ended; nobody waits for an answer."
    return f"{asked.question!r} was answered already: {asked.answer!r}."


def _unknown(clarification_id: str) -> NotFound:
    return NotFound(f"There is no question {clarification_id!r}.")
