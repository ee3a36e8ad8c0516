"""Agents' sessions, questions and activity: as every door shows them, and what agents say of
themselves, ask, learn and propose, by tool or over HTTP.
"""

import json
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, Field, WithJsonSchema, model_validator

from bottega.board.changes.states import ChangeStatus
from bottega.board.knowledge import schemas as knowledge
from bottega.board.knowledge.schemas import CATEGORIES, BoardTier, Key, Title
from bottega.board.openspec.drafts import (
    DeltaInput,
    NewChange,
    RequirementInput,
    ScenarioInput,
    TaskGroupInput,
)
from bottega.board.projects.schemas import RowView
from bottega.board.queue.schemas import (
    Id,
    Lease,
    Line,
    Liveness,
    OfSession,
    Why,
    Word,
    Words,
    at_most,
)
from bottega.core.session_kinds import SessionStatus
from bottega.memory.schemas import Content, Tags

#: Seconds that one call waits for an answer at most: clients give up after a minute.
LONGEST_WAIT = 50.0


class SessionType(StrEnum):
    MASTER = "master"
    WORKER = "worker"
    MANUAL = "manual"


class ClarificationView(RowView):
    id: str
    session_id: str
    project_id: str | None
    change_id: str | None
    question: str
    options: list[str]
    blocking: bool
    #: Null while it is open, and if the session ended before anyone answered.
    answer: str | None
    answered_by: str | None
    created_at: datetime
    answered_at: datetime | None


class BoardSessionView(RowView):
    id: str
    project_id: str
    project_dir: str
    type: SessionType
    status: SessionStatus
    liveness: Liveness
    #: The client's own id, if it has one: Claude Code's.
    client_session_id: str | None
    metadata: dict[str, Any]
    started_at: datetime
    #: The last heartbeat.
    seen_at: datetime
    ended_at: datetime | None
    lease: Lease | None


class HeartbeatView(RowView):
    session_id: str
    #: It had been given up, and lost its work with that.
    woken: bool
    #: Null: it holds nothing, or no longer.
    lease: Lease | None
    #: Until it is given up, unless it is heard of before.
    minutes_left: int
    #: Answers it was not told yet.
    answers: list[ClarificationView]


class Ingested(BaseModel):
    """Claude Code reads the answer to a hook: nothing in it asks anything of the agent."""

    recorded: bool
    #: Ours, for the board's tools.
    session_id: str | None = None
    #: Why it was not recorded, and what to do.
    note: str | None = None


class Work(RowView):
    project_id: str
    id: str
    title: str
    status: ChangeStatus
    tasks_done: int
    tasks_total: int


class BoardAgentView(BaseModel):
    session_id: str
    client_session_id: str | None
    project_id: str | None
    project_dir: str
    type: SessionType
    status: SessionStatus
    liveness: Liveness
    started_at: datetime
    ended_at: datetime | None
    last_activity_at: datetime
    #: Nothing heard for five minutes.
    idle: bool
    idle_seconds: int
    current_tool: str | None
    current_tool_seconds: int | None
    events: int
    total_tools: int
    succeeded: int
    failed: int
    #: Per cent of the calls that ended; null while none did.
    success_rate: float | None
    average_duration_ms: float | None
    working_on: Work | None


class BoardToolView(BaseModel):
    tool_name: str
    calls: int
    failed: int
    average_duration_ms: float | None


class AgentSummary(BoardAgentView):
    """One agent's session in the whole."""

    seconds: int
    tools: list[BoardToolView]


class HookView(RowView):
    number: int
    event: str
    tool_name: str | None
    tool_use_id: str | None
    success: bool | None
    duration_ms: int | None
    payload: dict[str, Any]
    created_at: datetime


class Timeline(BaseModel):
    #: The newest first.
    events: list[HookView]
    #: Pass it as `before` for older ones; null where there are none.
    next: int | None


class Metrics(BaseModel):
    sessions: int
    events: int
    total_tools: int
    succeeded: int
    failed: int
    success_rate: float | None
    average_duration_ms: float | None
    #: Of one session only.
    tools: list[BoardToolView] | None = None


class BoardSessionList(BaseModel):
    sessions: list[BoardSessionView]


class Farewell(BaseModel):
    why: Why = "The session ended."


class ClarificationList(BaseModel):
    clarifications: list[ClarificationView] = Field(description="Open ones: the oldest first.")


CATEGORIES_BY_TIER = "; ".join(f"{tier}: {'|'.join(names)}" for tier, names in CATEGORIES.items())
LONGEST_METADATA = 8_000
MOST_OPTIONS = 10


def _small(metadata: dict[str, Any]) -> dict[str, Any]:
    if len(json.dumps(metadata)) > LONGEST_METADATA:
        raise ValueError(f"it is longer than {LONGEST_METADATA} characters as JSON")
    return metadata


Metadata = Annotated[dict[str, Any], AfterValidator(_small), WithJsonSchema({"type": "object"})]


class Registration(BaseModel):
    project_id: Id | None = None
    project_path: Line | None = Field(None, description="Or the folder you work in.")
    type: SessionType = SessionType.WORKER
    client_session_id: Id | None = Field(None, description="Your client's own id.")
    metadata: Metadata = {}


class Ending(OfSession):
    why: Why = "The session ended."


class SessionsRequest(BaseModel):
    project_id: Id | None = None
    live_only: bool = True


class Scenario(BaseModel):
    name: Line
    steps: list[Line] = Field(description="WHEN …, THEN …")


class Requirement(BaseModel):
    name: Line
    text: Words = Field(description="With SHALL or MUST.")
    scenarios: list[Scenario]

    def draft(self) -> RequirementInput:
        scenarios = [ScenarioInput(scenario.name, scenario.steps) for scenario in self.scenarios]
        return RequirementInput(self.name, self.text, scenarios)


class SpecDelta(BaseModel):
    capability: Id
    added: list[Requirement] = []
    modified: list[Requirement] = []
    removed: list[Line] = []
    purpose: Words | None = Field(None, description="Of a new capability.")

    def draft(self) -> DeltaInput:
        return DeltaInput(
            self.capability,
            [requirement.draft() for requirement in self.added],
            [requirement.draft() for requirement in self.modified],
            self.removed,
            purpose=self.purpose or "",
        )


class Proposal(OfSession):
    """The doors for people take more (`ProposalInput`); this is what agents need."""

    title: Id
    why: Words
    what_changes: Words
    impact: Words | None = None
    tasks: list[Line]
    specs: list[SpecDelta] = Field([])
    design: Words | None = None
    priority: int = Field(3, ge=1, le=5)

    def draft(self) -> NewChange:
        return NewChange(
            title=self.title,
            why=self.why,
            what_changes=self.what_changes,
            impact=self.impact or "",
            tasks=[TaskGroupInput("Tasks", self.tasks)],
            deltas=[delta.draft() for delta in self.specs],
            design=self.design,
        )


class Learned(OfSession):
    tier: BoardTier
    category: Word = Field(description=CATEGORIES_BY_TIER)
    content: Content
    key: Key | None = None
    title: Title | None = None
    tags: Tags = Field([])
    change_id: Id | None = Field(None, description="Default: yours.")


class Recalling(OfSession):
    query: Line | None = Field(None, description="Default: all that helps with your change.")
    budget: int = Field(2_000, ge=100, le=20_000, description="Tokens.")


class QuestionInput(OfSession):
    options: Annotated[list[Line], at_most(MOST_OPTIONS)] = Field([])
    blocking: bool = True


class NewQuestion(QuestionInput):
    question: Words


class AgentQuestion(QuestionInput):
    question: Words | None = None
    wait_seconds: float | None = Field(
        None, ge=0, le=LONGEST_WAIT, description="Default: 50 if blocking."
    )
    clarification_id: Id | None = Field(None, description="Wait on for an earlier question.")

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.question is None) == (self.clarification_id is None):
            raise ValueError("give a `question`, or the `clarification_id` of one you asked")
        return self

    @property
    def patience(self) -> float:
        if self.wait_seconds is not None:
            return self.wait_seconds
        return LONGEST_WAIT if self.blocking else 0.0


class Answer(BaseModel):
    answer: Words


class AnswerRequest(Answer):
    clarification_id: Id


class ClarificationsRequest(BaseModel):
    open_only: bool = Field(True, alias="open", description="Only those that wait for an answer.")
    project_id: Id | None = None


class ClarificationRequest(BaseModel):
    clarification_id: Id
    wait_seconds: float = Field(0, ge=0, le=LONGEST_WAIT)


class AgentRequest(BaseModel):
    session_id: knowledge.Id


class MetricsRequest(BaseModel):
    session_id: knowledge.Id | None = None


class TimelineRequest(AgentRequest):
    before: int | None = Field(None, ge=1)
    limit: int = Field(50, ge=1, le=500)
