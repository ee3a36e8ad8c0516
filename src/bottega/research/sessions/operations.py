"""What can be asked of research sessions: open, find, change, import and remove them."""

from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, Field

from bottega.core.operations import Delete, Get, Patch, Post, operation
from bottega.core.roles import Right
from bottega.core.rooms import Caller
from bottega.core.trust.permissions import PermissionMode
from bottega.research.sessions.config import Label, Status
from bottega.research.sessions.repository import Filters, ResearchSessionView

if TYPE_CHECKING:
    from bottega.research.service import Research

ROOM = "research"

Short = Annotated[str, Field(max_length=200)]


class ResearchSessionInput(BaseModel):
    library: Short | None = None
    agent: Short | None = None
    title: Short | None = None
    permission_mode: PermissionMode | None = None


class SessionListRequest(BaseModel):
    query: Annotated[str, Field(max_length=500)] | None = None
    status: Short | None = None
    label: Short | None = None
    archived: bool = Field(False, description="Those instead of the others.")
    limit: Annotated[int, Field(ge=1, le=500)] = 50
    offset: Annotated[int, Field(ge=0, le=2**31 - 1)] = 0


class ResearchSessionRequest(BaseModel):
    session_id: str


class SessionChanges(BaseModel):
    """What is left out stays."""

    title: Short | None = None
    status: Short | None = None
    labels: Annotated[list[Short], Field(max_length=50)] | None = None
    permission_mode: PermissionMode | None = None
    archived: bool | None = None


class SessionChangeRequest(SessionChanges):
    session_id: str


class Transcript(BaseModel):
    jsonl: Annotated[str, Field(max_length=10_000_000)]


class ResearchSessionList(BaseModel):
    sessions: list[ResearchSessionView]


class VocabularyView(BaseModel):
    statuses: list[Status]
    labels: list[Label]


class SessionRemoved(BaseModel):
    removed: str


@operation(Post("/research/sessions", status=201))
async def create_research_session(
    research: "Research", asked: ResearchSessionInput, caller: Caller
) -> ResearchSessionView:
    if asked.permission_mode is PermissionMode.EXECUTE:
        caller.grant.check(Right.DECIDE, ROOM)
    if asked.library is not None:
        await research.libraries.libraries.get(asked.library, caller.user_id)
    return await research.sessions.create(user_id=caller.user_id, **asked.model_dump())


@operation(Get("/research/sessions"))
async def list_research_sessions(
    research: "Research", wanted: SessionListRequest, caller: Caller
) -> ResearchSessionList:
    """Newest first; by words in titles and messages, status and label."""
    filters = Filters(wanted.status, wanted.label, wanted.archived, wanted.query)
    found = await research.sessions.list(
        filters, user_id=caller.user_id, limit=wanted.limit, offset=wanted.offset
    )
    return ResearchSessionList(sessions=list(found))


@operation(Post("/research/sessions/import", status=201))
async def import_research_session(
    research: "Research", given: Transcript, caller: Caller
) -> ResearchSessionView:
    """An exported session, as the caller's own."""
    return await research.sessions.import_jsonl(given.jsonl, user_id=caller.user_id)


@operation(Get("/research/vocabulary"))
async def research_vocabulary(research: "Research") -> VocabularyView:
    """The statuses and labels that sessions are sorted by."""
    words = research.sessions.vocabulary
    return VocabularyView(
        statuses=(await words.statuses()).statuses, labels=(await words.labels()).labels
    )


@operation(Get("/research/sessions/{session_id}"))
async def research_session(
    research: "Research", asked: ResearchSessionRequest, caller: Caller
) -> ResearchSessionView:
    return await research.sessions.get(asked.session_id, user_id=caller.user_id)


@operation(Patch("/research/sessions/{session_id}"))
async def change_research_session(
    research: "Research", changes: SessionChangeRequest, caller: Caller
) -> ResearchSessionView:
    if changes.permission_mode is not None:
        caller.grant.check(Right.DECIDE, ROOM)
    given = changes.model_dump(exclude={"session_id"})
    return await research.sessions.change(changes.session_id, user_id=caller.user_id, **given)


@operation(Delete("/research/sessions/{session_id}"))
async def remove_research_session(
    research: "Research", asked: ResearchSessionRequest, caller: Caller
) -> SessionRemoved:
    await research.sessions.delete(asked.session_id, user_id=caller.user_id)
    return SessionRemoved(removed=asked.session_id)


@operation(Post("/research/sessions/{session_id}/title"))
async def retitle_research_session(
    research: "Research", asked: ResearchSessionRequest, caller: Caller
) -> ResearchSessionView:
    """A new title from what was asked."""
    return await research.sessions.regenerate_title(asked.session_id, user_id=caller.user_id)
