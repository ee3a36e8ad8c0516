"""Claude Code's hook events, as they are sent.

Every event is a JSON object with `session_id`, `transcript_path`, `cwd` and `hook_event_name`, and
fields of its own. Events and fields that are not known here are kept all the same: the list grows
with every release. What is kept is free of secrets and bounded.
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from bottega.core.db.database import storable
from bottega.core.text.words import excerpt_json
from bottega.core.trust.redaction import HIDDEN, clean, is_secret
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


#: What the session's first event says for all of them.
OF_SESSION = frozenset({"transcript_path", "permission_mode", "cwd"})
#: Characters of a text, and items of a list, that are kept of what a tool took and gave.
LONGEST_OF_TOOL, LONGEST_OF_FAILURE, MOST_OF_TOOL = 300, 2_000, 20


def kept_payload(hook: Hook) -> dict[str, Any]:
    """What of it is written down: there may be thousands a day, and the file that a tool wrote is
    on the disk. A person's prompt is whole."""
    if hook.event == HookName.SESSION_START:
        return hook.payload
    longest = LONGEST_OF_FAILURE if hook.success is False else LONGEST_OF_TOOL
    return {
        name: excerpt_json(value, longest, MOST_OF_TOOL) if name.startswith("tool_") else value
        for name, value in hook.payload.items()
        if name not in OF_SESSION
    }


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


LONGEST_BYTES = 8_192
#: Characters that a single text may keep, tried one after another.
TEXT_LIMITS = (2_000, 500, 100)
#: Looked through for secrets; what is longer is cut before.
LOOKED_THROUGH = 8_192
MOST_ENTRIES = 50
DEEPEST = 6
CUT = "…"

_ASSIGNED = re.compile(
    r"\b([A-Za-z][\w-]*)(\s*[=:]\s*)(?:(?:Bearer|Basic)\s+)?(['\"]?)([^\s'\"&;|]+)\3"
)
_BEARER = re.compile(r"\b(Bearer|Basic)\s+[\w.~+/=-]{8,}")

Redact = Callable[[str], str]


def bounded(fields: Mapping[str, Any], redact: Redact) -> dict[str, Any]:
    safe = {
        redact(name): HIDDEN if is_secret(name) else _safe(value, redact, DEEPEST)
        for name, value in list(fields.items())[:MOST_ENTRIES]
    }
    if _size(safe) <= LONGEST_BYTES and len(fields) <= MOST_ENTRIES:
        return safe
    for limit in TEXT_LIMITS:
        # One more than the limit, for the sign that something is left out.
        cut = {**excerpt_json(safe, limit + 1, MOST_ENTRIES), "truncated": True}
        if _size(cut) <= LONGEST_BYTES:
            return cut
    return {"truncated": True, "fields": [name[:100] for name in safe]}


def _safe(value: Any, redact: Redact, depth: int) -> Any:
    if isinstance(value, str):
        return _without_secrets(value, redact)
    if isinstance(value, dict | list) and depth == 0:
        return CUT
    if isinstance(value, dict):
        return {
            redact(name[:200]): HIDDEN if is_secret(name) else _safe(each, redact, depth - 1)
            for name, each in list(value.items())[:MOST_ENTRIES]
        }
    if isinstance(value, list):
        return [_safe(each, redact, depth - 1) for each in value[:MOST_ENTRIES]]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # Python's JSON has these, the databases' has not
    return value


def _without_secrets(text: str, redact: Redact) -> str:
    """Known secrets, JSON fields by their names, and what a command line assigns to such a name."""
    looked = text if len(text) <= LOOKED_THROUGH else text[:LOOKED_THROUGH] + CUT
    looked = clean({"text": looked}, redact)["text"]
    return _BEARER.sub(rf"\1 {HIDDEN}", _ASSIGNED.sub(_hide_assigned, looked))


def _hide_assigned(match: re.Match[str]) -> str:
    name, between, quote, _ = match.groups()
    return f"{name}{between}{quote}{HIDDEN}{quote}" if is_secret(name) else match.group()


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
