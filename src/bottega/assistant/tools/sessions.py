"""`search_sessions` and `read_session`: what was said and decided before."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from pydantic import Field

from bottega.assistant.loop.turn import Turn
from bottega.assistant.sessions.service import AssistantSessions, FoundSession, StoredSession
from bottega.assistant.sessions.tables import AssistantDecision
from bottega.conversation.tools import Arguments, BuiltTool, built
from bottega.core import clock
from bottega.core.sessions.conversations import Message

MOST_FOUND = 50
#: Characters of a transcript in one answer.
MOST_CHARACTERS = 30_000


class SearchSessions(Arguments):
    query: str = Field("", max_length=500, description="words that were said; empty finds all")
    class_id: str | None = Field(None, max_length=80, description="such as 3B")
    since: date | None = Field(None, description="the first day")
    until: date | None = Field(None, description="the last day")
    limit: int = Field(10, ge=1, le=MOST_FOUND)


class ReadSession(Arguments):
    session_id: str = Field(max_length=100)
    start: int = Field(0, ge=0, le=2**31 - 1, description="the message to begin with")


class SessionTools:
    def __init__(self, turn: Turn, sessions: AssistantSessions) -> None:
        self._turn = turn
        self._sessions = sessions

    def tools(self) -> Sequence[BuiltTool[SearchSessions] | BuiltTool[ReadSession]]:
        return [built(self.search_sessions), built(self.read_session)]

    async def search_sessions(self, asked: SearchSessions) -> list[dict[str, Any]]:
        """Find past sessions with this person by words, class and days."""
        found = await self._sessions.search(
            asked.query,
            user_id=self._turn.user_id,
            class_id=asked.class_id,
            since=_midnight(asked.since) if asked.since else None,
            until=_midnight(asked.until) + timedelta(days=1) if asked.until else None,
            limit=asked.limit + 1,
        )
        past = [each for each in found if each.view.id != self._turn.session_id][: asked.limit]
        ids = [each.view.id for each in past]
        _trace(asked.query, ids)
        return [_summary(each) for each in past]

    async def read_session(self, asked: ReadSession) -> dict[str, Any]:
        """What was said in a past session, what was decided, and what came of it."""
        user_id = self._turn.user_id
        view = await self._sessions.get(asked.session_id, user_id=user_id)
        messages = await self._sessions.messages(view.id, user_id=user_id)
        decisions = await self._sessions.decisions(view.id, user_id=user_id)
        said, rest = _page(messages[asked.start :])
        _trace(None, [view.id])
        answer = {**_about(view), "messages": said, "decisions": list(map(_decision, decisions))}
        if rest:
            answer["next_start"] = len(messages) - rest
        return answer


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _about(view: StoredSession) -> dict[str, Any]:
    row = view.row
    return {
        "session_id": view.id,
        "title": view.session.title,
        "command": f"{row.plugin}:{row.command or row.agent}",
        "class": row.class_id,
        "updated_at": clock.iso(row.updated_at),
        "tasks": [f"{task['title']} ({task['status']})" for task in row.tasks],
    }


def _summary(found: FoundSession) -> dict[str, Any]:
    return {**_about(found.view), "excerpt": found.excerpt}


def _page(messages: Sequence[Message]) -> tuple[list[dict[str, Any]], int]:
    """Those that there is room for, and how many are left. What tools brought is left out."""
    said: list[dict[str, Any]] = []
    room = MOST_CHARACTERS
    for place, message in enumerate(messages):
        if room <= 0:
            return said, len(messages) - place
        if message.text:
            text = message.text[:room]
            said.append({"role": message.role, "text": text, "at": clock.iso(message.created_at)})
            room -= len(text)
    return said, 0


def _decision(row: AssistantDecision) -> dict[str, Any]:
    told = {"kind": row.kind, "decision": row.decision, "about": row.item, "text": row.text}
    return {key: value for key, value in told.items() if value is not None}


def _trace(query: str | None, ids: Sequence[str]) -> None:
    from opentelemetry.trace import get_current_span

    span = get_current_span()
    span.set_attribute("bottega.sessions.found", list(ids))
    if query is not None:
        span.set_attribute("bottega.sessions.query", query)
