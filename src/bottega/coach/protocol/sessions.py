"""Sessions, plans and phases."""

from typing import ClassVar

from pydantic import Field, model_validator

from bottega.coach.enums import Difficulty, HintLevel, MessageType, PhaseStatus
from bottega.coach.protocol.outgoing import Outgoing
from bottega.core.wire import Wired


class IssueContext(Wired):
    """What is worked on, as far as it is known."""

    number: int | None = None
    title: str
    summary: str = ""
    labels: list[str] = Field(default_factory=list)
    url: str | None = None


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


class EndSession(Wired):
    """Without a transcript the wrap-up works from the log."""

    session_transcript: str = ""


class SubmitPlan(Wired):
    plan_text: str = Field(min_length=1, max_length=500_000)
    issue_summary: str | None = Field(None, max_length=50_000)
    issue_number: int | None = Field(None, ge=1, le=2**31 - 1)


class DraftPlan(Wired):
    """A plan for the session's issue, to be edited and submitted."""


class UpdatePhase(Wired):
    phase: int = Field(ge=1, description="The phase's number.")
    status: PhaseStatus


class PhaseView(Wired):
    id: str
    number: int
    title: str
    description: str
    status: PhaseStatus
    hint_level: HintLevel
    expected_files: list[str]


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


class PhaseUpdate(Outgoing):
    type: ClassVar[str] = "coaching:phase_update"
    phase: PhaseView
    status: PhaseStatus
    description: str


class Anchor(Wired):
    """Where a message belongs in a file."""

    path: str
    line: int = Field(1, ge=1)


class CoachingMessage(Outgoing):
    type: ClassVar[str] = "coaching:message"
    message: str
    #: `type` on the wire; the class has its own.
    message_type: MessageType = Field(alias="type")
    anchor: Anchor | None = None


class ShowIssue(Outgoing, IssueContext):
    type: ClassVar[str] = "coaching:issue_context"


class PlannedPhase(Wired):
    number: int
    title: str
    description: str
    hint_level: HintLevel
    status: PhaseStatus = PhaseStatus.PENDING


class PlanReady(Outgoing):
    type: ClassVar[str] = "coaching:plan_ready"
    plan_id: str
    phases: list[PlannedPhase]
    memory_connection: str | None
    estimated_difficulty: Difficulty


class PlanDraft(Outgoing):
    type: ClassVar[str] = "coaching:plan_draft"
    plan_text: str
    #: Worked out without a model.
    offline: bool
