"""What one person has in front of them: files and unsaved edits, open tabs, the session at hand.

In memory only: editors tell again what they have open when they come back. The session is kept
here because every keystroke asks for it; the bus keeps it right, whoever starts or ends one.
"""

from dataclasses import dataclass, field
from typing import Any

from bottega.coach.protocol.files import HighlightLines
from bottega.core.events import Event
from bottega.core.files.project import ProjectFiles
from bottega.core.rooms import Incoming
from bottega.core.services import Core
from bottega.core.sessions import Session, SessionKind, SessionStatus
from bottega.core.users import LOCAL_USER
from bottega.errors import Conflict


@dataclass(slots=True)
class Desk:
    user_id: str
    project: str
    files: ProjectFiles
    #: The coaching session under way.
    session_id: str | None = None
    #: In the order they were opened (D29).
    open_files: dict[str, None] = field(default_factory=dict)
    #: Shown by an agent, not kept beyond this process (D28).
    highlights: list[HighlightLines] = field(default_factory=list)
    #: Columns and rows of the terminal beside the editor, once it has told them.
    terminal: tuple[int, int] | None = None

    def require_session(self) -> str:
        """FR-080."""
        if self.session_id is None:
            raise Conflict("No active session. Start one in the web app, or with `session:start`.")
        return self.session_id


class Desks:
    def __init__(self, core: Core) -> None:
        self._core = core
        self._desks: dict[str, Desk] = {}
        core.bus.on("session.started", self._hear)
        core.bus.on("session.ended", self._hear)

    @property
    def project(self) -> str:
        return str(self._core.files.root)

    def of(self, user_id: str) -> Desk:
        desk = self._desks.get(user_id)
        if desk is None:
            desk = self._desks[user_id] = Desk(user_id, self.project, self._files(user_id))
        return desk

    def of_sender(self, incoming: Incoming[Any]) -> Desk:
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
        return self._core.files if user_id == LOCAL_USER else ProjectFiles(self._core.files.root)

    def _hear(self, event: Event) -> None:
        if event.payload.get("kind") != SessionKind.COACHING or event.project != self.project:
            return
        desk = self.of(event.user_id or LOCAL_USER)
        if event.topic == "session.started":
            desk.session_id = event.session_id
        elif desk.session_id == event.session_id:
            desk.session_id = None
            desk.highlights.clear()
