"""An assistant's sessions: what was said and decided in them, to go on with and to find again.

Sessions are found by what was said in them, newest first. A common word stands in nearly every
session, so that the way to the newest of them matters; it is another one on each database.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVarTuple

from sqlalchemy import ColumnElement, Select, TextClause, func, select, text
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.assistant.sessions.schemas import KIND, AssistantOrder
from bottega.assistant.sessions.tables import AssistantDecision, AssistantSession
from bottega.conversation.runs import session_busy, unfinished_run
from bottega.core import clock
from bottega.core.db import fulltext
from bottega.core.runs import Run, RunStatus
from bottega.core.runs.run import RunRow
from bottega.core.services import Core
from bottega.core.sessions.conversations import Message
from bottega.core.sessions.session import LIVE, Session, SessionKind, lock
from bottega.core.text.words import one_line, shorten
from bottega.errors import Conflict, NotFound

#: Matching messages that are read at once.
PAGE = 200
#: Matching messages among which so many sessions mostly are.
NEWEST = 2000

Columns = TypeVarTuple("Columns")
Condition = ColumnElement[bool] | TextClause


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which sessions to look among; without a user, everybody's."""

    user_id: str | None = None
    class_id: str | None = None
    #: When something last happened there.
    since: datetime | None = None
    until: datetime | None = None

    def among(self, query: Select[*Columns]) -> Select[*Columns]:
        if self.user_id is not None:
            query = query.where(AssistantSession.user_id == self.user_id)
        if self.class_id is not None:
            # As people write it; not by a function of the column, which no index would help with.
            spellings = {self.class_id, self.class_id.upper(), self.class_id.lower()}
            query = query.where(AssistantSession.class_id.in_(spellings))
        if self.since is not None:
            query = query.where(AssistantSession.updated_at >= self.since)
        if self.until is not None:
            query = query.where(AssistantSession.updated_at < self.until)
        return query


async def newest_said(
    reading: AsyncSession, dialect: str, query: str, wanted: Wanted, limit: int
) -> dict[str, str]:
    """So many sessions with the newest message of each that has every word of the query."""
    newest = _newest_by_index if dialect == "postgresql" else _newest_by_page
    places = await newest(reading, fulltext.contains(dialect, Message.seq, query), wanted, limit)
    texts = select(Message.session_id, Message.text).where(Message.seq.in_(places.values()))
    return {row.session_id: row.text for row in await reading.execute(texts)}


async def _newest_by_page(
    reading: AsyncSession, contains: Condition, wanted: Wanted, limit: int
) -> dict[str, int]:
    """SQLite reads what matches in order, so that the first pages are there at once."""
    found: dict[str, int] = {}
    page = wanted.among(
        select(Message.session_id, Message.seq)
        .join(AssistantSession, AssistantSession.session_id == Message.session_id)
        .where(contains)
        .order_by(Message.seq.desc())
        .limit(PAGE)
    )
    older = page
    while len(found) < limit:
        rows = (await reading.execute(older)).all()
        for session_id, seq in rows:
            if len(found) < limit:
                found.setdefault(session_id, seq)
        if len(rows) < PAGE:
            break
        older = page.where(Message.seq < rows[-1].seq)
    return found


async def _newest_by_index(
    reading: AsyncSession, contains: Condition, wanted: Wanted, limit: int
) -> dict[str, int]:
    """PostgreSQL is made to use its index: it takes it for cheap to take every text to pieces,
    which is a hundred times slower. Of all that matches the newest are looked at first."""
    await reading.execute(text("SET LOCAL enable_seqscan = off"))
    matching = select(Message.session_id, Message.seq).where(contains)
    hits = matching.cte("hits").prefix_with("MATERIALIZED")
    found: dict[str, int] = {}
    for most in (NEWEST, None):
        newest = select(hits).order_by(hits.c.seq.desc()).limit(most).subquery()
        last = func.max(newest.c.seq).label("last")
        query = wanted.among(
            select(newest.c.session_id, last)
            .join(AssistantSession, AssistantSession.session_id == newest.c.session_id)
            .group_by(newest.c.session_id)
            .order_by(last.desc())
            .limit(limit)
        )
        found = {row.session_id: row.last for row in await reading.execute(query)}
        if len(found) == limit:
            break
    return found


#: In a session's `data`: which turn has it, and since when.
CLAIM = "turn"
CLAIM_LASTS = timedelta(seconds=30)
LONGEST_TITLE = 80
LONGEST_EXCERPT = 240
#: Characters of an excerpt before the word that was looked for.
BEFORE_PLACE = 80
LONGEST_STEM = 6


@dataclass(frozen=True, slots=True)
class StoredSession:
    """A session of ours: the house's row and the room's."""

    session: Session
    row: AssistantSession

    @property
    def id(self) -> str:
        return self.session.id


@dataclass(frozen=True, slots=True)
class FoundSession:
    view: StoredSession
    #: The newest thing said that the words were found in.
    excerpt: str


class AssistantSessions:
    def __init__(self, core: Core) -> None:
        self._core = core
        self._database = core.database

    async def create(
        self, order: AssistantOrder, *, user_id: str, class_id: str | None = None
    ) -> StoredSession:
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
        return StoredSession(session, row)

    async def get(self, session_id: str, *, user_id: str | None) -> StoredSession:
        found = await self._database.ask(_views, _mine(user_id).where(Session.id == session_id))
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
    ) -> Sequence[StoredSession]:
        """The one that something last happened in comes first."""
        query = _mine(user_id).order_by(AssistantSession.updated_at.desc(), Session.id.desc())
        if plugin is not None:
            query = query.where(AssistantSession.plugin == plugin)
        if class_id is not None:
            query = query.where(AssistantSession.class_id == class_id)
        return await self._database.ask(_views, query.limit(limit))

    async def newest_turns(self, views: Sequence[StoredSession]) -> dict[str, Run]:
        """How far each session's newest turn is, by session."""
        claims = {view.id: view.session.data.get(CLAIM) for view in views}
        run_ids = [claim["run_id"] for claim in claims.values() if claim is not None]
        async with self._database.read() as reading:
            rows = await reading.scalars(select(RunRow).where(RunRow.id.in_(run_ids)))
            return {row.session_id: row.to_run() for row in rows if row.session_id is not None}

    async def delete(self, session_id: str, *, user_id: str | None) -> None:
        """With all that was said and decided in it."""
        await self.get(session_id, user_id=user_id)
        if (run := await unfinished_run(self._core, session_id, KIND)) is not None:
            raise session_busy("turn", run.id, run.status)
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
                    status = taken.status if taken else RunStatus.QUEUED
                    raise session_busy("turn", claim["run_id"], status)
            row.data = {**row.data, CLAIM: {"run_id": run_id, "at": clock.iso(clock.now())}}

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
) -> Sequence[StoredSession]:
    return [StoredSession(session, row) for session, row in await reading.execute(query)]


def _is_under_way(claim: dict[str, Any], run: RunRow | None) -> bool:
    if run is not None:
        return not RunStatus(run.status).is_final
    # Claimed a moment ago by a process that has not begun the run yet, or that died before it.
    # By a clock that was set back since, one of the future would hold for as long as that.
    return abs(clock.now() - clock.parse(claim["at"])) < CLAIM_LASTS


def _title(input: str) -> str:
    return shorten(one_line(input), LONGEST_TITLE)


def _excerpt(text: str, query: str) -> str:
    """The place where the first of the words stands, with some of what is around it."""
    text = one_line(text)
    lower = text.casefold()
    # By its beginning: what is found has the word in any form.
    places = [lower.find(word[:LONGEST_STEM].casefold()) for word in fulltext.words(query)]
    first = min((place for place in places if place >= 0), default=0)
    start = text.rfind(" ", 0, max(0, first - BEFORE_PLACE)) + 1 if first > BEFORE_PLACE else 0
    return ("…" if start else "") + shorten(text[start:], LONGEST_EXCERPT)
