"""Explanations, reviews, practice and the observer."""

from typing import ClassVar, Literal

from pydantic import AliasChoices, BaseModel, Field

from bottega.coach.enums import Signal
from bottega.coach.protocol.files import Range
from bottega.coach.protocol.outgoing import Outgoing
from bottega.core.wire import Wired

FollowUpType = Literal["constraint_escalation", "retry_hint", "completed"]
DreyfusSignal = Literal["advancing", "stable", "struggling"]


class Explain(Wired):
    """What is not given is looked up: the language by the path, the context in the file."""

    path: str
    language: str | None = None
    selection: Range = Field(validation_alias=AliasChoices("selection", "range"))
    selected_text: str = ""
    surrounding_context: str | None = None


class Review(Wired):
    """`user:review` and `practice:submit_solution`; without a kata: the active phase's work."""

    kata_id: str | None = None
    user_code: str = Field("", validation_alias=AliasChoices("userCode", "code", "user_code"))
    active_constraint_titles: list[str] = Field(
        default_factory=list,
        validation_alias=AliasChoices(
            "activeConstraintTitles", "activeConstraints", "active_constraint_titles"
        ),
    )


class RequestKata(Wired):
    """One kata, or whichever is the best to do next."""

    kata_id: str | None = None


class Mute(Wired):
    muted: bool


class IdleStart(Wired):
    last_action_timestamp: int | float | str | None = None


class Empty(Wired):
    """A message that says all by its type."""


class Explanation(Outgoing):
    type: ClassVar[str] = "explain:response"
    path: str
    explanation: str
    key_concepts: list[str]
    analogy: str | None
    related_files: list[str] | None
    phase_connection: str | None
    offline: bool = False


class ExplainError(Outgoing):
    type: ClassVar[str] = "explain:error"
    path: str
    error: str


class Constraint(Wired):
    title: str
    description: str
    min_level: int = Field(ge=1, le=10)


class FollowUp(Wired):
    type: FollowUpType
    constraint: str | None = None
    reason: str | None = None


class CaseOutcome(Wired):
    """One of the kata's test cases, run."""

    name: str
    passed: bool
    problem: str | None = None


class ConstraintOutcome(Wired):
    """Whether the solution keeps to a constraint that it was handed in under."""

    title: str
    #: `None` where no check can tell, only a reader.
    held: bool | None
    problem: str | None = None


class KataReview(Outgoing):
    type: ClassVar[str] = "review:response"
    kata_id: str
    correct: bool
    feedback: str
    level: int
    passed: bool
    follow_up: FollowUp | None
    dreyfus_signal: DreyfusSignal
    unlocked_constraints: list[Constraint]
    #: What really ran; empty where nothing could be run.
    cases: list[CaseOutcome] = Field(default_factory=list)
    #: Of those that were active.
    constraints: list[ConstraintOutcome] = Field(default_factory=list)
    #: Whether the code was run, or only read.
    ran: bool = False
    offline: bool = False


class PhaseReview(Outgoing):
    """ "Review My Work": the active phase's changes."""

    type: ClassVar[str] = "review:response"
    kata_id: None = None
    phase: int | None
    review: str
    suggestions: list[str]
    passed: bool
    offline: bool = False


class ReviewError(Outgoing):
    type: ClassVar[str] = "review:error"
    kata_id: str | None
    error: str


class AttemptView(Wired):
    code: str
    review: str | None = None
    level: int | None = None
    passed: bool | None = None
    constraints: list[str] = Field(default_factory=list)


class KataView(Wired):
    id: str
    title: str
    topic: str
    description: str
    scaffolding_code: str
    attempts: list[AttemptView]
    best_level: int | None


class OfferedConstraint(Constraint):
    unlocked: bool


class KataLoad(Outgoing):
    type: ClassVar[str] = "practice:kata_load"
    kata: KataView
    constraints: list[OfferedConstraint]


class SolutionReview(Outgoing):
    """The catalogue's short form of a kata's review, for who sent `practice:submit_solution`."""

    type: ClassVar[str] = "practice:solution_review"
    kata_id: str
    review: str
    level: int
    passed: bool
    constraints_unlocked: list[Constraint]


class NudgeContext(BaseModel):
    """snake_case on the wire too, as the observer's story has it."""

    current_file: str | None = None
    expected_file: str | None = None
    time_in_file: str | None = None
    phase_description: str | None = None


class Nudge(Outgoing):
    type: ClassVar[str] = "observer:nudge"
    signal: Signal
    confidence: float
    context: NudgeContext
    #: The same in words, for a person.
    message: str
    #: Worked out by rule, without a model.
    offline: bool = False


class ObserverStatus(Outgoing):
    type: ClassVar[str] = "observer:status"
    active: bool
    muted: bool
    last_evaluation: str | None
