"""What verification says to every door."""

from enum import StrEnum
from typing import Any

from pydantic import BaseModel

from bottega.library.judging.verdicts import AxisResult, ErrorCategory, MatchLevel, Verdict


class Judge(StrEnum):
    """Who decided: the rules; with them a small local model, where it is installed; or the
    configured model, about what those left open."""

    RULES = "rules"
    READER = "reader"
    MODEL = "model"


class Report(BaseModel):
    #: From 0 to 1.
    score: float
    passed: bool
    details: list[dict[str, Any]]

    @classmethod
    def of(cls, result: AxisResult) -> "Report":
        return cls(score=result.score, passed=result.passed, details=list(result.details))


class CitationDetail(BaseModel):
    #: As it was cited.
    cited: str
    claim: str
    #: The paragraph that is meant; of a missing sub-paragraph, what would contain it.
    paragraph_id: str | None = None
    paragraph_ref: str | None = None
    exists: bool = False
    supports_claim: bool = False
    source_text: str | None = None
    match_level: MatchLevel = MatchLevel.NONE
    error_category: ErrorCategory | None = None
    verdict: Verdict = Verdict.UNSUPPORTED
    score: float = 0.0
    #: What does not agree.
    reasons: list[str] = []
    judged_by: Judge = Judge.RULES


class CitationReport(BaseModel):
    #: The share of claims that their paragraphs bear out.
    score: float
    passed: bool
    details: list[CitationDetail]
