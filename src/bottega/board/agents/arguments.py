"""What agents say of themselves, ask, learn and propose, by tool or over HTTP."""

import json
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, Field, WithJsonSchema, model_validator

from bottega.board.agents.schemas import LONGEST_WAIT, SessionType
from bottega.board.knowledge import schemas as knowledge
from bottega.board.knowledge.schemas import CATEGORIES, BoardTier, Key, Title
from bottega.board.openspec.drafts import (
    DeltaInput,
    NewChange,
    RequirementInput,
    ScenarioInput,
    TaskGroupInput,
)
from bottega.board.queue.arguments import Id, Line, OfSession, Why, Word, Words, at_most
from bottega.memory.schemas import Content, Tags

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
