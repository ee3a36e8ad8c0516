"""What an agent shows a person in the editor: files, highlights, hints, messages, the issue.

Nothing here is kept beyond the process (D28), and nothing writes a file. Without a session these
still reach the windows; only a message and an issue are a session's own (D27).
"""

from collections.abc import Sequence
from typing import Any

from bottega.coach.desk.contents import content_of
from bottega.coach.desk.desk import Desk
from bottega.coach.desk.voice import Voice
from bottega.coach.protocol.files import (
    ClearHighlights,
    ClearHints,
    FileHint,
    HighlightLines,
    HintFiles,
    OpenFile,
)
from bottega.coach.protocol.sessions import CoachingMessage, ShowIssue
from bottega.core.actions import ActionType
from bottega.core.services import Core

#: The oldest go first: more than a person can see, less than an agent in a loop can fill.
MAX_HIGHLIGHTS = 500


class Showing:
    def __init__(self, core: Core, voice: Voice) -> None:
        self._core = core
        self._voice = voice

    async def open_file(self, desk: Desk, path: str) -> OpenFile:
        """FR-071. One that is open already is shown again: its tab comes to the front (EC-28)."""
        content = await content_of(desk, path)
        desk.open_files[content.path] = None
        shown = OpenFile(**content.model_dump())
        self._voice.say(desk, shown)
        return shown

    async def highlight(self, desk: Desk, lines: HighlightLines) -> None:
        """FR-072: beside what is highlighted already."""
        path = desk.files.sandbox.relative(lines.path)
        shown = lines.model_copy(update={"path": path})
        desk.highlights.append(shown)
        del desk.highlights[:-MAX_HIGHLIGHTS]
        self._voice.say(desk, shown)
        await self._log(desk, ActionType.DECORATIONS_APPLIED, {"path": path, "count": 1})

    def clear_highlights(self, desk: Desk, path: str | None = None) -> None:
        """FR-073: in one file, or everywhere."""
        if path is not None:
            path = desk.files.sandbox.relative(path)
        desk.highlights[:] = [
            shown for shown in desk.highlights if path is not None and shown.path != path
        ]
        self._voice.say(desk, ClearHighlights(path=path))

    async def hint_files(self, desk: Desk, hints: Sequence[FileHint]) -> None:
        """FR-074."""
        relative = desk.files.sandbox.relative
        shown = [hint.model_copy(update={"path": relative(hint.path)}) for hint in hints]
        self._voice.say(desk, HintFiles(hints=shown))
        paths = [hint.path for hint in shown]
        await self._log(desk, ActionType.FILE_HINTS_APPLIED, {"paths": paths})

    def clear_hints(self, desk: Desk) -> None:
        """FR-075."""
        self._voice.say(desk, ClearHints())

    async def message(self, desk: Desk, message: CoachingMessage) -> None:
        """FR-077."""
        desk.require_session()
        self._voice.say(desk, message)
        data = {"messageType": message.message_type.value}
        await self._log(desk, ActionType.COACHING_MESSAGE, data)

    def issue(self, desk: Desk, issue: ShowIssue) -> None:
        """FR-078."""
        desk.require_session()
        self._voice.say(desk, issue)

    async def _log(self, desk: Desk, action: ActionType, data: dict[str, Any]) -> None:
        if desk.session_id is not None:
            await self._core.actions.log_action(desk.session_id, action, data)
