"""Claude Code's hook events, as they are sent.

Every event is a JSON object with `session_id`, `transcript_path`, `cwd` and `hook_event_name`, and
fields of its own. Events and fields that are not known here are kept all the same: the list grows
with every release. What is kept is free of secrets and bounded.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from bottega.board.hooks.payload import bounded
from bottega.core.database import storable
from bottega.errors import InvalidInput

LONGEST_NAME = 200
LONGEST_PATH = 4_096
#: Kept in columns of their own, or of no use once the session is known.
IN_COLUMNS = frozenset({"session_id", "hook_event_name", "tool_name", "tool_use_id"})
#: A day: a longer one is a mistake of somebody's clock.
LONGEST_MS = 24 * 60 * 60 * 1_000


class HookName(StrEnum):
    """The events that mean something here."""

    SESSION_START = "SessionStart"
    USER_PROMPT_SUBMIT = "UserPromptSubmit"
    PRE_TOOL_USE = "PreToolUse"
    POST_TOOL_USE = "PostToolUse"
    POST_TOOL_USE_FAILURE = "PostToolUseFailure"
    STOP = "Stop"
    SESSION_END = "SessionEnd"


TOOL_ENDS = frozenset({HookName.POST_TOOL_USE, HookName.POST_TOOL_USE_FAILURE})
#: After these no tool is running, whether or not it was said to have ended: nobody hears of the
#: end of a tool that a person interrupts.
TURNS = frozenset(
    {
        HookName.SESSION_START,
        HookName.USER_PROMPT_SUBMIT,
        HookName.STOP,
        HookName.SESSION_END,
    }
)


@dataclass(frozen=True, slots=True)
class Hook:
    #: Claude Code's own id of the session.
    client_session_id: str
    event: str
    cwd: str
    tool_name: str | None
    tool_use_id: str | None
    #: Whether the tool worked; `None` for anything but a tool's end.
    success: bool | None
    #: As Claude Code measured it; older releases do not say.
    duration_ms: int | None
    payload: dict[str, Any]


def read(body: Mapping[str, Any], redact: Callable[[str], str]) -> Hook:
    """`InvalidInput` for what cannot be a hook event."""
    event = _needed(body, "hook_event_name")
    return Hook(
        client_session_id=_needed(body, "session_id"),
        event=event,
        cwd=_text(body.get("cwd"), LONGEST_PATH) or "",
        tool_name=_text(body.get("tool_name")),
        tool_use_id=_text(body.get("tool_use_id")),
        success=_worked(event, body) if event in TOOL_ENDS else None,
        duration_ms=_milliseconds(body.get("duration_ms")),
        payload=bounded({k: v for k, v in body.items() if k not in IN_COLUMNS}, redact),
    )


def _worked(event: str, body: Mapping[str, Any]) -> bool:
    if event == HookName.POST_TOOL_USE_FAILURE:
        return False
    response = body.get("tool_response")
    if not isinstance(response, Mapping):
        return True
    failed = any(response.get(name) for name in ("error", "is_error", "isError", "interrupted"))
    return not failed and response.get("success") is not False


def _milliseconds(value: object) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 <= value <= LONGEST_MS else None


def _needed(body: Mapping[str, Any], name: str) -> str:
    value = _text(body.get(name))
    if not value:
        raise InvalidInput(
            f"This is no hook event of Claude Code: its {name} is {body.get(name)!r:.80}. Send the "
            "JSON that a hook gets on its standard input, as it is."
        )
    return value


def _text(value: object, longest: int = LONGEST_NAME) -> str | None:
    return storable(value[:longest]) if isinstance(value, str) else None
