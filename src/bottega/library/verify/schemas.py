"""What is to be verified, and what verification says of it."""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import BaseModel, Field, model_validator

from bottega.core.operations import bounded
from bottega.library.documents.schemas import (
    MAX_ITEMS,
    InLibrary,
    LibraryRequest,
    ParagraphIdentifier,
    Paragraphs,
)
from bottega.library.verify.verdicts import AxisResult, ErrorCategory, MatchLevel, Verdict

MAX_CLAIM = 5_000
MAX_TEXT = 20_000
#: Every one is compared with every other.
MAX_COMPARED = 200

Entities = Annotated[list[Annotated[str, bounded(1, 500)]], bounded(1, MAX_ITEMS)]
Claim = Annotated[str, bounded(1, MAX_CLAIM)]
ComparedParagraphs = Annotated[list[ParagraphIdentifier], bounded(1, MAX_COMPARED)]
ComparedClaims = Annotated[list[Claim], bounded(0, MAX_COMPARED)]


class EntitiesInput(InLibrary):
    entities: Entities
    source_paragraph_ids: Paragraphs


class Citation(BaseModel):
    """A claim, and the paragraph it is said to rest on."""

    paragraph_id: ParagraphIdentifier | None = None
    paragraph_ref: ParagraphIdentifier | None = None
    claim: Claim

    @model_validator(mode="after")
    def _cites(self) -> "Citation":
        if not (self.paragraph_id or self.paragraph_ref):
            raise ValueError("give `paragraph_id` or `paragraph_ref`")
        return self

    @property
    def cited(self) -> str:
        return self.paragraph_id or self.paragraph_ref or ""


Citations = Annotated[list[Citation], bounded(1, MAX_ITEMS)]


class CitationsInput(InLibrary):
    citations: Citations


class Relation(BaseModel):
    source_paragraph: ParagraphIdentifier
    target_paragraph: ParagraphIdentifier
    relation_type: Annotated[str, bounded(1, 50)]


Relations = Annotated[list[Relation], bounded(1, MAX_ITEMS)]


class RelationsInput(InLibrary):
    relations: Relations


class ContradictionsInput(InLibrary):
    paragraph_ids: ComparedParagraphs
    synthesis_claims: ComparedClaims = Field([])


class VerifyInput(BaseModel):
    """What to check, each axis with what its tool takes; those without anything are left out."""

    citations: Citations = []
    entities: Entities = []
    #: Where the entities should be found.
    source_paragraph_ids: Paragraphs = []
    relations: Relations = []
    #: What should not contradict itself, or the claims.
    paragraph_ids: ComparedParagraphs = []
    synthesis_claims: ComparedClaims = []

    @model_validator(mode="after")
    def _something(self) -> "VerifyInput":
        if not (self.citations or self.entities or self.relations or self.paragraph_ids):
            raise ValueError("give `citations`, `entities`, `relations` or `paragraph_ids`")
        if self.entities and not self.source_paragraph_ids:
            raise ValueError("`entities` need `source_paragraph_ids` to be found in")
        return self


class VerifyRequest(VerifyInput, LibraryRequest):
    pass


class TextInput(BaseModel):
    text: Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]


class TextRequest(TextInput, LibraryRequest):
    pass


class Judge(StrEnum):
    """Who decided: the reader that runs here, or the configured model about what that left open.
    Answers of before may still say `rules`."""

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
    #: The paragraph that was found in what is cited, a section, say; of a missing sub-paragraph,
    #: what would contain it.
    paragraph_id: str | None = None
    paragraph_ref: str | None = None
    exists: bool = False
    supports_claim: bool = False
    source_text: str | None = None
    match_level: MatchLevel = MatchLevel.NONE
    error_category: ErrorCategory | None = None
    verdict: Verdict = Verdict.UNSUPPORTED
    #: How likely it is that the paragraph says so.
    score: float = 0.0
    #: The claim stands there word by word.
    quoted: bool = False
    #: What of the paragraph was held against the claim.
    passage: str = ""
    #: Which reader gave the score, or `verbatim`.
    method: str = ""
    #: What does not agree.
    reasons: list[str] = []
    judged_by: Judge = Judge.READER


class CitationReport(BaseModel):
    #: The share of claims that their paragraphs bear out.
    score: float
    passed: bool
    details: list[CitationDetail]


class Verified(BaseModel):
    all_passed: bool
    citations: CitationReport | None = None
    entities: Report | None = None
    relations: Report | None = None
    contradictions: Report | None = None


class CheckedClaim(BaseModel):
    #: The sentence as it was written.
    sentence: str
    #: What it cites; nothing, and it was held against what is nearest.
    cites: list[str]
    #: How it does against the paragraph that bears it out best.
    best: CitationDetail | None


class TextReport(BaseModel):
    claims: list[CheckedClaim]
    #: How many of them hold.
    supported: int
    #: Only the beginning was checked.
    cut: bool
