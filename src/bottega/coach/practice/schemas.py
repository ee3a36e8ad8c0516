"""Katas as their learner sees them, a solution handed in, and its review."""

from typing import ClassVar, Literal

from pydantic import AliasChoices, Field

from bottega.coach.editor.schemas import Outgoing
from bottega.core.wire import Wired

FollowUpType = Literal["constraint_escalation", "retry_hint", "completed"]
DreyfusSignal = Literal["advancing", "stable", "struggling"]


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


class KataSummary(Wired):
    id: str
    title: str
    topic: str
    attempts_count: int
    best_level: int | None
    #: Whether an attempt has passed.
    solved: bool
    constraint_count: int


class KataRequest(Wired):
    id: str


class AttemptRequest(Review):
    id: str
