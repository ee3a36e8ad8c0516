"""What the editor's windows send and are shown: files, tabs, highlights, hints, messages."""

from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AliasChoices, BeforeValidator, Field, model_validator

from bottega.coach.enums import FileStyle, HintLevel, LineStyle, MessageType
from bottega.core import clock
from bottega.core.files.tree import TreeNode
from bottega.core.wire import Wired

MAX_HINTS = 200
MAX_MESSAGE = 10_000
MAX_SUMMARY = 50_000


#: A moment as text on the wire; a row's own is written so.
Iso = Annotated[str, BeforeValidator(lambda at: clock.iso(at) if isinstance(at, datetime) else at)]


class Outgoing(Wired):
    """A message that the coach sends."""

    #: The message's name on the wire.
    type: ClassVar[str]


class Position(Wired):
    line: int = Field(1, ge=1)
    column: int = Field(1, ge=1)


class Range(Wired):
    """Lines and columns, from 1, both ends included."""

    start_line: int = Field(ge=1)
    start_col: int = Field(1, ge=1)
    end_line: int = Field(ge=1)
    end_col: int = Field(1, ge=1)


class FilePath(Wired):
    """`file:open`, `file:close`, and a folder of the explorer."""

    path: str


class FileSave(Wired):
    path: str
    content: str


class BufferUpdate(Wired):
    path: str
    content: str
    cursor_position: Position | None = None
    selections: list[dict[str, Any]] = Field(default_factory=list)


class TabSwitch(Wired):
    from_path: str | None = None
    to_path: str


class Selection(Wired):
    path: str
    range: Range = Field(validation_alias=AliasChoices("range", "selection"))
    text_length: int = Field(0, ge=0)


class Scroll(Wired):
    path: str | None = None


class LevelChange(Wired):
    level: HintLevel
    previous_level: HintLevel | None = None


class TerminalSize(Wired):
    cols: int = Field(ge=1, le=10_000)
    rows: int = Field(ge=1, le=10_000)


class TerminalInput(Wired):
    input: str


class Tree(Outgoing):
    type: ClassVar[str] = "fs:tree"
    root: TreeNode


class TreeUpdate(Outgoing):
    type: ClassVar[str] = "fs:tree_update"
    action: str
    path: str
    new_path: str | None = None


class Content(Outgoing):
    type: ClassVar[str] = "fs:content"
    path: str
    content: str
    language: str
    line_count: int
    #: What is on disk, where the content is unsaved edits.
    saved: str | None = None


class SaveAck(Outgoing):
    type: ClassVar[str] = "fs:save_ack"
    path: str
    success: Literal[True] = True
    timestamp: str


class SaveError(Outgoing):
    type: ClassVar[str] = "fs:save_error"
    path: str
    error: str


class Decoration(Wired):
    start: int
    end: int
    style: LineStyle


class Decorations(Outgoing):
    type: ClassVar[str] = "editor:decorations"
    path: str
    decorations: list[Decoration]


class ClearDecorations(Outgoing):
    type: ClassVar[str] = "editor:clear_decorations"
    path: str | None = None


class HoverHint(Outgoing):
    type: ClassVar[str] = "editor:hover_hint"
    path: str
    range: Range
    hint_text: str


class OpenFile(Content):
    type: ClassVar[str] = "editor:open_file"


class HighlightLines(Outgoing):
    type: ClassVar[str] = "editor:highlight_lines"
    path: str
    start: int
    end: int
    style: LineStyle
    hover_text: str | None = None


class ClearHighlights(Outgoing):
    type: ClassVar[str] = "editor:clear_highlights"
    path: str | None = None


class FileHint(Wired):
    path: str
    style: FileStyle = FileStyle.SUGGESTED
    #: Folders on the way to it that should glow too.
    directories: list[str] | None = None


class HintFiles(Outgoing):
    type: ClassVar[str] = "explorer:hint_files"
    hints: list[FileHint]


class ClearHints(Outgoing):
    type: ClassVar[str] = "explorer:clear_hints"


class IssueContext(Wired):
    """What is worked on, as far as it is known."""

    number: int | None = None
    title: str
    summary: str = ""
    labels: list[str] = Field(default_factory=list)
    url: str | None = None


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


class Empty(Wired):
    """A message that says all by its type."""


class DiffList(Wired):
    diffs: list[DiffView]


class AtPath(Wired):
    path: str


class AtPathOrAll(Wired):
    path: str | None = Field(None, description="Default: all.")


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
