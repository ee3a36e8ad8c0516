"""What agents say to the coach's tools. Models pay for every word of it: no descriptions where
the name says it."""

from pydantic import Field, model_validator

from bottega.coach.desk.state import StateItem
from bottega.coach.enums import FileStyle, LineStyle, MessageType, PhaseStatus
from bottega.coach.protocol.files import FileHint
from bottega.coach.protocol.sessions import Anchor
from bottega.core.wire import Wired

MAX_HINTS = 200
MAX_MESSAGE = 10_000
MAX_PLAN = 500_000
MAX_SUMMARY = 50_000


class Nothing(Wired):
    pass


class AtPath(Wired):
    path: str


class AtPathOrAll(Wired):
    path: str | None = Field(None, description="Default: all.")


class StateInput(Wired):
    include: list[StateItem] = Field([], description="Default: all.")


class HighlightInput(Wired):
    path: str
    start: int = Field(ge=1)
    end: int = Field(ge=1)
    style: LineStyle
    hover_text: str | None = Field(None, max_length=MAX_MESSAGE)

    @model_validator(mode="after")
    def _forwards(self) -> "HighlightInput":
        if self.end < self.start:
            raise ValueError(f"`end` is {self.end}, before `start`, which is {self.start}")
        return self


class HintFilesInput(Wired):
    """The catalogue's `hints`, or the scenario's `paths` with one `style` for all of them."""

    hints: list[FileHint] = Field([], max_length=MAX_HINTS)
    paths: list[str] = Field([], max_length=MAX_HINTS, description="Instead of hints.")
    style: FileStyle = FileStyle.SUGGESTED

    @model_validator(mode="after")
    def _something(self) -> "HintFilesInput":
        if not (self.hints or self.paths):
            raise ValueError("give `hints`, or `paths` with a `style`")
        return self

    def all(self) -> list[FileHint]:
        return [*self.hints, *(FileHint(path=path, style=self.style) for path in self.paths)]


class PhaseInput(Wired):
    phase: int = Field(ge=1, description="Its number.")
    status: PhaseStatus


class MessageInput(Wired):
    message: str = Field(min_length=1, max_length=MAX_MESSAGE)
    type: MessageType
    anchor: Anchor | None = None


class IssueInput(Wired):
    number: int | None = Field(None, ge=1)
    title: str = Field(min_length=1, max_length=500)
    summary: str = Field("", max_length=MAX_SUMMARY)
    labels: list[str] = Field([])
    url: str | None = None


class PipelineInput(Wired):
    plan_text: str = Field(min_length=1, max_length=MAX_PLAN, description="Markdown.")
    issue_summary: str = Field(max_length=MAX_SUMMARY)
    issue_number: int | None = Field(None, ge=1, le=2**31 - 1)


class EndInput(Wired):
    session_transcript: str = ""
