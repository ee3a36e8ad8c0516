"""Hiding secrets: by the name of a field, by what a value looks like, and known values.

Counts such as `gen_ai.usage.input_tokens` stay; `github_token`, `headers.authorization` and the
`"api_key"` inside a tool's JSON arguments go.
"""

import json
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from bottega.core.trust.scanner import HIDDEN as HIDDEN
from bottega.core.trust.scanner import hide

#: A name with one of these words anywhere in it.
SECRET_WORDS = frozenset(
    {"password", "passwd", "passphrase", "passcode", "secret", "secrets"}
    | {"authorization", "cookie", "cookies", "credential", "credentials", "apikey"}
)
#: Innocent inside a name (`token.type`, `key_findings`), secret at its end.
SECRET_LAST_WORDS = frozenset({"token", "key"})

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_ANY_SECRET_WORD = re.compile("|".join(SECRET_WORDS | SECRET_LAST_WORDS), re.IGNORECASE)
_SECRET_FIELD = re.compile(rf'({_ANY_SECRET_WORD.pattern})["\']?\s*[:=]', re.IGNORECASE)

#: Masks known secret values in a text.
Redact = Callable[[str], str]


@lru_cache(maxsize=4096)
def is_secret(name: str) -> bool:
    words = [word.lower() for word in _WORD.findall(name)]
    return bool(words) and (words[-1] in SECRET_LAST_WORDS or not SECRET_WORDS.isdisjoint(words))


def clean(attributes: Mapping[str, Any], redact: Redact) -> dict[str, Any]:
    """The attributes without the secret ones, and with known secret values masked."""
    return {
        name: _clean_value(value, redact)
        for name, value in attributes.items()
        if not is_secret(name)
    }


def _clean_value(value: Any, redact: Redact) -> Any:
    if isinstance(value, str):
        is_json = value.lstrip()[:1] in ("{", "[") and _ANY_SECRET_WORD.search(value)
        return redact(_clean_json(value) if is_json else value)
    if isinstance(value, list | tuple):
        return [_clean_value(item, redact) for item in value]
    return value


def _clean_json(text: str) -> str:
    try:
        return json.dumps(_hide(json.loads(text)), ensure_ascii=False)
    except (ValueError, RecursionError):
        # Prose in brackets, or JSON that was cut off and cannot be looked through.
        return HIDDEN if _SECRET_FIELD.search(text) else text


def _hide(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: HIDDEN if is_secret(name) else _hide(v) for name, v in value.items()}
    if isinstance(value, list):
        return [_hide(item) for item in value]
    return value


def without_secrets(value: Any, redact: Redact) -> Any:
    """The JSON value with what looks like a secret hidden, and with known ones masked."""
    if isinstance(value, str):
        return redact(hide(value))
    if isinstance(value, dict):
        return {name: without_secrets(each, redact) for name, each in value.items()}
    if isinstance(value, list):
        return [without_secrets(each, redact) for each in value]
    return value
