"""Sessions, what is said in them and asked of people."""

from typing import Annotated, Literal

from fastapi import APIRouter, Header, Query, status
from pydantic import BaseModel, Field
from starlette.responses import StreamingResponse

from bottega.assistant.desk import Desk
from bottega.assistant.gates.gate import GateReply
from bottega.assistant.orders import KIND, AssistantOrder
from bottega.assistant.story import TurnEvent, story_of
from bottega.assistant.views import (
    AssistantSessionView,
    DecisionView,
    ListedSession,
    SaidView,
    TurnView,
)
from bottega.core.bounds import Instant
from bottega.core.callers import CurrentCaller
from bottega.core.permissions import PermissionMode
from bottega.core.runs import Run
from bottega.core.runs.following import run_frames
from bottega.core.streams import OpenStreams
from bottega.errors import NotFound

Short = Annotated[str, Field(max_length=200)]
Position = Annotated[int, Query(ge=0, le=2**31 - 1)]

MOST_TURNS = 500
MOST_EVENTS = 10_000


class TurnOptions(BaseModel):
    """What a person may choose for a turn, over what the agent's file says."""

    provider: Short | None = None
    model: Short | None = None
    max_turns: Annotated[int, Field(ge=1, le=1000)] | None = None
    max_budget_usd: Annotated[float, Field(ge=0, le=10_000)] | None = None
    memory: bool = True
    ask_confidence: bool = False
    permission: PermissionMode = PermissionMode.ASK
    without: Annotated[
        list[Literal["skills", "workspace", "memory", "subagents", "hooks"]], Field(max_length=5)
    ] = []


class StartInput(TurnOptions):
    command: Short = Field(description="`plugin:command`, as the list of commands has it.")
    input: Annotated[str, Field(max_length=1_000_000)]


class SayInput(TurnOptions):
    text: Annotated[str, Field(max_length=1_000_000)]


class SessionList(BaseModel):
    sessions: list[ListedSession]


class FoundView(BaseModel):
    session: AssistantSessionView
    #: Where the words were found.
    excerpt: str


class FoundList(BaseModel):
    found: list[FoundView]


class SessionState(BaseModel):
    session: AssistantSessionView
    #: The newest turn.
    turn: TurnView | None


class TurnList(BaseModel):
    turns: list[TurnView]


class TurnStory(BaseModel):
    events: list[TurnEvent]


class Conversation(BaseModel):
    messages: list[SaidView]


class DecisionList(BaseModel):
    decisions: list[DecisionView]


class Rehearsed(BaseModel):
    """What a model would be told."""

    text: str
    tokens: int
    tokens_by_section: dict[str, int]


class Removed(BaseModel):
    removed: str


def add_routes(routes: APIRouter, desk: Desk) -> None:
    runs, sessions = desk.runs, desk.runs.sessions

    async def order(asked: StartInput, user_id: str) -> AssistantOrder:
        options = asked.model_dump(exclude={"command", "input"})
        return await desk.order(asked.input, user_id, command=asked.command, **options)

    async def newest(session_id: str, user_id: str) -> Run | None:
        await sessions.get(session_id, user_id=user_id)
        found = await desk.core.runs.list(kind=KIND, session_id=session_id, limit=1)
        return found[0] if found else None

    async def current(session_id: str, user_id: str) -> Run:
        run = await newest(session_id, user_id)
        if run is None:
            raise NotFound(f"Nothing was asked in the session {session_id!r} yet.")
        return run

    async def turn_of(session_id: str, run_id: str, user_id: str) -> Run:
        run = await runs.get(run_id, user_id=user_id)
        if run.session_id != session_id:
            raise NotFound(f"The session {session_id!r} has no turn {run_id!r}.")
        return run

    @routes.post("/rehearsals")
    async def rehearse(asked: StartInput, caller: CurrentCaller) -> Rehearsed:
        """The prompt that a command would begin with, without asking a model."""
        prompt = await desk.rehearse(await order(asked, caller.user_id), caller.user_id)
        return Rehearsed(
            text=prompt.text,
            tokens=prompt.tokens,
            tokens_by_section=dict(prompt.tokens_by_section),
        )

    @routes.post("/sessions", status_code=status.HTTP_201_CREATED)
    async def start_session(asked: StartInput, caller: CurrentCaller) -> TurnView:
        """Call a command: a session begins, and its first turn."""
        asked_for = await order(asked, caller.user_id)
        return TurnView.of(await runs.start(asked_for, user_id=caller.user_id))

    @routes.get("/sessions")
    async def list_sessions(
        caller: CurrentCaller,
        plugin: Annotated[str | None, Query(max_length=100)] = None,
        class_id: Annotated[str | None, Query(max_length=100)] = None,
        limit: Annotated[int, Query(ge=1, le=500)] = 50,
    ) -> SessionList:
        """The one that something last happened in comes first."""
        found = await sessions.list(
            user_id=caller.user_id, plugin=plugin, class_id=class_id, limit=limit
        )
        turns = await sessions.newest_turns(found)
        return SessionList(
            sessions=[ListedSession.beside(each, turns.get(each.id)) for each in found]
        )

    @routes.get("/search")
    async def search_sessions(
        caller: CurrentCaller,
        query: Annotated[str, Query(max_length=500)] = "",
        class_id: Annotated[str | None, Query(max_length=100)] = None,
        since: Instant | None = None,
        until: Instant | None = None,
        limit: Annotated[int, Query(ge=1, le=100)] = 20,
    ) -> FoundList:
        """Sessions in which every word was said."""
        found = await sessions.search(
            query,
            user_id=caller.user_id,
            class_id=class_id,
            since=since,
            until=until,
            limit=limit,
        )
        return FoundList(
            found=[
                FoundView(session=AssistantSessionView.of(each.view), excerpt=each.excerpt)
                for each in found
            ]
        )

    @routes.get("/sessions/{session_id}")
    async def get_session(session_id: str, caller: CurrentCaller) -> SessionState:
        found = await sessions.get(session_id, user_id=caller.user_id)
        run = await newest(session_id, caller.user_id)
        turn = TurnView.of(run) if run else None
        return SessionState(session=AssistantSessionView.of(found), turn=turn)

    @routes.get("/sessions/{session_id}/turns")
    async def list_turns(session_id: str, caller: CurrentCaller) -> TurnList:
        """What was asked in the session, oldest first, and what each came to."""
        await sessions.get(session_id, user_id=caller.user_id)
        found = await desk.core.runs.list(kind=KIND, session_id=session_id, limit=MOST_TURNS)
        return TurnList(turns=[TurnView.of(run) for run in reversed(found)])

    @routes.get("/sessions/{session_id}/turns/{run_id}")
    async def get_turn(session_id: str, run_id: str, caller: CurrentCaller) -> TurnStory:
        """All that happened in one of its turns: tools, hooks, gates and text."""
        run = await turn_of(session_id, run_id, caller.user_id)
        return TurnStory(events=story_of(await runs.events(run.id, limit=MOST_EVENTS)))

    @routes.delete("/sessions/{session_id}")
    async def remove_session(session_id: str, caller: CurrentCaller) -> Removed:
        """With all that was said and decided in it."""
        await sessions.delete(session_id, user_id=caller.user_id)
        return Removed(removed=session_id)

    @routes.get("/sessions/{session_id}/messages")
    async def list_messages(session_id: str, caller: CurrentCaller) -> Conversation:
        said = await sessions.messages(session_id, user_id=caller.user_id)
        return Conversation(messages=[SaidView.of(message) for message in said])

    @routes.post("/sessions/{session_id}/messages", status_code=status.HTTP_201_CREATED)
    async def say(session_id: str, said: SayInput, caller: CurrentCaller) -> TurnView:
        """Go on with the session's agent: its next turn."""
        options = said.model_dump(exclude={"text"})
        asked = await desk.order(said.text, caller.user_id, session_id=session_id, **options)
        run = await runs.start(asked, user_id=caller.user_id, session_id=session_id)
        return TurnView.of(run)

    @routes.post("/sessions/{session_id}/reply")
    async def reply(session_id: str, given: GateReply, caller: CurrentCaller) -> TurnView:
        """Answer what the session's turn asks; what it does not offer is refused."""
        run = await current(session_id, caller.user_id)
        return TurnView.of(await runs.reply(run.id, given, user_id=caller.user_id))

    @routes.post("/sessions/{session_id}/cancel")
    async def cancel(session_id: str, caller: CurrentCaller) -> TurnView:
        """Stop the turn for good; what was said stays."""
        run = await current(session_id, caller.user_id)
        return TurnView.of(await runs.cancel(run.id, user_id=caller.user_id))

    @routes.get("/sessions/{session_id}/decisions")
    async def list_decisions(session_id: str, caller: CurrentCaller) -> DecisionList:
        found = await sessions.decisions(session_id, user_id=caller.user_id)
        return DecisionList(decisions=[DecisionView.of(each) for each in found])

    @routes.get("/sessions/{session_id}/events", response_class=StreamingResponse)
    async def follow_session(
        session_id: str,
        caller: CurrentCaller,
        streams: OpenStreams,
        turn: Annotated[str | None, Query(max_length=100)] = None,
        after: Position = 0,
        last_event_id: Annotated[int | None, Header(ge=0, le=2**31 - 1)] = None,
    ) -> StreamingResponse:
        """A turn, else the newest, as it goes on: tools, hooks, gates and text, until it ends."""
        user_id = caller.user_id
        run = await (turn_of(session_id, turn, user_id) if turn else current(session_id, user_id))
        start = after if last_event_id is None else last_event_id
        return streams.send(run_frames(desk.core.runs, desk.core.bus, run.id, after=start))
