"""An assistant's sessions: what was said and decided in them, to go on with and to find again."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, select
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.assistant.orders import KIND, AssistantOrder
from bottega.assistant.session_search import Wanted, newest_said
from bottega.assistant.tables import AssistantDecision, AssistantSession
from bottega.core import clock, fulltext
from bottega.core.conversations import Message
from bottega.core.runs import Run, RunStatus
from bottega.core.runs.tables import RunRow
from bottega.core.services import Core
from bottega.core.sessions import LIVE, Session, SessionKind, lock
from bottega.errors import Conflict, NotFound

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage

#: In a session's `data`: which turn has it, and since when.
CLAIM = "turn"
CLAIM_LASTS = timedelta(seconds=30)
LONGEST_TITLE = 80
LONGEST_EXCERPT = 240
#: Characters of an excerpt before the word that was looked for.
BEFORE_PLACE = 80
LONGEST_STEM = 6


@dataclass(frozen=True, slots=True)
class SessionView:
    """A session of ours: the house's row and the room's."""

    session: Session
    row: AssistantSession

    @property
    def id(self) -> str:
        return self.session.id


@dataclass(frozen=True, slots=True)
class FoundSession:
    view: SessionView
    #: The newest thing said that the words were found in.
    excerpt: str


class AssistantSessions:
    def __init__(self, core: Core) -> None:
        self._core = core
        self._database = core.database

    async def create(
        self, order: AssistantOrder, *, user_id: str, class_id: str | None = None
    ) -> SessionView:
        session = await self._core.sessions.create(
            SessionKind.ASSISTANT,
            str(self._core.files.root),
            user_id=user_id,
            type=f"{order.plugin}:{order.command or order.agent}",
            title=_title(order.input),
        )
        row = AssistantSession(
            session_id=session.id,
            user_id=user_id,
            plugin=order.plugin,
            command=order.command,
            agent=order.agent,
            class_id=class_id,
            tasks=[],
        )
        async with self._database.write() as writing:
            writing.add(row)
        return SessionView(session, row)

    async def get(self, session_id: str, *, user_id: str | None) -> SessionView:
        async with self._database.read() as reading:
            found = await _views(reading, _mine(user_id).where(Session.id == session_id))
        if not found:
            raise NotFound(f"There is no assistant session {session_id!r}.")
        return found[0]

    async def list(
        self,
        *,
        user_id: str | None,
        plugin: str | None = None,
        class_id: str | None = None,
        limit: int = 50,
    ) -> Sequence[SessionView]:
        """The one that something last happened in comes first."""
        query = _mine(user_id).order_by(AssistantSession.updated_at.desc(), Session.id.desc())
        if plugin is not None:
            query = query.where(AssistantSession.plugin == plugin)
        if class_id is not None:
            query = query.where(AssistantSession.class_id == class_id)
        async with self._database.read() as reading:
            return await _views(reading, query.limit(limit))

    async def newest_turns(self, views: Sequence[SessionView]) -> dict[str, Run]:
        """How far each session's newest turn is, by session."""
        claims = {view.id: view.session.data.get(CLAIM) for view in views}
        run_ids = [claim["run_id"] for claim in claims.values() if claim is not None]
        async with self._database.read() as reading:
            rows = await reading.scalars(select(RunRow).where(RunRow.id.in_(run_ids)))
            return {row.session_id: row.to_run() for row in rows if row.session_id is not None}

    async def delete(self, session_id: str, *, user_id: str | None) -> None:
        """With all that was said and decided in it."""
        await self.get(session_id, user_id=user_id)
        for run in await self._core.runs.list(kind=KIND, session_id=session_id):
            if not run.status.is_final:
                raise _busy(run.id, run.status)
        await self._core.sessions.delete(session_id, user_id=user_id)

    async def claim(self, session_id: str, run_id: str) -> None:
        """Give the session to a turn; `Conflict` while another one has it."""
        async with self._database.write() as writing:
            row = await lock(writing, session_id, None)
            if row.status not in LIVE:
                raise Conflict(
                    f"The session {session_id!r} is {row.status}. Start a new one.",
                    status=row.status,
                )
            if (claim := row.data.get(CLAIM)) is not None:
                taken = await writing.get(RunRow, claim["run_id"])
                if _is_under_way(claim, taken):
                    raise _busy(claim["run_id"], taken.status if taken else RunStatus.QUEUED)
            row.data = {**row.data, CLAIM: {"run_id": run_id, "at": clock.iso(clock.now())}}

    async def resume(self, session_id: str, *, user_id: str | None) -> "Sequence[ModelMessage]":
        """The conversation for a model to go on with, exactly as it was."""
        from bottega.assistant.loop import history

        kept = await self.messages(session_id, user_id=user_id)
        return history.load(message.content for message in kept)

    async def messages(
        self, session_id: str, *, user_id: str | None, limit: int | None = None
    ) -> Sequence[Message]:
        await self.get(session_id, user_id=user_id)
        return await self._core.conversations.list(session_id, user_id=user_id, limit=limit)

    async def decisions(
        self, session_id: str, *, user_id: str | None
    ) -> Sequence[AssistantDecision]:
        await self.get(session_id, user_id=user_id)
        query = (
            select(AssistantDecision)
            .where(AssistantDecision.session_id == session_id)
            .order_by(AssistantDecision.created_at, AssistantDecision.id)
        )
        async with self._database.read() as reading:
            return (await reading.scalars(query)).all()

    async def search(
        self,
        query: str = "",
        *,
        user_id: str | None,
        class_id: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int = 20,
    ) -> Sequence[FoundSession]:
        """Sessions in which every word of the query was said, newest first; without words, all.

        `since` and `until` are about when something last happened in a session.
        """
        wanted = Wanted(user_id, class_id, since, until)
        async with self._database.read() as reading:
            if not fulltext.words(query):
                newest = wanted.among(_all()).order_by(AssistantSession.updated_at.desc())
                views = await _views(reading, newest.limit(limit))
                return [FoundSession(view, view.session.title or "") for view in views]
            excerpts = await newest_said(reading, self._database.dialect, query, wanted, limit)
            views = await _views(reading, _all().where(Session.id.in_(excerpts)))
        found = [FoundSession(view, _excerpt(excerpts[view.id], query)) for view in views]
        return sorted(found, key=lambda each: each.view.row.updated_at, reverse=True)


def _all() -> Select[Session, AssistantSession]:
    return select(Session, AssistantSession).join(
        AssistantSession, AssistantSession.session_id == Session.id
    )


def _mine(user_id: str | None) -> Select[Session, AssistantSession]:
    return Wanted(user_id).among(_all())


async def _views(
    reading: AsyncSession, query: Select[Session, AssistantSession]
) -> Sequence[SessionView]:
    return [SessionView(session, row) for session, row in await reading.execute(query)]


def _is_under_way(claim: dict[str, Any], run: RunRow | None) -> bool:
    if run is not None:
        return not RunStatus(run.status).is_final
    # Claimed a moment ago by a process that has not begun the run yet, or that died before it.
    return clock.now() - clock.parse(claim["at"]) < CLAIM_LASTS


def _busy(run_id: str, status: str) -> Conflict:
    return Conflict(
        f"The turn {run_id!r} of this session is {status}. Reply to it, wait for its end, or "
        "cancel it first.",
        status=status,
        run_id=run_id,
    )


def _title(input: str) -> str:
    return shortened(" ".join(input.split()), LONGEST_TITLE)


def _excerpt(text: str, query: str) -> str:
    """The place where the first of the words stands, with some of what is around it."""
    text = " ".join(text.split())
    lower = text.casefold()
    # By its beginning: what is found has the word in any form.
    places = [lower.find(word[:LONGEST_STEM].casefold()) for word in fulltext.words(query)]
    first = min((place for place in places if place >= 0), default=0)
    start = text.rfind(" ", 0, max(0, first - BEFORE_PLACE)) + 1 if first > BEFORE_PLACE else 0
    return ("…" if start else "") + shortened(text[start:], LONGEST_EXCERPT)


def shortened(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"
