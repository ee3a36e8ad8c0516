"""What an agent shows a person in the editor: files, highlights, hints, messages, the issue.

Nothing here is kept beyond the process (D28), and nothing writes a file. Without a session these
still reach the windows; only a message and an issue are a session's own (D27).
"""

from collections.abc import Sequence
from typing import Any

from bottega.coach.editor.contents import content_of
from bottega.coach.editor.schemas import (
    ClearHighlights,
    ClearHints,
    CoachingMessage,
    FileHint,
    HighlightLines,
    HintFiles,
    OpenFile,
    ShowIssue,
)
from bottega.coach.editor.state import EditorState, Windows
from bottega.core.services import Core
from bottega.core.sessions.actions import ActionType

#: The oldest go first: more than a person can see, less than an agent in a loop can fill.
MAX_HIGHLIGHTS = 500


class EditorDisplay:
    def __init__(self, core: Core, windows: Windows) -> None:
        self._core = core
        self._windows = windows

    async def open_file(self, editor: EditorState, path: str) -> OpenFile:
        """FR-071. One that is open already is shown again: its tab comes to the front (EC-28)."""
        content = await content_of(editor, path)
        editor.open_files[content.path] = None
        shown = OpenFile(**content.model_dump())
        self._windows.send(editor, shown)
        return shown

    async def highlight(self, editor: EditorState, lines: HighlightLines) -> None:
        """FR-072: beside what is highlighted already."""
        path = editor.files.sandbox.relative(lines.path)
        shown = lines.model_copy(update={"path": path})
        editor.highlights.append(shown)
        del editor.highlights[:-MAX_HIGHLIGHTS]
        self._windows.send(editor, shown)
        await self._log(editor, ActionType.DECORATIONS_APPLIED, {"path": path, "count": 1})

    def clear_highlights(self, editor: EditorState, path: str | None = None) -> None:
        """FR-073: in one file, or everywhere."""
        if path is not None:
            path = editor.files.sandbox.relative(path)
        editor.highlights[:] = [
            shown for shown in editor.highlights if path is not None and shown.path != path
        ]
        self._windows.send(editor, ClearHighlights(path=path))

    async def hint_files(self, editor: EditorState, hints: Sequence[FileHint]) -> None:
        """FR-074."""
        relative = editor.files.sandbox.relative
        shown = [hint.model_copy(update={"path": relative(hint.path)}) for hint in hints]
        self._windows.send(editor, HintFiles(hints=shown))
        paths = [hint.path for hint in shown]
        await self._log(editor, ActionType.FILE_HINTS_APPLIED, {"paths": paths})

    def clear_hints(self, editor: EditorState) -> None:
        """FR-075."""
        self._windows.send(editor, ClearHints())

    async def message(self, editor: EditorState, message: CoachingMessage) -> None:
        """FR-077."""
        editor.require_session()
        self._windows.send(editor, message)
        data = {"messageType": message.message_type.value}
        await self._log(editor, ActionType.COACHING_MESSAGE, data)

    def issue(self, editor: EditorState, issue: ShowIssue) -> None:
        """FR-078."""
        editor.require_session()
        self._windows.send(editor, issue)

    async def _log(self, editor: EditorState, action: ActionType, data: dict[str, Any]) -> None:
        if editor.session_id is not None:
            await self._core.actions.log_action(editor.session_id, action, data)
