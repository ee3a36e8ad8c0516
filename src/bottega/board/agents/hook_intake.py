"""Accepts hook events: finds or registers their session, and queues them to be written.

A hook holds its agent up until it is answered, so it is answered as soon as it is understood; the
rest happens behind (`hook_log.py`). A hook from a folder that is no project is answered kindly and
kept nowhere: hooks may be installed for all of somebody's work, and must never break it.
"""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePath
from typing import Any

from bottega.board.agents import repository
from bottega.board.agents.hook_events import Hook, HookName, read
from bottega.board.agents.hook_log import HookLog, ReceivedHook
from bottega.board.agents.schemas import Ingested, SessionType
from bottega.board.agents.sessions import AgentSessions
from bottega.core.events import Event
from bottega.core.services import Core
from bottega.core.sessions.session import SessionStatus
from bottega.core.trust.admission import scrub
from bottega.errors import NotFound

REMEMBERED_SESSIONS = 10_000
#: What a session's first event says about it.
ABOUT_SESSION = ("source", "model", "transcript_path", "permission_mode")
#: After its end a session is taken up again by these; anything else is only late.
BEGINNINGS = frozenset({HookName.SESSION_START, HookName.USER_PROMPT_SUBMIT, HookName.PRE_TOOL_USE})

#: A user, and Claude Code's id.
Client = tuple[str, str]


@dataclass(frozen=True, slots=True)
class KnownSession:
    session_id: str
    project_id: str
    project_dir: str


@dataclass(slots=True)
class ClientTurn:
    """A client's lock, and how many wait for it."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: int = 0


class HookIntake:
    def __init__(
        self, core: Core, sessions: AgentSessions, log: HookLog, now: Callable[[], datetime]
    ) -> None:
        self._core = core
        self._sessions = sessions
        self._log = log
        self._now = now
        self._known: OrderedDict[Client, KnownSession] = OrderedDict()
        self._turns: dict[Client, ClientTurn] = {}

    async def take(self, body: Mapping[str, Any], user_id: str) -> Ingested:
        hook = read(body, scrub)
        at = self._now()
        client = user_id, hook.client_session_id
        known = self._known.get(client)
        # What comes while its session is being met waits behind, so that order is kept.
        if known is None or client in self._turns or hook.event == HookName.SESSION_START:
            async with self._turn(client):
                try:
                    known = await self._find_session(client, hook)
                except NotFound as error:
                    return Ingested(recorded=False, note=error.message)
        self._log.put(ReceivedHook(known.session_id, hook, at))
        self._publish(known, hook, user_id)
        return Ingested(recorded=True, session_id=known.session_id)

    def forget(self, session_id: str | None) -> None:
        """The session ended: its next hook looks it up again."""
        for client, known in tuple(self._known.items()):
            if known.session_id == session_id:
                del self._known[client]

    @asynccontextmanager
    async def _turn(self, client: Client) -> AsyncIterator[None]:
        turn = self._turns.setdefault(client, ClientTurn())
        turn.waiting += 1
        try:
            async with turn.lock:
                yield
        finally:
            turn.waiting -= 1
            if turn.waiting == 0:
                del self._turns[client]

    async def _find_session(self, client: Client, hook: Hook) -> KnownSession:
        """The session of that client, registered if need be; `NotFound` if in no project."""
        user_id, client_session_id = client
        if hook.event == HookName.SESSION_START:
            # Its end may still wait to be written, and what begins now is another sitting.
            await self._log.flush()
        view = await self._sessions.of_client(client_session_id, user_id)
        if view is None and hook.event not in BEGINNINGS and (over := await self._over(client)):
            return over
        if view is None and not PurePath(hook.cwd).is_absolute():
            raise NotFound(
                f"The hook says that it runs in {hook.cwd!r}, which is no folder's path."
            )
        if view is None or view.status is not SessionStatus.ACTIVE:
            about = {name: hook.payload[name] for name in ABOUT_SESSION if name in hook.payload}
            view = await self._sessions.register(
                user_id,
                # An agent may have changed its folder since; its project stays.
                project_id=view.project_id if view else None,
                project_path=hook.cwd,
                type=SessionType.MANUAL,
                client_session_id=client_session_id,
                metadata=about,
            )
        known = self._known[client] = KnownSession(view.id, view.project_id, view.project_dir)
        self._known.move_to_end(client)
        if len(self._known) > REMEMBERED_SESSIONS:
            self._known.popitem(last=False)
        return known

    async def _over(self, client: Client) -> KnownSession | None:
        """The client's last session, which is over."""
        user_id, client_session_id = client
        async with self._core.database.read() as session:
            row = await repository.last_of_client(session, client_session_id, user_id)
        return (
            None if row is None else KnownSession(row.id, row.data["project_id"], row.project_dir)
        )

    def _publish(self, known: KnownSession, hook: Hook, user_id: str) -> None:
        payload = {
            "project_id": known.project_id,
            "event": hook.event,
            "tool_name": hook.tool_name,
            "success": hook.success,
        }
        # Not logged: the events themselves are.
        self._core.bus.publish(
            Event(
                "agents.activity",
                payload,
                project=known.project_dir,
                user_id=user_id,
                session_id=known.session_id,
                durable=False,
            )
        )
