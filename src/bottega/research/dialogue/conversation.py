"""A research session as a person talks to it.

What they say goes to the run that waits for them, starts a new one (`@agent question`), or is an
ordinary turn of conversation. One thing at a time: while a session works on one message, a second
is refused with the first one named, so that nobody's words are answered out of order. A turn goes
on when whoever asked is gone; what it comes to is in the conversation.
"""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import structlog

from bottega.conversation.runs import check_length, unfinished_run
from bottega.core.runs import Run, RunStatus
from bottega.core.services import Core
from bottega.core.sessions.conversations import Message
from bottega.core.sessions.session import Session, SessionKind
from bottega.core.text.words import one_line, shorten
from bottega.errors import BottegaError, Conflict, InvalidInput, NotFound
from bottega.library.service import Library, LibraryService
from bottega.research.dialogue.chat import Chat
from bottega.research.dialogue.run_record import RunRecord
from bottega.research.pipeline.follow_up import last_answered
from bottega.research.pipeline.schemas import KIND, ExitReason, ResearchOrder, ResearchOutcome
from bottega.research.pipeline.service import ResearchRuns
from bottega.research.sessions.claude import LAST_MESSAGES, recovery_context

_MENTION = re.compile(r"\s*@([A-Za-z0-9][\w-]{0,63})(?:\s+(.*))?\Z", re.DOTALL)
log = structlog.get_logger()
LONGEST_MESSAGE = 20_000
#: Of a message that is being worked on, when another one comes.
LONGEST_NAMED = 80


@dataclass(frozen=True, slots=True)
class Mention:
    slug: str
    question: str


def find_mention(text: str) -> Mention | None:
    match = _MENTION.match(text)
    return Mention(match[1].lower(), (match[2] or "").strip()) if match else None


@dataclass(frozen=True, slots=True)
class ConversationTurn:
    #: Everything that this turn added to the conversation, the person's own words first.
    messages: Sequence[Message]
    #: The run that it went to or started, as it is now.
    run: Run | None = None


@dataclass(frozen=True, slots=True)
class _Working:
    text: str
    task: asyncio.Task[ConversationTurn]


class Conversation:
    def __init__(
        self, core: Core, runs: ResearchRuns, libraries: LibraryService, chat: Chat
    ) -> None:
        self._core = core
        self._runs = runs
        self._libraries = libraries
        self._chat = chat
        self._record = RunRecord(core)
        self._working: dict[str, _Working] = {}

    async def say(
        self, session_id: str, text: str, *, user_id: str, library: str | None = None
    ) -> ConversationTurn:
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
    ) -> asyncio.Task[ConversationTurn]:
        _check(text)
        session = await self._session(session_id, user_id)
        if busy := self._working.get(session.id):
            named = shorten(one_line(busy.text), LONGEST_NAMED)
            raise Conflict(
                f"This session is still working on {named!r}. Wait for that, then send this again.",
                working_on=busy.text[:LONGEST_NAMED],
            )
        turn = self._take_turn(session, text, library)
        task = asyncio.create_task(turn, name=f"research-turn-{session.id}")
        self._working[session.id] = _Working(text, task)
        task.add_done_callback(lambda done: self._put_away(session.id, done))
        return task

    def _put_away(self, session_id: str, turn: asyncio.Task[ConversationTurn]) -> None:
        del self._working[session_id]
        if not turn.cancelled() and (error := turn.exception()):
            # Said here too: whoever asked may be gone.
            log.info("research.turn_failed", session_id=session_id, error=str(error))

    async def _take_turn(
        self, session: Session, text: str, library: str | None
    ) -> ConversationTurn:
        await self._record.catch_up(session.id, session.user_id)
        start = await self._length(session)
        waiting = await unfinished_run(self._core, session.id, KIND)
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
        return ConversationTurn(said, run)

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
            order = await self._order(session, mention, library)
            run = await self._runs.start(order, user_id=session.user_id, session_id=session.id)
        except BottegaError as error:
            # Their words are kept, and why nothing came of them.
            await self._say(session, "user", text, {"type": "chat"})
            await self._say(session, "assistant", error.message, _failure(error))
            raise
        return await self._follow(session, run.id)

    async def _order(self, session: Session, mention: Mention, named: str | None) -> ResearchOrder:
        agent = await self._runs.agent(mention.slug)
        if not mention.question:
            raise InvalidInput(
                f"What should @{mention.slug} look into? Write your question behind it."
            )
        library = await self._library(session, named, otherwise=agent.meta.library)
        if library is None:
            names = [each.name for each in await self._libraries.libraries.list(session.user_id)]
            raise InvalidInput(
                "Which library should be asked? Name one for this session. There are: "
                f"{', '.join(names) or 'none yet'}.",
                valid_options=names,
            )
        follows_up = agent.config.follow_up.enabled
        before = (
            await last_answered(self._core, session.id, session.user_id) if follows_up else None
        )
        return ResearchOrder(
            question=mention.question,
            library=library.name,
            agent=agent.slug,
            follow_up_of=before.id if before else None,
        )

    async def _library(
        self, session: Session, named: str | None, *, otherwise: str | None = None
    ) -> Library | None:
        """The one that is named, the session's own, `otherwise`, or the only one that there is."""
        if name := named or session.data.get("library") or otherwise:
            return await self._libraries.libraries.get(name, session.user_id)
        every = await self._libraries.libraries.list(session.user_id)
        return every[0] if len(every) == 1 else None

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
            chosen = await self._library(session, library)
            reply = await self._chat.answer(session, question, recovery_context(before), chosen)
        except BottegaError as error:
            await self._say(session, "assistant", error.message, _failure(error))
            raise
        await self._say(session, "assistant", reply.text, reply.content)

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
    advice = "Ask for the gist of it here, and add long texts to a library."
    check_length("message", text, LONGEST_MESSAGE, advice)


def _left_for(run: Run) -> str | None:
    """What somebody who left the run wants answered instead."""
    if run.output is None:
        return None
    outcome = ResearchOutcome.model_validate(run.output)
    return outcome.open_question if outcome.exit_reason is ExitReason.BREAKOUT else None


def _failure(error: BottegaError) -> dict[str, Any]:
    return {"type": "error", "error": error.type}
