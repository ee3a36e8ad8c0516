"""What a person does in the editor, and what an agent shows them there.

`edit` runs at every keystroke of everyone (FR-056), so it stays off the database: the buffer is in
memory, and the buffer log decides what is worth a row.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from bottega.coach.editor.schemas import (
    BufferUpdate,
    ClearHighlights,
    ClearHints,
    CoachingMessage,
    FileHint,
    HighlightLines,
    HintFiles,
    OpenFile,
    SaveAck,
    SaveError,
    Selection,
    ShowIssue,
    TabSwitch,
)
from bottega.coach.editor.state import EditorState, Windows, content_of
from bottega.core import clock
from bottega.core.files.buffers import CursorPosition
from bottega.core.services import Core
from bottega.core.sessions.actions import ActionType
from bottega.errors import BottegaError


class EditorService:
    def __init__(
        self,
        core: Core,
        windows: Windows,
        *,
        on_open: Callable[[EditorState, str], Awaitable[None]],
        on_edit: Callable[[EditorState, str], None],
        on_activity: Callable[[EditorState], None],
    ) -> None:
        """`on_open` and `on_edit` get a path. `on_edit` is called at every keystroke: it must be
        quick and never wait."""
        self._core = core
        self._windows = windows
        self._on_open = on_open
        self._on_edit = on_edit
        self._on_activity = on_activity
        #: Characters on disk of each user's edited files: the buffer log's starting point.
        self._saved_sizes: dict[tuple[str, str], int] = {}

    async def open(self, editor: EditorState, path: str) -> list[HighlightLines]:
        """FR-054. Gives what an agent had highlighted in the file before it was opened (EC-30)."""
        content = await content_of(editor, path)
        editor.open_files[content.path] = None
        await _log(self._core, editor, ActionType.FILE_OPEN, {"path": content.path})
        self._windows.send(editor, content)
        await self._on_open(editor, content.path)
        return [shown for shown in editor.highlights if shown.path == content.path]

    async def save(self, editor: EditorState, path: str, content: str) -> SaveAck:
        """FR-055. A save that fails is sent to every window before it is raised (EC-27)."""
        try:
            key = await self._write(editor, path, content)
        except BottegaError as error:
            self._windows.send(editor, SaveError(path=path, error=error.message))
            raise
        self._saved_sizes.pop((editor.user_id, key), None)
        await _log(
            self._core, editor, ActionType.FILE_SAVE, {"path": key, "charCount": len(content)}
        )
        done = SaveAck(path=key, timestamp=clock.iso())
        self._windows.send(editor, done)
        return done

    async def close(self, editor: EditorState, path: str) -> None:
        key = editor.files.sandbox.relative(path)
        editor.files.buffers.close(key)
        editor.open_files.pop(key, None)
        self._saved_sizes.pop((editor.user_id, key), None)
        await _log(self._core, editor, ActionType.FILE_CLOSE, {"path": key})

    async def edit(self, editor: EditorState, edit: BufferUpdate) -> bool:
        """FR-056. Whether it was kept: a binary file has no buffer."""
        cursor = edit.cursor_position
        position = CursorPosition(cursor.line, cursor.column) if cursor else None
        if editor.files.update_buffer(edit.path, edit.content, position) is None:
            return False
        key = editor.files.sandbox.relative(edit.path)
        self._on_edit(editor, key)
        if editor.session_id is not None:
            saved = self._saved_sizes.get((editor.user_id, key))
            if saved is None:
                saved = await self._measure(editor, key)
            # It may have ended while the disk was asked.
            if editor.session_id is not None:
                size = len(edit.content)
                await self._core.buffer_log.buffer_updated(editor.session_id, key, size, saved)
        return True

    async def switch_tab(self, editor: EditorState, switch: TabSwitch) -> None:
        data = {"fromPath": switch.from_path, "toPath": switch.to_path}
        await _log(self._core, editor, ActionType.TAB_SWITCH, data)

    async def select(self, editor: EditorState, selection: Selection) -> None:
        data = selection.model_dump(mode="json", by_alias=True)
        await _log(self._core, editor, ActionType.SELECTION, data)

    def type_in_terminal(self, editor: EditorState) -> None:
        """Somebody is there; what is typed is theirs alone."""
        self._on_activity(editor)

    async def _write(self, editor: EditorState, path: str, content: str) -> str:
        key = editor.files.sandbox.relative(path)
        seen = editor.files.get_buffer(key)
        try:
            await editor.files.save(key, content)
        except BottegaError:
            # The text exists nowhere else now, unless there is a newer one.
            if editor.files.get_buffer(key) is seen:
                editor.files.update_buffer(key, content)
            raise
        return key

    async def _measure(self, editor: EditorState, path: str) -> int:
        try:
            size = len((await editor.files.read(path)).content)
        except BottegaError:
            # New, deleted or unreadable: all of the text counts as typed.
            size = 0
        self._saved_sizes[editor.user_id, path] = size
        return size


#: The oldest go first: more than a person can see, less than an agent in a loop can fill.
MAX_HIGHLIGHTS = 500


class EditorDisplay:
    """What an agent shows: files, highlights, hints, messages, the issue.

    Nothing here is kept beyond the process (D28), and nothing writes a file. Without a session
    these still reach the windows; only a message and an issue are a session's own (D27).
    """

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
        await _log(self._core, editor, ActionType.DECORATIONS_APPLIED, {"path": path, "count": 1})

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
        await _log(self._core, editor, ActionType.FILE_HINTS_APPLIED, {"paths": paths})

    def clear_hints(self, editor: EditorState) -> None:
        """FR-075."""
        self._windows.send(editor, ClearHints())

    async def message(self, editor: EditorState, message: CoachingMessage) -> None:
        """FR-077."""
        editor.require_session()
        self._windows.send(editor, message)
        data = {"messageType": message.message_type.value}
        await _log(self._core, editor, ActionType.COACHING_MESSAGE, data)

    def issue(self, editor: EditorState, issue: ShowIssue) -> None:
        """FR-078."""
        editor.require_session()
        self._windows.send(editor, issue)


async def _log(core: Core, editor: EditorState, action: ActionType, data: dict[str, Any]) -> None:
    # Files can be read and edited between sessions; that belongs to no log.
    if editor.session_id is not None:
        await core.actions.log_action(editor.session_id, action, data)
