"""An answer as data: what `answer.json` holds, what the document is written from, and what a
follow-up question begins with."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from bottega.library.service import Role
from bottega.research.agents.definition import Depth, Thresholds
from bottega.research.answering.links import CitedParagraph
from bottega.research.pipeline.outputs import AnswerStatus, VerificationScores, WebSource
from bottega.research.talking.prior import PriorSection

VERSION = 1
#: Scores from which confidence is high, and medium.
HIGH, MEDIUM = 0.85, 0.70


class Part(BaseModel):
    model_config = ConfigDict(frozen=True, json_schema_serialization_defaults_required=True)


class Confidence(StrEnum):
    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"

    @classmethod
    def of(cls, score: float) -> "Confidence":
        if score >= HIGH:
            return cls.HIGH
        return cls.MEDIUM if score >= MEDIUM else cls.LOW


class DeliveredClaim(Part):
    text: str
    citations: list[str] = []
    labels: list[str] = []
    #: Nobody could decide whether its sources bear it out.
    is_unconfirmed: bool = False


class DeliveredSection(Part):
    heading: str
    #: Plain, with what each sentence rests on in brackets.
    text: str
    claims: list[DeliveredClaim]
    citations: list[str] = []
    #: Labels of the web pages and prior research that are listed with its sources.
    sources: list[str] = []


class Taken(Part):
    """A claim that the gate removed."""

    text: str
    why: str


class Needed(Part):
    """The agent's thresholds, under the names of the scores."""

    entity_grounding: float
    citation_accuracy: float
    relation_preservation: float
    max_contradictions: int

    @classmethod
    def of(cls, thresholds: Thresholds) -> "Needed":
        return cls(**thresholds.model_dump())


class Verification(Part):
    """How what is delivered did, against what was needed."""

    scores: VerificationScores
    needed: Needed
    confidence: Confidence
    #: The axes that failed, in words.
    missed: list[str] = []


class AskedSubQuery(Part):
    query: str
    role: Role
    standards: list[str] = []
    #: Paragraphs that it found best.
    found: int = 0


class Refusal(Part):
    missing: list[str]
    #: Each with the line that tells what it is about.
    nearest: list[CitedParagraph] = []
    advice: list[str] = []


class Answer(Part):
    version: int = VERSION
    run_id: str
    question: str
    title: str
    status: AnswerStatus
    library: str
    depth: Depth
    #: Worked out by our own code, without a model.
    is_offline: bool = False
    summary: str = ""
    summary_claims: list[DeliveredClaim] = []
    #: Labels that are listed under the short answer.
    summary_sources: list[str] = []
    sections: list[DeliveredSection] = []
    citations: list[CitedParagraph] = []
    web_sources: list[WebSource] = []
    prior: list[PriorSection] = []
    #: Labels of what was looked at and fits no sentence.
    consulted: list[str] = []
    removed: list[Taken] = []
    #: Null where there was nothing to verify.
    verification: Verification | None = None
    sub_queries: list[AskedSubQuery] = []
    skipped_sub_queries: list[str] = []
    refusal: Refusal | None = None
    follow_up_of: str | None = None
    #: When its files were written.
    created_at: str = ""


def overall(scores: VerificationScores) -> Confidence:
    """The weakest axis decides; with a contradiction nothing is sure."""
    if scores.contradictions:
        return Confidence.LOW
    return Confidence.of(
        min(scores.entity_grounding, scores.citation_accuracy, scores.relation_preservation)
    )
