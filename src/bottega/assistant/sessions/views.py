"""Sessions and turns as every door takes and shows them."""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field

from bottega.assistant.sessions.schemas import AssistantOrder, LoopResult
from bottega.conversation.gates import Gate, GateKind, GateReply
from bottega.core.operations import Instant
from bottega.core.run_status import RunStatus
from bottega.core.trust.permissions import PermissionMode

if TYPE_CHECKING:
    from bottega.assistant.sessions.service import StoredSession
    from bottega.core.runs import Run

Short = Annotated[str, Field(max_length=200)]
Input = Annotated[str, Field(max_length=1_000_000)]


class FrozenView(BaseModel):
    model_config = ConfigDict(frozen=True, from_attributes=True)


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


class AssistantStartInput(TurnOptions):
    command: Short = Field(description="`plugin:command`, as the list of commands has it.")
    input: Input


class SayInput(TurnOptions):
    text: Input


class AssistantSessionRequest(BaseModel):
    session_id: str


class SayRequest(SayInput):
    session_id: str


class ReplyRequest(GateReply):
    session_id: str

    @property
    def reply(self) -> GateReply:
        return GateReply.model_validate(self.model_dump(exclude={"session_id"}))


class AssistantSessionFilter(BaseModel):
    plugin: Annotated[str | None, Field(max_length=100)] = None
    class_id: Annotated[str | None, Field(max_length=100)] = None
    limit: Annotated[int, Field(ge=1, le=500)] = 50


class SessionSearchRequest(BaseModel):
    query: Annotated[str, Field(max_length=500)] = ""
    class_id: Annotated[str | None, Field(max_length=100)] = None
    since: Instant | None = None
    until: Instant | None = None
    limit: Annotated[int, Field(ge=1, le=100)] = 20


class RunArguments(BaseModel):
    input: Input
    command: Short | None = Field(None, description="plugin:command")
    session_id: Short | None = Field(None, description="to go on with")


class TurnArguments(BaseModel):
    run_id: Short


class ReplyArguments(TurnArguments):
    reply: GateReply


class TurnView(FrozenView):
    """One thing that a person asked, and how far it is."""

    run_id: str
    session_id: str
    status: RunStatus
    plugin: str
    command: str | None
    agent: str
    input: str
    #: What it waits for the person to answer.
    gate: Gate | None
    #: Once it has ended.
    result: LoopResult | None
    error: dict[str, Any] | None
    created_at: datetime
    #: The newest event's, to follow it from.
    position: int

    @classmethod
    def of(cls, run: "Run") -> "TurnView":
        order = AssistantOrder.model_validate(run.input)
        return cls(
            **order.model_dump(include={"plugin", "command", "agent", "input"}),
            run_id=run.id,
            session_id=run.session_id or "",
            status=run.status,
            gate=Gate.model_validate(_gate(run.waiting_for)) if run.waiting_for else None,
            result=LoopResult.model_validate(run.output) if run.output else None,
            error=run.error,
            created_at=run.created_at,
            position=run.position,
        )


class AssistantSessionView(FrozenView):
    id: str
    title: str | None
    status: str
    plugin: str
    command: str | None
    agent: str
    class_id: str | None
    tasks: list[dict[str, Any]]
    #: The newest output: the document beside the conversation.
    artefact: str
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, found: "StoredSession", **more: Any) -> Self:
        session = {"id": found.id, "title": found.session.title, "status": found.session.status}
        fields = cls.model_fields.keys() - session.keys() - more.keys()
        return cls(**session, **more, **{name: getattr(found.row, name) for name in fields})


class ListedSession(AssistantSessionView):
    #: How its newest turn is.
    turn: RunStatus | None
    #: What that waits for the person to answer.
    asks: GateKind | None

    @classmethod
    def beside(cls, found: "StoredSession", run: "Run | None") -> "ListedSession":
        waiting_for = run.waiting_for if run else None
        asks = GateKind(waiting_for["reason"]) if waiting_for else None
        return cls.of(found, turn=run.status if run else None, asks=asks)


class SaidView(FrozenView):
    id: str
    position: int
    role: str
    text: str
    created_at: datetime


class DecisionView(FrozenView):
    id: str
    run_id: str | None
    kind: str
    item: str | None
    decision: str
    text: str | None
    data: dict[str, Any]
    created_at: datetime


class AssistantSessionList(BaseModel):
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


class Conversation(BaseModel):
    messages: list[SaidView]


class DecisionList(BaseModel):
    decisions: list[DecisionView]


class Rehearsed(BaseModel):
    """What a model would be told."""

    text: str
    tokens: int
    tokens_by_section: dict[str, int]


def _gate(waiting_for: Mapping[str, Any]) -> dict[str, Any]:
    """Without what was wrong with an earlier reply to it."""
    return {name: value for name, value in waiting_for["prompt"].items() if name != "problem"}
