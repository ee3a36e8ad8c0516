"""Research sessions: conversations of people, kept in the house's one store and mirrored in files.

Every method takes the `user_id` on whose behalf it is called and sees only that user's sessions;
`None` is the house itself.
"""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import structlog

from bottega.core import clock
from bottega.core.conversations import Message
from bottega.core.events import Event
from bottega.core.permissions import PermissionMode
from bottega.core.services import Core
from bottega.core.sessions import Session, SessionKind
from bottega.errors import Conflict, InvalidInput, NotFound
from bottega.research.sessions import repository
from bottega.research.sessions.mirror import Mirror
from bottega.research.sessions.preferences import read_preferences
from bottega.research.sessions.repository import Filters
from bottega.research.sessions.resuming import Resuming
from bottega.research.sessions.titles import LONGEST_TITLE, Titles
from bottega.research.sessions.transfer import Transfer
from bottega.research.sessions.views import (
    Facts,
    MessageView,
    SessionView,
    TokenUsage,
    facts_of,
    moment,
    show_message,
    view_of,
)
from bottega.research.sessions.vocabulary import Vocabulary

#: Of the questions, how many a new title is made from: the first, and the last of the others.
TITLE_QUESTIONS = 4

log = structlog.get_logger()


class ResearchSessions:
    def __init__(self, core: Core) -> None:
        self._core = core
        self.vocabulary = Vocabulary(core.choices.data_dir)
        self.titles = Titles(core.gateway, core.sessions)
        self.resuming = Resuming(core)
        self.mirror = Mirror(core.choices.data_dir, self._mirrored)
        self._transfer = Transfer(core)
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
    ) -> SessionView:
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

    async def get(self, session_id: str, *, user_id: str | None) -> SessionView:
        async with self._core.database.read() as session:
            row = await repository.get(session, session_id, user_id)
            counts = await repository.message_counts(session, [session_id])
            spent = await repository.spendings(session, [session_id])
        return view_of(row, counts.get(row.id, 0), spent.get(row.id, TokenUsage()))

    async def list(
        self,
        filters: Filters | None = None,
        *,
        user_id: str | None,
        limit: int = 50,
        offset: int = 0,
    ) -> Sequence[SessionView]:
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
            ids = [row.id for row in rows]
            counts = await repository.message_counts(session, ids)
            spent = await repository.spendings(session, ids)
        return [
            view_of(row, counts.get(row.id, 0), spent.get(row.id, TokenUsage())) for row in rows
        ]

    async def messages(
        self, session_id: str, *, user_id: str | None, start: int = 0, limit: int | None = None
    ) -> Sequence[MessageView]:
        await self.facts(session_id, user_id=user_id)
        said = await self._core.conversations.list(
            session_id, user_id=user_id, start=start, limit=limit
        )
        return [show_message(message) for message in said]

    async def facts(self, session_id: str, *, user_id: str | None) -> Facts:
        async with self._core.database.read() as session:
            return facts_of(await repository.get(session, session_id, user_id))

    async def rename(self, session_id: str, title: str, *, user_id: str | None) -> SessionView:
        await self.facts(session_id, user_id=user_id)
        await self._core.sessions.update(session_id, user_id=user_id, title=_check_title(title))
        return await self.get(session_id, user_id=user_id)

    async def regenerate_title(self, session_id: str, *, user_id: str | None) -> SessionView:
        """A new title from what was asked, in place of whatever it is called now."""
        said = await self.messages(session_id, user_id=user_id)
        questions = [message.text for message in said if message.role == "user" and message.text]
        if not questions:
            raise InvalidInput("Nothing was asked in this session yet, so it cannot be named.")
        chosen = [questions[0], *questions[1:][-(TITLE_QUESTIONS - 1) :]]
        title = await self.titles.make(session_id, chosen)
        return await self.rename(session_id, title, user_id=user_id)

    async def set_status(self, session_id: str, status: str, *, user_id: str | None) -> SessionView:
        checked = await self.vocabulary.check_status(status)
        return await self._note(session_id, user_id, workflow_status=checked)

    async def set_labels(
        self, session_id: str, labels: Sequence[str], *, user_id: str | None
    ) -> SessionView:
        checked = await self.vocabulary.check_labels(labels)
        return await self._note(session_id, user_id, labels=checked)

    async def set_permission_mode(
        self, session_id: str, mode: PermissionMode, *, user_id: str | None
    ) -> SessionView:
        return await self._note(session_id, user_id, permission_mode=mode)

    async def archive(self, session_id: str, *, user_id: str | None) -> SessionView:
        """Out of the list, and otherwise as it was."""
        facts = await self.facts(session_id, user_id=user_id)
        archived_at = facts.archived_at or clock.now()
        return await self._note(session_id, user_id, archived_at=moment(archived_at))

    async def unarchive(self, session_id: str, *, user_id: str | None) -> SessionView:
        return await self._note(session_id, user_id, archived_at=None)

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
        return await self._transfer.export(session_id, user_id=user_id)

    async def import_jsonl(self, text: str, *, user_id: str) -> SessionView:
        return await self._welcome(await self._transfer.import_jsonl(text, user_id=user_id))

    async def import_transcript(
        self, config_dir: Path, cwd: str, claude_session: str, *, user_id: str
    ) -> SessionView:
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
    ) -> Facts:
        data_dir, project = self._core.choices.data_dir, self._core.files.root
        preferred = await read_preferences(data_dir, project)
        return Facts(
            library=library or preferred.library,
            agent=agent or preferred.agent,
            permission_mode=mode or preferred.permission_mode or PermissionMode.ASK,
            workflow_status=await self.vocabulary.default_status(),
        )

    async def _note(self, session_id: str, user_id: str | None, **facts: object) -> SessionView:
        await self.facts(session_id, user_id=user_id)
        await self._core.sessions.note(session_id, user_id=user_id, **facts)
        return await self.get(session_id, user_id=user_id)

    async def _welcome(self, row: Session) -> SessionView:
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
            async for session_id, line in self._transfer.first_lines():
                if await self.mirror.first_line(session_id) != line:
                    self.mirror.changed(session_id)
        except Exception:
            # The edge of a task of its own; the next start tries again.
            log.exception("research.mirrors_not_checked")

    async def _mirrored(self, session_id: str) -> str | None:
        try:
            return await self._transfer.export(session_id, user_id=None)
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


def _check_title(title: str) -> str:
    plain = " ".join(title.split())
    if not plain or len(plain) > LONGEST_TITLE:
        raise InvalidInput(
            f"A title has 1 to {LONGEST_TITLE} characters; this one has {len(plain)}."
        )
    return plain
