"""What is kept of a hook event: without secrets, and never more than a few kilobytes.

A tool's input may be a whole file and its response a whole build log. Texts are cut, the longer
ones first, until the rest fits; that something is missing is said.
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from bottega.core.traces.redaction import HIDDEN, clean, is_secret

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
        name: HIDDEN if is_secret(name) else _safe(value, redact, DEEPEST)
        for name, value in list(fields.items())[:MOST_ENTRIES]
    }
    if _size(safe) <= LONGEST_BYTES and len(fields) <= MOST_ENTRIES:
        return safe
    for limit in TEXT_LIMITS:
        cut = {**{name: _cut(value, limit) for name, value in safe.items()}, "truncated": True}
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
            name[:200]: HIDDEN if is_secret(name) else _safe(each, redact, depth - 1)
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


def _cut(value: Any, limit: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= limit else value[:limit] + CUT
    if isinstance(value, dict):
        return {name: _cut(each, limit) for name, each in value.items()}
    if isinstance(value, list):
        return [_cut(each, limit) for each in value]
    return value


def _size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
