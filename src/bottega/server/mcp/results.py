"""What a tool returned, as the wire wants it: an object for programs, the same JSON for models.

Handlers return plain mappings, not the SDK's models: the SDK checks and copies them once more
on the way out, and once is enough.
"""

from typing import Any

from pydantic_core import from_json, to_json

from bottega.errors import BottegaError

CallResult = dict[str, Any]


def render(value: Any) -> CallResult:
    """Models, dataclasses, mappings, lists, scalars and None; a string is its own text."""
    encoded = to_json(value, inf_nan_mode="null")
    plain = from_json(encoded)
    text = plain if isinstance(plain, str) else encoded.decode()
    # MCP: structured content is an object.
    structured = plain if isinstance(plain, dict) else {"result": plain}
    return _result(text, structured, is_error=False)


def render_error(error: BottegaError) -> CallResult:
    body = error.body()
    return _result(to_json(body).decode(), body, is_error=True)


def _result(text: str, structured: dict[str, Any], *, is_error: bool) -> CallResult:
    return {
        "content": [{"type": "text", "text": text}],
        "structuredContent": structured,
        "isError": is_error,
        "resultType": "complete",
    }
