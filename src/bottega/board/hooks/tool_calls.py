"""A session's tool calls, from their beginning to their end, summed up as they come.

A call ends where its `tool_use_id` comes back; where there is none, it is the last call of that
tool. How long it took is what Claude Code says, or else the time between the two events: never
less than nothing, whatever the clock did in between.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from bottega.board.hooks.event import TOOL_ENDS, TURNS, HookName
from bottega.board.tables import AgentActivity

#: Events after which another tool may be the current one.
OF_CALLS = frozenset({HookName.PRE_TOOL_USE, *TOOL_ENDS, *TURNS})


@dataclass(frozen=True, slots=True)
class Call:
    tool: str
    tool_use_id: str | None
    started_at: datetime


@dataclass(slots=True)
class OpenCalls:
    """What has begun and not ended, the oldest first."""

    calls: list[Call] = field(default_factory=list)

    def begin(self, call: Call) -> None:
        self.calls.append(call)

    def end(self, tool: str | None, tool_use_id: str | None) -> Call | None:
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
    ) -> Call | None:
        """Follow one event; the call that it ended."""
        if event == HookName.PRE_TOOL_USE and tool is not None:
            self.begin(Call(tool, tool_use_id, at))
        elif event in TOOL_ENDS:
            return self.end(tool, tool_use_id)
        elif event in TURNS:
            self.calls.clear()
        return None


def count(
    activity: AgentActivity,
    calls: OpenCalls,
    event: str,
    success: bool | None,
    duration_ms: int | None,
    ended: Call | None,
    at: datetime,
) -> None:
    """Add one event to a session's sums."""
    activity.events += 1
    activity.last_activity_at = at
    # The end of a call whose beginning nobody heard is a call too.
    if event == HookName.PRE_TOOL_USE or (event in TOOL_ENDS and ended is None):
        activity.total_tools += 1
    if success is not None:
        activity.succeeded += success
        activity.failed += not success
    if duration_ms is not None:
        activity.timed += 1
        activity.total_duration_ms += duration_ms
    if event in OF_CALLS:
        latest = calls.calls[-1] if calls.calls else None
        activity.current_tool = latest.tool if latest else None
        activity.tool_started_at = latest.started_at if latest else None


def took(ended: Call | None, said_ms: int | None, at: datetime) -> int | None:
    """Milliseconds, of a call that ended."""
    if said_ms is not None:
        return said_ms
    if ended is None:
        return None
    return max(at - ended.started_at, timedelta(0)) // timedelta(milliseconds=1)
