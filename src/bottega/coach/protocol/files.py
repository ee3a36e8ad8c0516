"""Files, editor, explorer and terminal."""

from typing import Any, ClassVar, Literal

from pydantic import AliasChoices, Field

from bottega.coach.enums import FileStyle, HintLevel, LineStyle
from bottega.coach.protocol.outgoing import Outgoing
from bottega.core.files.tree import TreeNode
from bottega.core.wire import Wired


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
