"""What is known of a solution for certain, because it was run."""

from dataclasses import dataclass

from bottega.coach.katas.running import CaseResult, RunReport
from bottega.coach.practice.constraints import KataConstraint


@dataclass(frozen=True, slots=True)
class Evidence:
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
