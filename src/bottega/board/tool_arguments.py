"""What agents say to the board, by tool or over HTTP. Models pay for every word of the schemas: no
descriptions where the name says it, and lengths are checked without being listed."""

import json
from typing import Annotated, Any, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    Field,
    StringConstraints,
    WithJsonSchema,
    model_validator,
)

from bottega.board.agents.clarifications import LONGEST_WAIT
from bottega.board.enums import ChangeStatus, SessionType, Tier
from bottega.board.knowledge.items import Key, Title
from bottega.board.knowledge.recording import CATEGORIES
from bottega.board.openspec import (
    NewChange,
    NewDelta,
    NewRequirement,
    NewScenario,
    TaskGroup,
)
from bottega.board.queue.queue import Finish
from bottega.memory.schemas import Content, Tags

CATEGORIES_BY_TIER = "; ".join(f"{tier}: {'|'.join(names)}" for tier, names in CATEGORIES.items())
LONGEST_METADATA = 8_000
MOST_FILES = 1_000
MOST_OPTIONS = 10


def _up_to(longest: int) -> AfterValidator:
    def check(text: str) -> str:
        if not text:
            raise ValueError(f"it is empty; write 1 to {longest} characters")
        if len(text) > longest:
            raise ValueError(f"it has {len(text)} characters; the limit is {longest}")
        if "\0" in text:
            raise ValueError("it contains a NUL character, which no database stores")
        return text

    return AfterValidator(check)


def _at_most(number: int) -> AfterValidator:
    def check(items: list[str]) -> list[str]:
        if len(items) > number:
            raise ValueError(f"it has {len(items)} items; the limit is {number}")
        return items

    return AfterValidator(check)


def _small(metadata: dict[str, Any]) -> dict[str, Any]:
    if len(json.dumps(metadata)) > LONGEST_METADATA:
        raise ValueError(f"it is longer than {LONGEST_METADATA} characters as JSON")
    return metadata


_STRIPPED = StringConstraints(strip_whitespace=True)
Word = Annotated[str, _STRIPPED, _up_to(40)]
Id = Annotated[str, _STRIPPED, _up_to(200)]
Line = Annotated[str, _STRIPPED, _up_to(4_096)]
Why = Annotated[str, _STRIPPED, _up_to(5_000)]
Words = Annotated[str, _STRIPPED, _up_to(20_000)]
Metadata = Annotated[dict[str, Any], AfterValidator(_small), WithJsonSchema({"type": "object"})]


class Registration(BaseModel):
    project_id: Id | None = None
    project_path: Line | None = Field(None, description="Or the folder you work in.")
    type: SessionType = SessionType.WORKER
    client_session_id: Id | None = Field(None, description="Your client's own id.")
    metadata: Metadata = {}


class OfSession(BaseModel):
    session_id: Id


class Ending(OfSession):
    why: Why = "The session ended."


class Holding(OfSession):
    lease_token: int


class Completing(Holding):
    result: Words = Field(description="What you did.")
    files_changed: Annotated[list[Line], _at_most(MOST_FILES)] = []
    tests: Words | None = Field(None, description="How it was tested.")

    def finish(self) -> Finish:
        return Finish(self.result, self.files_changed, self.tests or "")


class Releasing(Holding):
    why: Why


class Completion(Completing):
    change_id: Id


class Release(Releasing):
    change_id: Id


class TaskUpdate(Holding):
    change_id: Id
    tasks: list[Id] = Field(description="Their ids.")
    done: bool = True


class WorkFilter(BaseModel):
    project_id: Id | None = None
    status: ChangeStatus | None = None


class OfChange(BaseModel):
    change_id: Id
    project_id: Id | None = None


class Scenario(BaseModel):
    name: Line
    steps: list[Line] = Field(description="WHEN …, THEN …")


class Requirement(BaseModel):
    name: Line
    text: Words = Field(description="With SHALL or MUST.")
    scenarios: list[Scenario]

    def draft(self) -> NewRequirement:
        scenarios = [NewScenario(scenario.name, scenario.steps) for scenario in self.scenarios]
        return NewRequirement(self.name, self.text, scenarios)


class SpecDelta(BaseModel):
    capability: Id
    added: list[Requirement] = []
    modified: list[Requirement] = []
    removed: list[Line] = []
    purpose: Words | None = Field(None, description="Of a new capability.")

    def draft(self) -> NewDelta:
        return NewDelta(
            self.capability,
            [requirement.draft() for requirement in self.added],
            [requirement.draft() for requirement in self.modified],
            self.removed,
            purpose=self.purpose or "",
        )


class Proposal(OfSession):
    """The doors for people take more (`schemas.ProposalInput`); this is what agents need."""

    title: Id
    why: Words
    what_changes: Words
    impact: Words | None = None
    tasks: list[Line]
    specs: list[SpecDelta] = []
    design: Words | None = None
    priority: int = Field(3, ge=1, le=5)

    def draft(self) -> NewChange:
        return NewChange(
            title=self.title,
            why=self.why,
            what_changes=self.what_changes,
            impact=self.impact or "",
            tasks=[TaskGroup("Tasks", self.tasks)],
            deltas=[delta.draft() for delta in self.specs],
            design=self.design,
        )


class Learned(OfSession):
    tier: Tier
    category: Word = Field(description=CATEGORIES_BY_TIER)
    content: Content
    key: Key | None = None
    title: Title | None = None
    tags: Tags = []
    change_id: Id | None = Field(None, description="Default: yours.")


class Recalling(OfSession):
    query: Line | None = Field(None, description="Default: all that helps with your change.")
    budget: int = Field(2_000, ge=100, le=20_000, description="Tokens.")


class Asking(OfSession):
    options: Annotated[list[Line], _at_most(MOST_OPTIONS)] = []
    blocking: bool = True


class NewQuestion(Asking):
    question: Words


class Question(Asking):
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
