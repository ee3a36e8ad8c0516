"""An answer as data: what `answer.json` holds, what the document is written from, and what a
follow-up question begins with; and research runs as every door shows them.
"""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict

from bottega.core.runs import Run, RunEvent, RunStatus
from bottega.library.service import AnswerPassage, ParagraphView, Role
from bottega.research.agents.definition import Depth, StageConfig, Thresholds
from bottega.research.pipeline.schemas import (
    AnswerStatus,
    Claim,
    ExitReason,
    PriorSection,
    ResearchOrder,
    ResearchOutcome,
    Truth,
    VerificationScores,
    WebSource,
)
from bottega.research.pipeline.state import state_of
from bottega.research.pipeline.timeline import RunTimeline, StageProgress, Utterance

VERSION = 1
#: Scores from which confidence is high, and medium.
HIGH, MEDIUM = 0.85, 0.70


class CitedParagraph(BaseModel):
    """A paragraph that an answer cites, as `answer.json` has it."""

    model_config = ConfigDict(frozen=True)

    ref: str
    document: str
    #: Relative to the library's root, or an uploaded file's name.
    path: str
    #: Line, page or block: `line 12`.
    start: str | None
    #: Verbatim, with the words that lead to it.
    text: str

    @classmethod
    def of(cls, paragraph: ParagraphView, text: str) -> "CitedParagraph":
        return cls(
            ref=paragraph.ref,
            document=paragraph.document,
            path=paragraph.path,
            start=paragraph.start,
            text=text,
        )


class ResearchView(BaseModel):
    # What is shown is shown whole: no field is ever left out.
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


class DeliveredClaim(Claim):
    #: Nobody could decide whether its sources bear it out.
    is_unconfirmed: bool = False
    #: Its words stand in the paragraph; the paragraph says so; it is what was asked.
    quoted: Truth | None = None
    supported: Truth | None = None
    answers: Truth | None = None


class DeliveredSection(ResearchView):
    heading: str
    #: Plain, with what each sentence rests on in brackets.
    text: str
    claims: list[DeliveredClaim]
    citations: list[str] = []
    #: Labels of the web pages and prior research that are listed with its sources.
    sources: list[str] = []


class Taken(ResearchView):
    """A claim that the gate removed."""

    text: str
    why: str


class Needed(ResearchView):
    """The agent's thresholds, under the names of the scores."""

    entity_grounding: float
    citation_accuracy: float
    relation_preservation: float
    max_contradictions: int

    @classmethod
    def of(cls, thresholds: Thresholds) -> "Needed":
        return cls(**thresholds.model_dump())


class Verification(ResearchView):
    """How what is delivered did, against what was needed."""

    scores: VerificationScores
    needed: Needed
    confidence: Confidence
    #: The axes that failed, in words.
    missed: list[str] = []


class AskedSubQuery(ResearchView):
    query: str
    role: Role
    standards: list[str] = []
    #: Paragraphs that it found best.
    found: int = 0


class Refusal(ResearchView):
    missing: list[str]
    #: Each with the line that tells what it is about.
    nearest: list[CitedParagraph] = []
    advice: list[str] = []


class ResearchAnswer(ResearchView):
    """An answer as data: sections, claims, citations, verification."""

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
    #: Where to look: the passages that answer likeliest, each with its sentence.
    passages: list[AnswerPassage] = []
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


class WaitingOption(ResearchView):
    #: What to reply.
    key: str
    label: str


class Waiting(ResearchView):
    """What a paused run asks."""

    #: `READY`, `CLARIFYING`, `CALIBRATED` …
    kind: str
    #: Markdown, with the options as a menu.
    text: str
    #: The same without the menu, for those who show the options themselves.
    body: str
    options: list[WaitingOption] = []
    #: What can be written in the place of an option.
    otherwise: str = ""
    #: Send it back with the reply, so that it answers this question and no later one.
    key: str


class ResearchRunView(ResearchView):
    id: str
    session_id: str | None
    status: RunStatus
    question: str
    library: str
    agent: str
    depth: Depth | None
    follow_up_of: str | None
    waiting_for: Waiting | None
    #: Once it has ended.
    exit_reason: ExitReason | None = None
    answer_status: AnswerStatus | None = None
    #: US dollars; while it goes on, only where one run is shown.
    cost: float = 0.0
    error: dict[str, Any] | None
    created_at: datetime
    ended_at: datetime | None
    #: The newest event's, to follow it from.
    position: int

    @classmethod
    def of(cls, run: Run, cost: float | None = None) -> "ResearchRunView":
        order = ResearchOrder.model_validate(run.input)
        outcome = ResearchOutcome.model_validate(run.output) if run.output else None
        return cls(
            id=run.id,
            session_id=run.session_id,
            status=run.status,
            question=order.question,
            library=order.library,
            agent=order.agent,
            depth=order.depth,
            follow_up_of=order.follow_up_of,
            waiting_for=_waiting(run),
            exit_reason=outcome.exit_reason if outcome else _reason(run),
            answer_status=outcome.status if outcome else None,
            cost=outcome.cost if outcome else cost or 0.0,
            error=run.error,
            created_at=run.created_at,
            ended_at=run.ended_at,
            position=run.position,
        )


class RunState(ResearchRunView):
    """One run, with how far it is."""

    state: dict[str, Any]
    #: In order, those that are still ahead last.
    stages: list[StageProgress]
    #: What was said at its pauses.
    talk: list[Utterance]

    @classmethod
    def showing(
        cls, run: Run, events: Sequence[RunEvent], planned: Sequence[StageConfig] = ()
    ) -> "RunState":
        """With the stages that its agent has planned, as long as it goes on."""
        state, story = state_of(events), RunTimeline.of(events)
        view = ResearchRunView.of(run, state.cost)
        ahead = [] if run.status.is_final else story.ahead(planned)
        return cls(
            **dict(view),
            state=state.to_json(),
            stages=[*story.stages, *ahead],
            talk=story.talk,
        )


class AnswerView(ResearchView):
    run_id: str
    exit_reason: ExitReason
    status: AnswerStatus | None
    #: The document; empty after a breakout.
    markdown: str
    #: The same as data; null after a breakout.
    answer: ResearchAnswer | None
    output_file_path: str | None
    cost: float
    open_question: str | None

    @classmethod
    def of(cls, run_id: str, outcome: ResearchOutcome) -> "AnswerView":
        answer = ResearchAnswer.model_validate(outcome.answer) if outcome.answer else None
        return cls(run_id=run_id, **{**dict(outcome), "answer": answer})


def _waiting(run: Run) -> Waiting | None:
    if run.waiting_for is None:
        return None
    prompt = run.waiting_for["prompt"] or {}
    text = prompt.get("text", run.waiting_for["reason"])
    return Waiting(
        kind=prompt.get("kind", ""),
        text=text,
        body=prompt.get("body", text),
        options=prompt.get("options", []),
        otherwise=prompt.get("otherwise", ""),
        key=run.waiting_for["key"],
    )


def _reason(run: Run) -> ExitReason | None:
    if run.status is RunStatus.FAILED:
        return ExitReason.ERROR
    return ExitReason.CANCELLED if run.status is RunStatus.CANCELLED else None
