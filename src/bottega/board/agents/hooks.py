"""Accepts hook events: finds or registers their session, and writes them in batches.

A hook holds its agent up until it is answered, so it is answered as soon as it is understood. A
hook from a folder that is no project is answered kindly and kept nowhere: hooks may be installed
for all of somebody's work, and must never break it.

One transaction takes a batch, in the order in which the events came: the events, the sums over them
and the sessions' signs of life. What an event sets off happens after that, so that it never undoes
or repeats the writing.
"""

import asyncio
from collections import OrderedDict, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import PurePath
from typing import Any

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from bottega.board.agents import repository
from bottega.board.agents.hook_events import TOOL_ENDS, TURNS, Hook, HookName, kept_payload, read
from bottega.board.agents.schemas import Ingested, SessionType
from bottega.board.agents.sessions import AgentSessions
from bottega.board.agents.tables import AgentActivity
from bottega.board.queue.service import Queue
from bottega.core.db.database import Database
from bottega.core.db.write_behind import TRANSIENT, WriteBehind
from bottega.core.events import Event
from bottega.core.services import Core
from bottega.core.sessions.session import SessionStatus
from bottega.core.trust.admission import scrub
from bottega.errors import BottegaError, NotFound

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class ReceivedHook:
    session_id: str
    hook: Hook
    at: datetime


class HookLog:
    def __init__(self, database: Database, sessions: AgentSessions, queue: Queue) -> None:
        self._database = database
        self._sessions = sessions
        self._queue = queue
        #: What was received and is not written yet.
        self.behind: WriteBehind[ReceivedHook] = WriteBehind(self._write, name="hook events")

    async def _write(self, batch: list[ReceivedHook]) -> None:
        theirs: defaultdict[str, list[ReceivedHook]] = defaultdict(list)
        for each in batch:
            theirs[each.session_id].append(each)
        async with self._database.write(durable=False) as session:
            existing = await repository.see(session, theirs.keys(), batch[-1].at)
            sums = await repository.sums_of(session, existing)
            rows: list[dict[str, Any]] = []
            for session_id in sorted(existing):
                rows += await _follow(session, sums[session_id], theirs[session_id])
            if rows:
                await session.flush()
                await repository.add(session, rows)
        for session_id in sorted(await self._about_to_begin(existing, batch)):
            await _surely(session_id, self._queue.first_tool(session_id))
        for each in batch:
            if each.hook.event == HookName.SESSION_END and each.session_id in existing:
                why = _farewell(each.hook)
                await _surely(each.session_id, self._sessions.end(each.session_id, None, why))

    async def _about_to_begin(self, existing: set[str], batch: Sequence[ReceivedHook]) -> set[str]:
        """The sessions that used a tool and hold a change that is only assigned."""
        users = {each.session_id for each in batch if each.hook.event == HookName.PRE_TOOL_USE}
        if not users & existing:
            return set()
        try:
            async with self._database.read() as session:
                return await repository.about_to_begin(session, users & existing)
        except TRANSIENT as error:
            # The next tool will tell as well; the batch is written and must not be again.
            log.warning("board.hook_effect_failed", error=str(error))
            return set()


async def _surely(session_id: str, effect: Awaitable[object]) -> None:
    """Await an effect and log its failure: the event is written and must not be written again."""
    try:
        await effect
    except BottegaError as error:
        log.info("board.hook_without_effect", session=session_id, reason=error.message)
    except Exception:
        log.exception("board.hook_effect_failed", session=session_id)


async def _follow(
    session: AsyncSession, sums: AgentActivity, received: Sequence[ReceivedHook]
) -> list[dict[str, Any]]:
    """Add a session's events to its sums; returns their rows."""
    calls = OpenCalls()
    # Without a current tool nothing is open that could end.
    if sums.current_tool and any(each.hook.event in TOOL_ENDS for each in received):
        for event, tool, tool_use_id, at in await repository.recent_calls(session, sums.session_id):
            calls.note(event, tool, tool_use_id, at)
    rows: list[dict[str, Any]] = []
    for each in received:
        hook = each.hook
        ended = calls.note(hook.event, hook.tool_name, hook.tool_use_id, each.at)
        duration = took(ended, hook.duration_ms, each.at) if hook.event in TOOL_ENDS else None
        count(sums, calls, each, duration, ended)
        rows.append(
            {
                "session_id": sums.session_id,
                "event": hook.event,
                "tool_name": hook.tool_name,
                "tool_use_id": hook.tool_use_id,
                "success": hook.success,
                "duration_ms": duration,
                "payload": kept_payload(hook),
                "created_at": each.at,
            }
        )
    return rows


def _farewell(hook: Hook) -> str:
    reason = hook.payload.get("reason")
    return f"Claude Code ended the session ({reason})." if reason else "Claude Code ended it."


#: Events after which another tool may be the current one.
OF_CALLS = frozenset({HookName.PRE_TOOL_USE, *TOOL_ENDS, *TURNS})


@dataclass(frozen=True, slots=True)
class OpenCall:
    tool: str
    tool_use_id: str | None
    started_at: datetime


@dataclass(slots=True)
class OpenCalls:
    """What has begun and not ended, the oldest first."""

    calls: list[OpenCall] = field(default_factory=list)

    def end(self, tool: str | None, tool_use_id: str | None) -> OpenCall | None:
        """The call that ended, if its beginning was heard of."""
        for call in reversed(self.calls):
            by_id = tool_use_id is not None and call.tool_use_id == tool_use_id
            by_name = call.tool == tool and None in (tool_use_id, call.tool_use_id)
            if by_id or by_name:
                self.calls.remove(call)
                return call
        return None

    def note(
        self, event: str, tool: str | None, tool_use_id: str | None, at: datetime
    ) -> OpenCall | None:
        """Follow one event; the call that it ended."""
        if event == HookName.PRE_TOOL_USE and tool is not None:
            self.calls.append(OpenCall(tool, tool_use_id, at))
        elif event in TOOL_ENDS:
            return self.end(tool, tool_use_id)
        elif event in TURNS:
            self.calls.clear()
        return None


def count(
    activity: AgentActivity,
    calls: OpenCalls,
    received: ReceivedHook,
    duration_ms: int | None,
    ended: OpenCall | None,
) -> None:
    """Add one event to a session's sums."""
    hook = received.hook
    activity.events += 1
    activity.last_activity_at = received.at
    # The end of a call whose beginning nobody heard is a call too.
    if hook.event == HookName.PRE_TOOL_USE or (hook.event in TOOL_ENDS and ended is None):
        activity.total_tools += 1
    if hook.success is not None:
        activity.succeeded += hook.success
        activity.failed += not hook.success
    if duration_ms is not None:
        activity.timed += 1
        activity.total_duration_ms += duration_ms
    if hook.event in OF_CALLS:
        latest = calls.calls[-1] if calls.calls else None
        activity.current_tool = latest.tool if latest else None
        activity.tool_started_at = latest.started_at if latest else None


def took(ended: OpenCall | None, said_ms: int | None, at: datetime) -> int | None:
    """Milliseconds, of a call that ended."""
    if said_ms is not None:
        return said_ms
    if ended is None:
        return None
    return max(at - ended.started_at, timedelta(0)) // timedelta(milliseconds=1)


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
        self._log.behind.put(ReceivedHook(known.session_id, hook, at))
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
            await self._log.behind.flush()
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
