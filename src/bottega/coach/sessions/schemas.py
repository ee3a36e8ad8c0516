"""Sessions as clients start them, and as clients and agents see them."""

from enum import StrEnum
from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator

from bottega.coach.editor.schemas import (
    Decorations,
    FileHint,
    HighlightLines,
    Iso,
    IssueContext,
    Outgoing,
)
from bottega.coach.enums import (
    FileStyle,
    HintLevel,
    LineStyle,
    PhaseStatus,
    ProgressType,
    Stage,
)
from bottega.coach.observer.schemas import ObserverStatus
from bottega.coach.plans.schemas import PhaseView
from bottega.core.wire import Wired


class StartSession(Wired):
    """An issue by its number, or in one's own words, or both."""

    issue_number: int | None = Field(None, ge=1, le=2**31 - 1)
    issue_title: str | None = Field(None, min_length=1, max_length=500)
    issue_summary: str | None = Field(None, max_length=50_000)

    @model_validator(mode="after")
    def _something(self) -> "StartSession":
        if not (self.issue_number or self.issue_title or (self.issue_summary or "").strip()):
            raise ValueError("give issueNumber, or say in issueTitle what you want to work on")
        return self


class ResumeSession(Wired):
    session_id: str


class EndInput(Wired):
    session_transcript: str = ""


class EndSession(EndInput):
    """Without a transcript the wrap-up works from the log."""


class Started(Outgoing):
    type: ClassVar[str] = "session:started"
    session_id: str
    issue_context: IssueContext
    phases: list[PhaseView]
    hint_level: HintLevel
    open_files: list[str]


class RestoredState(Wired):
    session_id: str
    #: The session that it goes on with, if that one was over.
    previous_session_id: str | None = None
    issue_context: IssueContext
    plan_id: str | None = None
    phases: list[PhaseView]
    hint_level: HintLevel
    open_files: list[str]
    started_at: str


class Resumed(Outgoing):
    type: ClassVar[str] = "session:resumed"
    restored_state: RestoredState


class Completed(Outgoing):
    type: ClassVar[str] = "session:completed"
    session_id: str
    knowledge_gaps: int
    kata_specs: int
    dreyfus_updates: int
    memories_stored: int


class Summary(Wired):
    """A session in numbers and a sentence."""

    session_id: str
    #: completed or abandoned
    status: str
    duration_ms: int
    text: str
    phases_completed: int = 0
    phases_total: int = 0
    knowledge_gaps: int = 0
    kata_specs: int = 0
    dreyfus_updates: int = 0
    memories_stored: int = 0


class Ended(Outgoing):
    type: ClassVar[str] = "session:ended"
    summary: Summary


class PhaseState(Wired):
    id: str
    number: int
    title: str
    status: PhaseStatus
    #: The one that holds: the person's own choice, if they made one.
    hint_level: HintLevel


class PhaseLine(Wired):
    number: int
    title: str
    status: PhaseStatus


class PlanState(Wired):
    id: str
    phases: list[PhaseLine]


class ProgressState(Wired):
    event_type: ProgressType
    data: dict[str, Any] | None
    created_at: Iso


class FileHintState(Wired):
    path: str
    style: FileStyle


class LineHintState(Wired):
    path: str
    start_line: int | None
    end_line: int | None
    style: LineStyle
    hover_text: str | None


class HintsState(Wired):
    """Of the active phase."""

    file_hints: list[FileHintState]
    line_hints: list[LineHintState]


class SessionView(Wired):
    id: str
    project_dir: str
    issue_number: int | None
    issue_title: str | None
    started_at: Iso


class SkillState(Wired):
    skill_area: str
    stage: Stage
    confidence: float


class SessionLine(Wired):
    """One session in a list."""

    id: str
    issue_number: int | None
    issue_title: str | None
    status: str
    started_at: str
    ended_at: str | None
    minutes: float
    phases_completed: int
    phases_total: int


class MomentView(Wired):
    at: str
    #: Milliseconds after the session's start.
    offset_ms: int
    kind: str
    text: str
    data: dict[str, Any]


class Replay(Wired):
    session: SessionLine
    moments: list[MomentView]


class StateItem(StrEnum):
    OPEN_FILES = "open_files"
    BUFFERS = "buffers"
    DIFFS = "diffs"
    PHASE = "phase"
    PLAN = "plan"
    PROGRESS = "progress"
    HINTS = "hints"
    SESSION = "session"
    DREYFUS = "dreyfus"


class WrapUpResult(Wired):
    knowledge_gaps: int = 0
    kata_specs: int = 0
    dreyfus_updates: int = 0
    memories_stored: int = 0
    session_status: Literal["completed"] = "completed"


class StateInput(Wired):
    include: list[StateItem] = Field([], description="Default: all.")


class StateRequest(Wired):
    include: list[StateItem] | None = Field(None, description="Default: all nine.")


class DeskView(Wired):
    session: RestoredState | None
    #: In the order they were opened; what they contain is asked for one by one.
    open_files: list[str]
    observer: ObserverStatus
    file_hints: list[FileHint]
    regions: list[Decorations]
    highlights: list[HighlightLines]


class CoachSessionList(Wired):
    sessions: list[SessionLine]


class CoachReport(Wired):
    markdown: str


class SessionsRequest(Wired):
    limit: int = Field(20, ge=1, le=500)


class PastSessionRequest(Wired):
    #: Or `last`.
    session_id: str


class ResumeRequest(Wired):
    id: str
