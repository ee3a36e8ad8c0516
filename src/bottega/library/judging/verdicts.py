"""What a judge says: a verdict with its checks, or an axis with its score."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

#: An undecided claim with this score is rather supported than not.
LEANING = 0.5
#: The name of the check that is not a rule: a small model has read claim and paragraph.
READING = "reading"


class Verdict(StrEnum):
    SUPPORTED = "supported"
    UNSUPPORTED = "unsupported"
    UNDECIDED = "undecided"


class MatchLevel(StrEnum):
    """How much of the claim the paragraph says itself."""

    EXACT = "exact"
    CLOSE = "close"
    PARTIAL = "partial"
    NONE = "none"


class ErrorCategory(StrEnum):
    NOT_FOUND = "NOT_FOUND"
    SUB_PARA_NOT_FOUND = "SUB_PARA_NOT_FOUND"
    CONTENT_MISMATCH = "CONTENT_MISMATCH"


class Outcome(StrEnum):
    PASSED = "passed"
    DOUBTFUL = "doubtful"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    outcome: Outcome
    #: For a person: what does not agree, in the words of the texts. Empty if all is well.
    reason: str = ""

    @property
    def passed(self) -> bool:
        return self.outcome is Outcome.PASSED


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is weighed for and against a claim, each from 0 on; see `evidence.py`."""

    #: The share of the claim's words that the statement says.
    said: float
    #: … of those that it says about its subject.
    core: float
    #: … that the statement says, or the rest of the paragraph, or a definition.
    known: float
    #: The share of the statement's words, without its conditions, that the claim repeats.
    repeated: float
    #: Checks that failed, or did by half.
    conditions: float
    things: float
    modality: float


@dataclass(frozen=True, slots=True)
class Judgement:
    verdict: Verdict
    #: From 0 (says something else) to 1 (says just that).
    score: float
    checks: tuple[Check, ...]
    match_level: MatchLevel
    error_category: ErrorCategory | None = None
    #: What was weighed; none if it is verbatim, or there was nothing to compare.
    evidence: Evidence | None = None

    @property
    def leaning(self) -> Verdict:
        """The verdict if one has to be given now."""
        if self.verdict is not Verdict.UNDECIDED:
            return self.verdict
        return Verdict.SUPPORTED if self.score >= LEANING else Verdict.UNSUPPORTED

    @property
    def was_read(self) -> bool:
        return any(check.name == READING for check in self.checks)

    @property
    def reasons(self) -> tuple[str, ...]:
        return tuple(check.reason for check in self.checks if check.reason)


@dataclass(frozen=True, slots=True)
class AxisResult:
    """One axis of verification, as the tools give it back."""

    score: float
    passed: bool
    #: One entry a thing that was checked, ready for JSON.
    details: tuple[dict[str, Any], ...]
