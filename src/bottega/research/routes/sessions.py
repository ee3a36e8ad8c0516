"""Research sessions: conversations around runs."""

import asyncio
from contextlib import suppress
from typing import Annotated

from fastapi import APIRouter, Query, status
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel, Field

from bottega.core.callers import CurrentCaller
from bottega.core.permissions import PermissionMode
from bottega.research.desk import Desk
from bottega.research.routes.runs import ReplyInput, Said
from bottega.research.sessions.repository import Filters
from bottega.research.sessions.views import MessageView, SessionView, show_message
from bottega.research.sessions.vocabulary import Label, Status

Short = Annotated[str, Field(max_length=200)]


class SessionInput(BaseModel):
    library: Short | None = None
    agent: Short | None = None
    title: Short | None = None
    permission_mode: PermissionMode | None = None


class SessionChanges(BaseModel):
    """What is left out stays."""

    title: Short | None = None
    status: Short | None = None
    labels: Annotated[list[Short], Field(max_length=50)] | None = None
    permission_mode: PermissionMode | None = None
    archived: bool | None = None


class SessionMessage(ReplyInput):
    library: Short | None = Field(None, description="For this turn, over the session's own.")


class SessionList(BaseModel):
    sessions: list[SessionView]


class MessageList(BaseModel):
    messages: list[MessageView]


class VocabularyView(BaseModel):
    statuses: list[Status]
    labels: list[Label]


class Transcript(BaseModel):
    jsonl: Annotated[str, Field(max_length=10_000_000)]


class Removed(BaseModel):
    removed: str


def add_routes(routes: APIRouter, desk: Desk) -> None:
    sessions = desk.sessions

    @routes.post("/sessions", status_code=status.HTTP_201_CREATED)
    async def create_research_session(asked: SessionInput, caller: CurrentCaller) -> SessionView:
        if asked.library is not None:
            await desk.libraries.libraries.get(asked.library, caller.user_id)
        return await sessions.create(user_id=caller.user_id, **asked.model_dump())

    @routes.get("/sessions")
    async def list_research_sessions(
        caller: CurrentCaller,
        query: Annotated[str | None, Query(max_length=500)] = None,
        status: Annotated[str | None, Query(max_length=200)] = None,
        label: Annotated[str | None, Query(max_length=200)] = None,
        archived: Annotated[bool, Query(description="Those instead of the others.")] = False,
        limit: Annotated[int, Query(ge=1, le=500)] = 50,
        offset: Annotated[int, Query(ge=0, le=2**31 - 1)] = 0,
    ) -> SessionList:
        """Newest first; by words in titles and messages, status and label."""
        filters = Filters(status=status, label=label, archived=archived, text=query)
        found = await sessions.list(filters, user_id=caller.user_id, limit=limit, offset=offset)
        return SessionList(sessions=list(found))

    @routes.post("/sessions/import", status_code=status.HTTP_201_CREATED)
    async def import_research_session(given: Transcript, caller: CurrentCaller) -> SessionView:
        """An exported session, as the caller's own."""
        return await sessions.import_jsonl(given.jsonl, user_id=caller.user_id)

    @routes.get("/vocabulary")
    async def research_vocabulary(_caller: CurrentCaller) -> VocabularyView:
        """The statuses and labels that sessions are sorted by."""
        words = sessions.vocabulary
        return VocabularyView(
            statuses=(await words.statuses()).statuses, labels=(await words.labels()).labels
        )

    @routes.get("/sessions/{session_id}")
    async def research_session(session_id: str, caller: CurrentCaller) -> SessionView:
        return await sessions.get(session_id, user_id=caller.user_id)

    @routes.patch("/sessions/{session_id}")
    async def change_research_session(
        session_id: str, changes: SessionChanges, caller: CurrentCaller
    ) -> SessionView:
        user_id = caller.user_id
        if changes.title is not None:
            await sessions.rename(session_id, changes.title, user_id=user_id)
        if changes.status is not None:
            await sessions.set_status(session_id, changes.status, user_id=user_id)
        if changes.labels is not None:
            await sessions.set_labels(session_id, changes.labels, user_id=user_id)
        if changes.permission_mode is not None:
            mode = changes.permission_mode
            await sessions.set_permission_mode(session_id, mode, user_id=user_id)
        if changes.archived is not None:
            put = sessions.archive if changes.archived else sessions.unarchive
            await put(session_id, user_id=user_id)
        return await sessions.get(session_id, user_id=user_id)

    @routes.delete("/sessions/{session_id}")
    async def remove_research_session(session_id: str, caller: CurrentCaller) -> Removed:
        await sessions.delete(session_id, user_id=caller.user_id)
        return Removed(removed=session_id)

    @routes.get("/sessions/{session_id}/messages")
    async def research_messages(
        session_id: str, caller: CurrentCaller, wait: Annotated[float, Query(ge=0, le=60)] = 0
    ) -> MessageList:
        """The conversation, with what its runs have come to meanwhile.

        With `wait`, as soon as it works on nothing, or after so many seconds.
        """
        await sessions.get(session_id, user_id=caller.user_id)
        if wait:
            with suppress(TimeoutError):
                async with asyncio.timeout(wait):
                    await desk.conversation.rest(session_id)
        messages = await desk.conversation.open(session_id, user_id=caller.user_id)
        return MessageList(messages=[show_message(message) for message in messages])

    @routes.post("/sessions/{session_id}/messages")
    async def say_in_research_session(
        session_id: str, said: SessionMessage, caller: CurrentCaller
    ) -> Said:
        """To the run that waits, to an agent (`@deep-research …`), or just so."""
        say = desk.conversation.say if said.wait else desk.conversation.begin
        turn = await say(session_id, said.text, user_id=caller.user_id, library=said.library)
        return Said.of(turn) if turn else Said(messages=[], run=None)

    @routes.post("/sessions/{session_id}/title")
    async def retitle_research_session(session_id: str, caller: CurrentCaller) -> SessionView:
        """A new title from what was asked."""
        return await sessions.regenerate_title(session_id, user_id=caller.user_id)

    @routes.get("/sessions/{session_id}/export", response_class=PlainTextResponse)
    async def export_research_session(session_id: str, caller: CurrentCaller) -> PlainTextResponse:
        """JSON Lines: the session, then a message a line."""
        text = await sessions.export(session_id, user_id=caller.user_id)
        name = f'attachment; filename="{session_id}.jsonl"'
        return PlainTextResponse(
            text, media_type="application/x-ndjson", headers={"Content-Disposition": name}
        )
