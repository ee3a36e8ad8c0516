"""What a judge says: a verdict, or an axis with its score."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


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


@dataclass(frozen=True, slots=True)
class AxisResult:
    """One axis of verification, as the tools give it back."""

    score: float
    passed: bool
    #: One entry a thing that was checked, ready for JSON.
    details: tuple[dict[str, Any], ...]
