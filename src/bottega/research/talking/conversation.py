"""A research session as a person talks to it.

What they say goes to the run that waits for them, starts a new one (`@agent question`), or is an
ordinary turn of conversation. One thing at a time: while a session works on one message, a second
is refused with the first one named, so that nobody's words are answered out of order. A turn goes
on when whoever asked is gone; what it comes to is in the conversation.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import structlog

from bottega.core.conversations import Message
from bottega.core.runs import Run, RunStatus
from bottega.core.services import Core
from bottega.core.sessions import Session, SessionKind
from bottega.errors import BottegaError, Conflict, InvalidInput, NotFound, TooLarge
from bottega.library.service import LibraryService
from bottega.research.pipeline.orders import KIND, ExitReason, ResearchOutcome
from bottega.research.runs import ResearchRuns
from bottega.research.sessions.resuming import LAST_MESSAGES, recovery_context
from bottega.research.talking.chat import Chat
from bottega.research.talking.mentions import Mention, Orders, find_mention
from bottega.research.talking.record import RunRecord

log = structlog.get_logger()

LONGEST_MESSAGE = 20_000
#: Of a message that is being worked on, when another one comes.
LONGEST_NAMED = 80


@dataclass(frozen=True, slots=True)
class Turn:
    #: Everything that this turn added to the conversation, the person's own words first.
    messages: Sequence[Message]
    #: The run that it went to or started, as it is now.
    run: Run | None = None


@dataclass(frozen=True, slots=True)
class _Working:
    text: str
    task: asyncio.Task[Turn]


class Conversation:
    def __init__(
        self, core: Core, runs: ResearchRuns, libraries: LibraryService, chat: Chat
    ) -> None:
        self._core = core
        self._runs = runs
        self._orders = Orders(core, runs, libraries)
        self._chat = chat
        self._record = RunRecord(core)
        self._working: dict[str, _Working] = {}

    async def say(
        self, session_id: str, text: str, *, user_id: str, library: str | None = None
    ) -> Turn:
        """Say something in a session; its turn, when there is nothing left to wait for."""
        return await asyncio.shield(await self._begin(session_id, text, user_id, library))

    async def begin(
        self, session_id: str, text: str, *, user_id: str, library: str | None = None
    ) -> None:
        """The same for whoever watches the run meanwhile; `rest` waits for the turn's end."""
        turn = await self._begin(session_id, text, user_id, library)
        # Asked for, so that an error is not taken for one that nobody saw: it stands in the
        # conversation, or the run goes on waiting.
        turn.add_done_callback(lambda ended: ended.cancelled() or ended.exception())

    async def rest(self, session_id: str) -> None:
        """Wait until the session works on nothing."""
        if busy := self._working.get(session_id):
            await asyncio.wait([busy.task])

    async def open(self, session_id: str, *, user_id: str) -> Sequence[Message]:
        """The conversation, with what its runs have come to since somebody last looked."""
        await self._session(session_id, user_id)
        await self._record.catch_up(session_id, user_id)
        return await self._core.conversations.list(session_id, user_id=user_id)

    async def stop(self) -> None:
        """Put down what is being worked on. Runs go on at the next start."""
        tasks = [working.task for working in self._working.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _begin(
        self, session_id: str, text: str, user_id: str, library: str | None
    ) -> asyncio.Task[Turn]:
        _check(text)
        session = await self._session(session_id, user_id)
        if busy := self._working.get(session.id):
            raise Conflict(
                f"This session is still working on {_named(busy.text)}. Wait for that, then send "
                "this again.",
                working_on=busy.text[:LONGEST_NAMED],
            )
        turn = self._take_turn(session, text, library)
        task = asyncio.create_task(turn, name=f"research-turn-{session.id}")
        self._working[session.id] = _Working(text, task)
        task.add_done_callback(lambda done: self._put_away(session.id, done))
        return task

    def _put_away(self, session_id: str, turn: asyncio.Task[Turn]) -> None:
        del self._working[session_id]
        if not turn.cancelled() and (error := turn.exception()):
            # Said here too: whoever asked may be gone.
            log.info("research.turn_failed", session_id=session_id, error=str(error))

    async def _take_turn(self, session: Session, text: str, library: str | None) -> Turn:
        await self._record.catch_up(session.id, session.user_id)
        start = await self._length(session)
        waiting = await self._unfinished_run(session)
        mention = find_mention(text)
        if waiting is not None:
            run = await self._reply(session, waiting, text, is_mention=mention is not None)
        elif mention is not None:
            run = await self._research(session, text, mention, library)
        else:
            run = None
            asked = await self._say(session, "user", text, {"type": "chat"})
            await self._answer(session, text, asked.position, library)
        said = await self._core.conversations.list(session.id, user_id=session.user_id, start=start)
        return Turn(said, run)

    async def _reply(self, session: Session, run: Run, text: str, *, is_mention: bool) -> Run:
        if run.status is not RunStatus.PAUSED or is_mention:
            waits = "waits for your reply" if run.status is RunStatus.PAUSED else "is at work"
            raise Conflict(
                f"The research run {run.id!r} of this session {waits}. Reply to it, wait for it, "
                "or cancel it before you start something else.",
                status=run.status,
                run_id=run.id,
            )
        await self._runs.reply(run.id, text, session.user_id)
        return await self._follow(session, run.id)

    async def _research(
        self, session: Session, text: str, mention: Mention, library: str | None
    ) -> Run:
        try:
            order = await self._orders.order(session, mention, library)
            run = await self._runs.start(order, user_id=session.user_id, session_id=session.id)
        except BottegaError as error:
            # Their words are kept, and why nothing came of them.
            await self._say(session, "user", text, {"type": "chat"})
            await self._say(session, "assistant", error.message, _failure(error))
            raise
        return await self._follow(session, run.id)

    async def _follow(self, session: Session, run_id: str) -> Run:
        """Wait until the run needs somebody, and put what it said into the conversation."""
        run = await self._runs.wait_until_settled(run_id)
        await self._record.catch_up(session.id, session.user_id)
        if question := _left_for(run):
            await self._answer(session, question, await self._length(session))
        return run

    async def _answer(
        self, session: Session, question: str, position: int, library: str | None = None
    ) -> None:
        """An ordinary turn, with what was said before `position` in mind."""
        start = max(0, position - 2 * LAST_MESSAGES)
        before = await self._core.conversations.list(
            session.id, user_id=session.user_id, start=start, limit=position - start
        )
        try:
            chosen = await self._orders.library(session, library)
            reply = await self._chat.answer(session, question, recovery_context(before), chosen)
        except BottegaError as error:
            await self._say(session, "assistant", error.message, _failure(error))
            raise
        await self._say(session, "assistant", reply.text, reply.content)

    async def _unfinished_run(self, session: Session) -> Run | None:
        runs = await self._core.runs.list(kind=KIND, session_id=session.id, limit=1)
        return next((run for run in runs if not run.status.is_final), None)

    async def _session(self, session_id: str, user_id: str) -> Session:
        session = await self._core.sessions.get(session_id, user_id=user_id)
        if session.kind != SessionKind.RESEARCH:
            raise NotFound(f"There is no research session {session_id!r}.")
        return session

    async def _length(self, session: Session) -> int:
        return await self._core.conversations.length(session.id, user_id=session.user_id)

    async def _say(
        self, session: Session, role: str, text: str, content: dict[str, Any]
    ) -> Message:
        return await self._core.conversations.append(
            session.id, role, content, text, user_id=session.user_id
        )


def _check(text: str) -> None:
    if not text.strip():
        raise InvalidInput("The message is empty. Say something, or ask.")
    if len(text) > LONGEST_MESSAGE:
        raise TooLarge(
            f"The message has {len(text):,} characters, and {LONGEST_MESSAGE:,} are the most. "
            "Ask for the gist of it here, and add long texts to a library.",
            length=len(text),
            limit=LONGEST_MESSAGE,
        )


def _left_for(run: Run) -> str | None:
    """What somebody who left the run wants answered instead."""
    if run.output is None:
        return None
    outcome = ResearchOutcome.model_validate(run.output)
    return outcome.open_question if outcome.exit_reason is ExitReason.BREAKOUT else None


def _failure(error: BottegaError) -> dict[str, Any]:
    return {"type": "error", "error": error.type}


def _named(text: str) -> str:
    line = " ".join(text.split())
    return repr(line if len(line) <= LONGEST_NAMED else line[: LONGEST_NAMED - 1] + "…")
