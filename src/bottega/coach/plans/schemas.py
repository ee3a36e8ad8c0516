"""Issues, plans and phases, as clients send and see them."""

import re
from enum import StrEnum
from typing import ClassVar

from pydantic import ConfigDict, Field

from bottega.coach.editor.schemas import Outgoing
from bottega.coach.enums import Difficulty, HintLevel, PhaseStatus
from bottega.core.wire import Wired


class SubmitPlan(Wired):
    plan_text: str = Field(min_length=1, max_length=500_000)
    issue_summary: str | None = Field(None, max_length=50_000)
    issue_number: int | None = Field(None, ge=1, le=2**31 - 1)


class DraftPlan(Wired):
    """A plan for the session's issue, to be edited and submitted."""


class PhaseInput(Wired):
    phase: int = Field(ge=1, description="Its number.")
    status: PhaseStatus


class UpdatePhase(PhaseInput):
    phase: int = Field(ge=1, description="The phase's number.")


class PhaseView(Wired):
    id: str
    number: int
    title: str
    description: str
    status: PhaseStatus
    hint_level: HintLevel
    expected_files: list[str]


class PhaseUpdate(Outgoing):
    type: ClassVar[str] = "coaching:phase_update"
    phase: PhaseView
    status: PhaseStatus
    description: str


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


class Source(StrEnum):
    GITHUB = "github"
    #: The project's own `issues/*.md`.
    FILES = "files"


class Comment(Wired):
    model_config = ConfigDict(frozen=True)

    author: str
    body: str


class Issue(Wired):
    model_config = ConfigDict(frozen=True)

    number: int
    title: str
    #: Whole: whoever sends it to a model cuts it.
    body: str = ""
    labels: tuple[str, ...] = ()
    #: Logins.
    assignees: tuple[str, ...] = ()
    comments: tuple[Comment, ...] = ()
    url: str | None = None

    def concerns(self, login: str) -> bool:
        """Whether it is this person's: assigned to them, or they are mentioned in it."""
        if login.casefold() in (name.casefold() for name in self.assignees):
            return True
        mention = re.compile(rf"(?<![\w@/.-])@{re.escape(login)}(?![\w-])", re.IGNORECASE)
        words = (self.body, *(comment.body for comment in self.comments))
        return any(mention.search(text) for text in words)


class IssueList(Wired):
    source: Source
    issues: list[Issue]
    #: Why these are not GitHub's, if they are not.
    note: str | None = None


class PipelineInput(Wired):
    plan_text: str = Field(min_length=1, max_length=500_000, description="Markdown.")
    issue_summary: str = Field(max_length=50_000)
    issue_number: int | None = Field(None, ge=1, le=2**31 - 1)


class CurrentLevel(Wired):
    level: HintLevel


class PhaseMove(Wired):
    status: PhaseStatus


class PhaseMoveRequest(PhaseMove):
    number: int = Field(ge=1)
