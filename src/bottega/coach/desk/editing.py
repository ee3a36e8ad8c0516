"""A person at the editor: what is opened, typed, saved and closed.

`edit` hears every keystroke of everyone (FR-056), so it stays off the database: the buffer is in
memory, the buffer log decides what is worth a row, and the observer is only told.
"""

from typing import Any

from bottega.coach.desk.contents import content_of
from bottega.coach.desk.desk import Desk
from bottega.coach.desk.voice import Voice
from bottega.coach.observer.observer import Observer
from bottega.coach.protocol.files import (
    BufferUpdate,
    HighlightLines,
    SaveAck,
    SaveError,
    Selection,
    TabSwitch,
)
from bottega.coach.sessions.hints import Hints
from bottega.core import clock
from bottega.core.actions import ActionType
from bottega.core.files.buffers import CursorPosition
from bottega.core.services import Core
from bottega.errors import BottegaError


class Editing:
    def __init__(self, core: Core, voice: Voice, hints: Hints, observer: Observer) -> None:
        self._core = core
        self._voice = voice
        self._hints = hints
        self._observer = observer
        #: Characters on disk of each user's edited files: the buffer log's starting point.
        self._saved_sizes: dict[tuple[str, str], int] = {}

    async def open(self, desk: Desk, path: str) -> list[HighlightLines]:
        """FR-054. Gives what an agent had highlighted in the file before it was opened (EC-30)."""
        content = await content_of(desk, path)
        desk.open_files[content.path] = None
        await self._log(desk, ActionType.FILE_OPEN, {"path": content.path})
        self._voice.say(desk, content)
        await self._hints.file_opened(desk, content.path)
        return [shown for shown in desk.highlights if shown.path == content.path]

    async def save(self, desk: Desk, path: str, content: str) -> SaveAck:
        """FR-055. A save that fails is told to every window before it is raised (EC-27)."""
        try:
            key = await self._write(desk, path, content)
        except BottegaError as error:
            self._voice.say(desk, SaveError(path=path, error=error.message))
            raise
        self._saved_sizes.pop((desk.user_id, key), None)
        await self._log(desk, ActionType.FILE_SAVE, {"path": key, "charCount": len(content)})
        done = SaveAck(path=key, timestamp=clock.iso())
        self._voice.say(desk, done)
        return done

    async def close(self, desk: Desk, path: str) -> None:
        key = desk.files.sandbox.relative(path)
        desk.files.buffers.close(key)
        desk.open_files.pop(key, None)
        self._saved_sizes.pop((desk.user_id, key), None)
        await self._log(desk, ActionType.FILE_CLOSE, {"path": key})

    async def edit(self, desk: Desk, edit: BufferUpdate) -> bool:
        """FR-056. Whether it was kept: a binary file has no buffer."""
        cursor = edit.cursor_position
        position = CursorPosition(cursor.line, cursor.column) if cursor else None
        if desk.files.update_buffer(edit.path, edit.content, position) is None:
            return False
        key = desk.files.sandbox.relative(edit.path)
        self._observer.edited(desk, key)
        if desk.session_id is not None:
            saved = self._saved_sizes.get((desk.user_id, key))
            if saved is None:
                saved = await self._measure(desk, key)
            # It may have ended while the disk was asked.
            if desk.session_id is not None:
                size = len(edit.content)
                await self._core.buffer_log.buffer_updated(desk.session_id, key, size, saved)
        return True

    async def switch_tab(self, desk: Desk, switch: TabSwitch) -> None:
        data = {"fromPath": switch.from_path, "toPath": switch.to_path}
        await self._log(desk, ActionType.TAB_SWITCH, data)

    async def select(self, desk: Desk, selection: Selection) -> None:
        data = selection.model_dump(mode="json", by_alias=True)
        await self._log(desk, ActionType.SELECTION, data)

    def type_in_terminal(self, desk: Desk) -> None:
        """Somebody is there; what is typed is theirs alone."""
        self._observer.active(desk)

    async def _write(self, desk: Desk, path: str, content: str) -> str:
        key = desk.files.sandbox.relative(path)
        seen = desk.files.get_buffer(key)
        try:
            await desk.files.save(key, content)
        except BottegaError:
            # The text exists nowhere else now, unless there is a newer one.
            if desk.files.get_buffer(key) is seen:
                desk.files.update_buffer(key, content)
            raise
        return key

    async def _measure(self, desk: Desk, path: str) -> int:
        try:
            size = len((await desk.files.read(path)).content)
        except BottegaError:
            # New, deleted or unreadable: all of the text counts as typed.
            size = 0
        self._saved_sizes[desk.user_id, path] = size
        return size

    async def _log(self, desk: Desk, action: ActionType, data: dict[str, Any]) -> None:
        # Files can be read and edited between sessions; that belongs to no log.
        if desk.session_id is not None:
            await self._core.actions.log_action(desk.session_id, action, data)
