"""The pieces of a session's state, as an agent and the web app read them."""

from typing import Any

from bottega.coach.enums import FileStyle, HintLevel, LineStyle, PhaseStatus, ProgressType
from bottega.coach.protocol.files import Position
from bottega.coach.stages import Stage
from bottega.core.wire import Wired


class BufferState(Wired):
    path: str
    content: str
    cursor_position: Position
    dirty: bool


class BufferView(BufferState):
    last_updated: str

    def state(self) -> BufferState:
        return BufferState.model_validate(self.model_dump(exclude={"last_updated"}))


class DiffView(Wired):
    path: str
    diff: str


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
    created_at: str


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
    started_at: str


class SkillState(Wired):
    skill_area: str
    stage: Stage
    confidence: float
