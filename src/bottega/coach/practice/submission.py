"""A solution that a learner hands in, and what is known of it because it was run."""

from dataclasses import dataclass
from typing import Any

from bottega.coach.enums import Stage
from bottega.coach.practice.catalogue import KataConstraint
from bottega.coach.practice.runner import CaseResult, RunReport

#: Of a kata that does not say what a plain solution shows.
USUAL_LEVEL = 3


@dataclass(frozen=True, slots=True)
class RunEvidence:
    code: str
    #: The constraints that the learner took on.
    constraints: tuple[KataConstraint, ...] = ()
    #: None for a kata that has no tests to run.
    run: RunReport | None = None

    @property
    def is_empty(self) -> bool:
        return not self.code.strip()

    @property
    def ran(self) -> bool:
        return self.run is not None and self.run.ran

    @property
    def cases(self) -> tuple[CaseResult, ...]:
        return self.run.results if self.run else ()

    @property
    def failed(self) -> tuple[CaseResult, ...]:
        return tuple(case for case in self.cases if not case.passed)

    @property
    def checked(self) -> tuple[tuple[KataConstraint, CaseResult], ...]:
        """The constraints that a check could judge, with its verdict."""
        checkable = [constraint for constraint in self.constraints if constraint.check]
        return tuple(zip(checkable, self.run.checks if self.run else (), strict=False))

    @property
    def broken(self) -> tuple[tuple[KataConstraint, CaseResult], ...]:
        return tuple(
            (constraint, result) for constraint, result in self.checked if not result.passed
        )

    @property
    def kept(self) -> tuple[KataConstraint, ...]:
        return tuple(constraint for constraint, result in self.checked if result.passed)

    @property
    def unjudged(self) -> tuple[KataConstraint, ...]:
        """The constraints that only a reader can judge."""
        return tuple(constraint for constraint in self.constraints if not constraint.check)

    @property
    def solves(self) -> bool:
        """Whether it passed all of the kata's tests."""
        return self.ran and bool(self.cases) and not self.failed

    @property
    def obstacle(self) -> str | None:
        """Why this solution cannot pass, whoever reviews it; None if nothing speaks against it."""
        if self.is_empty:
            return "There is no code in this submission."
        if self.run is None or not self.run.ran:
            return None
        if self.failed and self.run.message:
            return as_sentence(f"The code did not get through its tests: {self.run.message}")
        if self.failed:
            first = self.failed[0]
            return as_sentence(f"{self.score} tests pass. “{first.name}” does not: {first.problem}")
        if self.broken:
            constraint, result = self.broken[0]
            return as_sentence(f"“{constraint.title}” does not hold yet: {result.problem}")
        return None

    @property
    def score(self) -> str:
        return f"{len(self.cases) - len(self.failed)} of {len(self.cases)}"


def as_sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


@dataclass(frozen=True, slots=True)
class Submission:
    description: str
    #: What the learner must not see.
    instructor_notes: str
    scaffolding_code: str
    evidence: RunEvidence
    stage: Stage
    #: All that the kata has, the easiest first.
    constraints: tuple[KataConstraint, ...] = ()
    #: Attempts under the same constraints, oldest first: `{code, review, level, passed}`.
    previous_attempts: tuple[dict[str, Any], ...] = ()
    #: Titles of the constraints under which the learner has passed before.
    mastered: frozenset[str] = frozenset()
    #: What a plain solution that passes shows, from 1 to 10.
    plain_level: int = USUAL_LEVEL
