"""Research sessions: conversations of people, kept in the house's one store and mirrored in files.

Every method takes the `user_id` on whose behalf it is called and sees only that user's sessions;
`None` is the house itself.

Titles are made beside the conversation and never in it. The call knows the questions and nothing
else of the session: it neither reads nor writes the conversation's messages, so that a title in the
making cannot disturb a turn.
"""

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import structlog
from pydantic import BaseModel, Field
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.conversation.mirror import SessionMirror
from bottega.core import clock
from bottega.core.events import Event
from bottega.core.llm.gateway import Gateway
from bottega.core.llm.tasks import Task, Tier
from bottega.core.services import Core
from bottega.core.sessions.conversations import Message
from bottega.core.sessions.session import Session, SessionKind, Sessions
from bottega.core.text.words import one_line
from bottega.core.trust.permissions import PermissionMode
from bottega.errors import BottegaError, Conflict, InvalidInput, NotFound
from bottega.research.sessions import repository
from bottega.research.sessions.claude import ClaudeBindings
from bottega.research.sessions.config import SessionVocabulary, read_preferences
from bottega.research.sessions.files import (
    SessionTransfer,
    export_session,
    first_lines,
    sessions_folder,
)
from bottega.research.sessions.repository import (
    Filters,
    MessageView,
    ResearchSessionView,
    SessionFacts,
    TokenUsage,
    facts_of,
    moment,
    view_of,
)

INSTRUCTIONS = Path(__file__).with_name("titles.md").read_text("utf-8").removesuffix("\n")
MOST_CHARACTERS = 60
#: Of each question, what a title needs.
MOST_ASKED = 2_000
_MENTION = re.compile(r"(?:^|\s)@[\w-]+")
#: Where a question ends and more begins.
_END = re.compile(r"[?!？！\n]")
LONGEST_TITLE = 200
MAX_TOKENS = 200
log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class TitleQuestions:
    questions: Sequence[str]


class Title(BaseModel):
    title: str = Field(min_length=1, max_length=200)


def prompt(asked: TitleQuestions) -> str:
    cut = TitleQuestions([question[:MOST_ASKED] for question in asked.questions])
    return json.dumps(asdict(cut), ensure_ascii=False)


def offline(asked: TitleQuestions) -> Title:
    """The first question itself, as much of it as a list shows."""
    question = _MENTION.sub(" ", asked.questions[0])[:MOST_ASKED] if asked.questions else ""
    first, *_ = _END.split(question.strip(), maxsplit=1)
    return Title(title=tidy(first) or "Untitled")


def tidy(title: str) -> str:
    """One line, without quotes around it or a full stop, no longer than a list shows."""
    plain = one_line(title).strip("\"'“”„«»`*# ").rstrip(".")
    if len(plain) > MOST_CHARACTERS:
        plain = plain[: MOST_CHARACTERS - 1].rpartition(" ")[0] or plain[: MOST_CHARACTERS - 1]
        plain += "…"
    return plain[:1].upper() + plain[1:]


title_session = Task("research_title", Tier.FAST, INSTRUCTIONS, prompt, Title, offline)


class SessionTitles:
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
            title_session, TitleQuestions(questions), session_id=session_id, max_tokens=MAX_TOKENS
        )
        return tidy(answer.title) or offline(TitleQuestions(questions)).title

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
            return offline(TitleQuestions([question])).title


#: Of the questions, how many a new title is made from: the first, and the last of the others.
TITLE_QUESTIONS = 4


class ResearchSessions:
    def __init__(self, core: Core) -> None:
        self._core = core
        self.vocabulary = SessionVocabulary(core.choices.data_dir)
        self.titles = SessionTitles(core.gateway, core.sessions)
        self.resuming = ClaudeBindings(core)
        self.mirror = SessionMirror(sessions_folder(core.choices.data_dir), self._mirrored)
        self._transfer = SessionTransfer(core)
        self._checking: asyncio.Task[None] | None = None
        self._leave: list[Callable[[], None]] = []

    async def start(self) -> None:
        await self.mirror.start()
        self._leave = [
            self._core.conversations.on_append(self._hear_message),
            self._core.bus.on("session.*", self._hear_event),
        ]
        self._checking = asyncio.create_task(self._check_mirrors(), name="research-mirror-check")

    async def stop(self) -> None:
        for leave in self._leave:
            leave()
        self._leave = []
        await self.titles.stop()
        if self._checking is not None:
            self._checking.cancel()
            await asyncio.gather(self._checking, return_exceptions=True)
        await self.mirror.stop()

    async def create(
        self,
        *,
        user_id: str,
        library: str | None = None,
        agent: str | None = None,
        title: str | None = None,
        permission_mode: PermissionMode | None = None,
    ) -> ResearchSessionView:
        """What is not given is as the preferences say."""
        facts = await self._new_facts(library, agent, permission_mode)
        row = await self._core.sessions.create(
            SessionKind.RESEARCH,
            str(self._core.files.root),
            user_id=user_id,
            title=None if title is None else _check_title(title),
            data=facts.model_dump(mode="json"),
        )
        return view_of(row, 0, TokenUsage())

    async def get(self, session_id: str, *, user_id: str | None) -> ResearchSessionView:
        async with self._core.database.read() as session:
            row = await repository.get(session, session_id, user_id)
            [view] = await _views(session, [row])
        return view

    async def list(
        self,
        filters: Filters | None = None,
        *,
        user_id: str | None,
        limit: int = 50,
        offset: int = 0,
    ) -> Sequence[ResearchSessionView]:
        """The last used first; archived ones only if they are asked for."""
        async with self._core.database.read() as session:
            rows = await repository.listed(
                session,
                self._core.database.dialect,
                user_id,
                filters or Filters(),
                limit=limit,
                offset=offset,
            )
            return await _views(session, rows)

    async def messages(self, session_id: str, *, user_id: str | None) -> Sequence[MessageView]:
        await self.facts(session_id, user_id=user_id)
        said = await self._core.conversations.list(session_id, user_id=user_id)
        return [MessageView.model_validate(message) for message in said]

    async def facts(self, session_id: str, *, user_id: str | None) -> SessionFacts:
        async with self._core.database.read() as session:
            return facts_of(await repository.get(session, session_id, user_id))

    async def change(
        self,
        session_id: str,
        *,
        user_id: str | None,
        title: str | None = None,
        status: str | None = None,
        labels: Sequence[str] | None = None,
        permission_mode: PermissionMode | None = None,
        archived: bool | None = None,
    ) -> ResearchSessionView:
        """What is left out stays; a change that is refused leaves the session as it was.

        An archived session is out of the list, and otherwise as it was.
        """
        now = await self.facts(session_id, user_id=user_id)
        facts: dict[str, object] = {}
        if status is not None:
            facts["workflow_status"] = await self.vocabulary.check_status(status)
        if labels is not None:
            facts["labels"] = await self.vocabulary.check_labels(labels)
        if permission_mode is not None:
            facts["permission_mode"] = permission_mode
        if archived is not None:
            facts["archived_at"] = moment(now.archived_at or clock.now()) if archived else None
        if title is not None:
            await self._core.sessions.update(session_id, user_id=user_id, title=_check_title(title))
        if facts:
            await self._core.sessions.note(session_id, user_id=user_id, **facts)
        return await self.get(session_id, user_id=user_id)

    async def regenerate_title(
        self, session_id: str, *, user_id: str | None
    ) -> ResearchSessionView:
        """A new title from what was asked, in place of whatever it is called now."""
        said = await self.messages(session_id, user_id=user_id)
        questions = [message.text for message in said if message.role == "user" and message.text]
        if not questions:
            raise InvalidInput("Nothing was asked in this session yet, so it cannot be named.")
        chosen = [questions[0], *questions[1:][-(TITLE_QUESTIONS - 1) :]]
        title = await self.titles.make(session_id, chosen)
        return await self.change(session_id, title=title, user_id=user_id)

    async def delete(self, session_id: str, *, user_id: str | None) -> None:
        """With its messages and its files, for good; a session that is only in the way is
        archived."""
        async with self._core.database.read() as session:
            await repository.get(session, session_id, user_id)
            run_id = await repository.unfinished_run(session, session_id)
        if run_id is not None:
            raise Conflict(
                f"The run {run_id!r} of this session has not ended. Cancel it first.",
                run_id=run_id,
            )
        await self._core.sessions.delete(session_id, user_id=user_id)
        await self.mirror.remove(session_id)

    async def export(self, session_id: str, *, user_id: str | None) -> str:
        return await export_session(self._core, session_id, user_id)

    async def import_jsonl(self, text: str, *, user_id: str) -> ResearchSessionView:
        return await self._welcome(await self._transfer.import_jsonl(text, user_id=user_id))

    async def import_transcript(
        self, config_dir: Path, cwd: str, claude_session: str, *, user_id: str
    ) -> ResearchSessionView:
        """What a person and Claude said in another program, from its transcript."""
        row = await self._transfer.import_claude(
            config_dir,
            cwd,
            claude_session,
            user_id=user_id,
            facts=await self._new_facts(None, None, None),
        )
        return await self._welcome(row)

    async def _new_facts(
        self, library: str | None, agent: str | None, mode: PermissionMode | None
    ) -> SessionFacts:
        data_dir, project = self._core.choices.data_dir, self._core.files.root
        preferred = await read_preferences(data_dir, project)
        return SessionFacts(
            library=library or preferred.library,
            agent=agent or preferred.agent,
            permission_mode=mode or preferred.permission_mode or PermissionMode.ASK,
            workflow_status=await self.vocabulary.default_status(),
        )

    async def _welcome(self, row: Session) -> ResearchSessionView:
        self._core.bus.publish(
            Event(
                "session.imported",
                {"kind": row.kind, "title": row.title},
                project=row.project_dir,
                user_id=row.user_id,
                session_id=row.id,
            )
        )
        return await self.get(row.id, user_id=row.user_id)

    async def _check_mirrors(self) -> None:
        """Write every mirror that does not show its session as it is: after a crash, say."""
        try:
            async for session_id, line in first_lines(self._core):
                if await self.mirror.first_line(session_id) != line:
                    self.mirror.changed(session_id)
        except Exception:
            # The edge of a task of its own; the next start tries again.
            log.exception("research.mirrors_not_checked")

    async def _mirrored(self, session_id: str) -> str | None:
        try:
            return await export_session(self._core, session_id, None)
        except NotFound:
            return None

    def _hear_message(self, said_in: Session, message: Message) -> None:
        if said_in.kind != SessionKind.RESEARCH:
            return
        self.mirror.changed(said_in.id)
        if message.position == 0 and message.role == "user" and said_in.title is None:
            self.titles.begin(said_in.id, message.text)

    def _hear_event(self, event: Event) -> None:
        research = event.payload.get("kind") == SessionKind.RESEARCH
        if research and event.session_id and event.topic != "session.deleted":
            self.mirror.changed(event.session_id)


async def _views(session: AsyncSession, rows: Sequence[Session]) -> Sequence[ResearchSessionView]:
    ids = [row.id for row in rows]
    counts = await repository.message_counts(session, ids)
    spent = await repository.spendings(session, ids)
    return [view_of(row, counts.get(row.id, 0), spent.get(row.id, TokenUsage())) for row in rows]


def _check_title(title: str) -> str:
    plain = one_line(title)
    if not plain or len(plain) > LONGEST_TITLE:
        raise InvalidInput(
            f"A title has 1 to {LONGEST_TITLE} characters; this one has {len(plain)}."
        )
    return plain
