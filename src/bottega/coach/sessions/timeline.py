"""A session as it went: every action, every model call, every hint taken, in order and in words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bottega.coach.plans.tables import ProgressEvent
from bottega.core.llm.ledger import FAILED, ApiCall
from bottega.core.sessions.actions import Action, ActionType

Data = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Moment:
    at: datetime
    #: An action's type, `model_call`, or a progress event's type.
    kind: str
    #: What happened, for a person.
    text: str
    data: Data


def timeline(
    actions: Sequence[Action], calls: Sequence[ApiCall], progress: Sequence[ProgressEvent]
) -> list[Moment]:
    """All of it, oldest first."""
    moments = [
        *(Moment(row.created_at, row.action_type, _words(row), row.data or {}) for row in actions),
        *(Moment(row.created_at, "model_call", _call(row), _cost(row)) for row in calls),
        *(
            Moment(row.created_at, row.event_type, _progress(row), row.data or {})
            for row in progress
        ),
    ]
    return sorted(moments, key=lambda moment: moment.at)


def _words(action: Action) -> str:
    data = action.data or {}
    say = WORDS.get(ActionType(action.action_type))
    return say(data) if say else action.action_type.replace("_", " ")


def _signed(number: object) -> str:
    return f"{number:+d}" if isinstance(number, int) else "?"


def _phase(data: Data) -> str:
    return f"phase {data.get('phaseNumber', '?')}: {data.get('title', '')}"


def _nudge(data: Data) -> str:
    signal = str(data.get("signal") or "nudge").replace("_", " ")
    sure = data.get("confidence")
    return f"{signal}, {sure:.0%} sure" if isinstance(sure, int | float) else signal


def _outcome(what: str, data: Data) -> str:
    return f"{what}: {data.get('error')}" if data.get("success") is False else what


WORDS: dict[ActionType, Callable[[Data], str]] = {
    ActionType.FILE_OPEN: lambda d: f"opened {d.get('path')}",
    ActionType.FILE_SAVE: lambda d: f"saved {d.get('path')} ({d.get('charCount', '?')} characters)",
    ActionType.FILE_CLOSE: lambda d: f"closed {d.get('path')}",
    ActionType.BUFFER_SUMMARY: lambda d: (
        f"edited {d.get('path')}: {d.get('editCount', '?')} edits, "
        f"{_signed(d.get('charDelta'))} characters"
    ),
    ActionType.BUFFER_SIGNIFICANT_CHANGE: lambda d: (
        f"changed much of {d.get('path')}: {_signed(d.get('delta'))} characters"
    ),
    ActionType.TAB_SWITCH: lambda d: f"switched to {d.get('toPath')}",
    ActionType.SELECTION: lambda d: (
        f"selected {d.get('textLength', '?')} characters in {d.get('path')}"
    ),
    ActionType.HINT_LEVEL_CHANGE: lambda d: (
        f"set hints to {d.get('level')} (was {d.get('previousLevel')})"
    ),
    ActionType.EXPLAIN_REQUESTED: lambda d: f"asked what {d.get('path')} does here",
    ActionType.REVIEW_REQUESTED: lambda d: (
        "submitted a kata" if d.get("kataId") else "asked for a review"
    ),
    ActionType.IDLE_START: lambda _: "went quiet",
    ActionType.IDLE_END: lambda _: "came back",
    ActionType.SESSION_STARTED: lambda d: (
        f"began work on issue {d['issueNumber']}" if d.get("issueNumber") else "began work"
    ),
    ActionType.SESSION_RESUMED: lambda _: "took the session up again",
    ActionType.SESSION_ENDED: lambda d: f"session {d.get('status', 'ended')}",
    ActionType.PHASE_STARTED: lambda d: f"started {_phase(d)}",
    ActionType.PHASE_COMPLETED: lambda d: f"completed {_phase(d)}",
    ActionType.COACHING_MESSAGE: lambda d: (
        f"Paige: {str(d.get('messageType', 'message')).replace('_', ' ')}"
    ),
    ActionType.NUDGE_SENT: lambda d: f"Paige nudged: {_nudge(d)}",
    ActionType.NUDGE_SUPPRESSED: lambda d: (
        f"Paige held back ({str(d.get('reason')).replace('_', ' ')})"
    ),
    ActionType.OBSERVER_MUTED: lambda d: (
        "muted the observer" if d.get("muted") else "unmuted the observer"
    ),
    ActionType.MCP_TOOL_CALL: lambda d: f"agent called {d.get('toolName')}",
    ActionType.DECORATIONS_APPLIED: lambda d: f"lines marked in {d.get('path')}",
    ActionType.FILE_HINTS_APPLIED: lambda d: (
        f"files pointed at: {', '.join(map(str, d.get('paths') or []))}"
    ),
    ActionType.EXPLAIN_COMPLETED: lambda d: _outcome(f"explained {d.get('path')}", d),
    ActionType.REVIEW_COMPLETED: lambda d: _outcome(
        f"reviewed: level {d['level']}" if d.get("level") else "reviewed", d
    ),
    ActionType.DASHBOARD_LOADED: lambda _: "looked at the dashboard",
}


def _call(call: ApiCall) -> str:
    what = call.call_type.replace("_", " ")
    if call.latency_ms == FAILED:
        return f"asked {call.model}: {what} failed"
    return f"asked {call.model}: {what}"


def _cost(call: ApiCall) -> dict[str, Any]:
    return {
        "latencyMs": call.latency_ms,
        "inputTokens": call.input_tokens,
        "outputTokens": call.output_tokens,
        "cost": call.cost_estimate,
        **({"error": call.error} if call.error else {}),
    }


def _progress(event: ProgressEvent) -> str:
    path = (event.data or {}).get("path")
    what = event.event_type.replace("_", " ")
    return f"{what}: {path}" if path else what
