"""One person's editor on a project: files, unsaved edits, open tabs, the current session.

In memory only: windows send again what they have open when they reconnect. The session is cached
here because every keystroke needs it; events of the bus keep it up to date.
"""

from dataclasses import dataclass, field
from typing import Any

from bottega.coach.editor.schemas import (
    BufferView,
    Content,
    DiffView,
    HighlightLines,
    Outgoing,
    Position,
    Tree,
)
from bottega.core.doors.broadcast import Broadcaster
from bottega.core.events import Event
from bottega.core.files.encoding import count_lines
from bottega.core.files.languages import language_of
from bottega.core.files.project import ProjectFiles
from bottega.core.files.tree import TreeNode
from bottega.core.rooms import Incoming
from bottega.core.services import Core
from bottega.core.sessions.session import Session, SessionKind, SessionStatus
from bottega.core.users import LOCAL_USER
from bottega.errors import Conflict, InvalidInput, NotFound


@dataclass(slots=True)
class EditorState:
    user_id: str
    project: str
    files: ProjectFiles
    #: The coaching session under way.
    session_id: str | None = None
    #: In the order they were opened (D29).
    open_files: dict[str, None] = field(default_factory=dict)
    #: Shown by an agent, not kept beyond this process (D28).
    highlights: list[HighlightLines] = field(default_factory=list)
    #: Columns and rows of the terminal beside the editor, once known.
    terminal: tuple[int, int] | None = None

    def require_session(self) -> str:
        """FR-080."""
        if self.session_id is None:
            raise Conflict("No active session. Start one in the web app, or with `session:start`.")
        return self.session_id


class Editors:
    def __init__(self, core: Core) -> None:
        self._core = core
        self._editors: dict[str, EditorState] = {}
        core.bus.on("session.started", self._on_session_event)
        core.bus.on("session.ended", self._on_session_event)

    @property
    def project(self) -> str:
        return str(self._core.files.root)

    def of(self, user_id: str) -> EditorState:
        editor = self._editors.get(user_id)
        if editor is None:
            editor = self._editors[user_id] = EditorState(
                user_id, self.project, self._files(user_id)
            )
        return editor

    def of_sender(self, incoming: Incoming[Any]) -> EditorState:
        return self.of(incoming.connection.caller.user_id)

    async def start(self) -> list[Session]:
        """Take up the sessions that an earlier process left active; gives them."""
        found = await self._core.sessions.list(
            user_id=None,
            kind=SessionKind.COACHING,
            status=SessionStatus.ACTIVE,
            project_dir=self.project,
            limit=1_000,
        )
        for row in reversed(found):
            self.of(row.user_id).session_id = row.id
        return [row for row in found if self.of(row.user_id).session_id == row.id]

    def _files(self, user_id: str) -> ProjectFiles:
        # Unsaved edits are personal; what is on disk is the project's.
        shared = self._core.files
        if user_id == LOCAL_USER:
            return shared
        return ProjectFiles(shared.root, private=shared.private, opens_ignored=shared.opens_ignored)

    def _on_session_event(self, event: Event) -> None:
        if event.payload.get("kind") != SessionKind.COACHING or event.project != self.project:
            return
        editor = self.of(event.user_id or LOCAL_USER)
        if event.topic == "session.started":
            editor.session_id = event.session_id
        elif editor.session_id == event.session_id:
            editor.session_id = None
            editor.highlights.clear()


class Windows:
    def __init__(self, broadcaster: Broadcaster) -> None:
        self._audience = broadcaster

    def send(self, editor: EditorState, *messages: Outgoing) -> None:
        for message in messages:
            self._audience.broadcast(
                message.type, message, user_id=editor.user_id, project=editor.project
            )

    def send_tree(self, editor: EditorState, root: TreeNode) -> None:
        """`fs:tree`. Its tens of thousands of nodes are on the wire as they are: no model copies
        them one by one."""
        self._audience.broadcast(
            Tree.type, {"root": root}, user_id=editor.user_id, project=editor.project
        )


async def content_of(editor: EditorState, path: str) -> Content:
    """What a person sees of a file: their unsaved edits if there are any, else the disk."""
    key = editor.files.sandbox.relative(path)
    edited = editor.files.get_buffer(key)
    if edited is not None and edited.dirty:
        return Content(
            path=key,
            content=edited.content,
            language=language_of(key),
            line_count=count_lines(edited.content),
            saved=await _saved(editor, key),
        )
    saved = await editor.files.read(key)
    if saved.binary:
        raise InvalidInput(f"{key} is a binary file. Open it with a program that is made for it.")
    return Content(
        path=key, content=saved.content, language=saved.language, line_count=saved.line_count
    )


async def _saved(editor: EditorState, key: str) -> str:
    try:
        return (await editor.files.read(key)).content
    except NotFound:
        # New, or deleted while it was open.
        return ""


async def folder_of(editor: EditorState, path: str) -> TreeNode:
    """The tree from a folder down; the whole of it from `""`."""
    key = editor.files.sandbox.relative(path)
    node = await editor.files.tree()
    for name in key.split("/") if key else ():
        found = next((child for child in node.get("children", ()) if child["name"] == name), None)
        if found is None:
            raise NotFound(f"There is no folder {key} in the project's tree.")
        node = found
    if node["type"] != "directory":
        raise InvalidInput(f"{key} is a file, not a folder. Open it with `file:open`.")
    return node


def buffers(editor: EditorState) -> list[BufferView]:
    return [
        view for path in editor.files.buffers.all() if (view := buffer(editor, path)) is not None
    ]


def buffer(editor: EditorState, path: str) -> BufferView | None:
    """FR-066."""
    entry = editor.files.get_buffer(path)
    if entry is None:
        return None
    cursor = entry.cursor_position
    return BufferView(
        path=editor.files.sandbox.relative(path),
        content=entry.content,
        cursor_position=Position(line=cursor.line, column=cursor.column),
        dirty=entry.dirty,
        last_updated=entry.last_updated,
    )


async def diffs(editor: EditorState, path: str | None = None) -> list[DiffView]:
    """FR-069: of one file, or of every unsaved one. A clean file has none (EC-34)."""
    if path is None:
        found = await editor.files.get_diffs()
    else:
        found = {editor.files.sandbox.relative(path): await editor.files.get_diff(path)}
    return [DiffView(path=key, diff=diff) for key, diff in found.items() if diff]
