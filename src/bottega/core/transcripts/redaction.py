"""Secrets by their looks, for texts in which they stand between code and prose.

By the name before it would be too much here: half of all code assigns something to a `key`.
"""

import re
from collections.abc import Callable
from typing import Any

HIDDEN = "[hidden]"
_LOOKS = re.compile(
    r"\b(?:sk-(?:ant-|proj-)?[\w-]{20,}"
    r"|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{20,}"
    r"|btg_[\w-]{20,}|xox[abprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}|AIza[\w-]{35}"
    r"|eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]+)"
    r"|(?<=Bearer )[\w.~+/=-]{20,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    re.DOTALL,
)

Redact = Callable[[str], str]


def without_secrets(value: Any, redact: Redact) -> Any:
    """The JSON value with what looks like a secret hidden, and with known ones masked."""
    if isinstance(value, str):
        return redact(_LOOKS.sub(HIDDEN, value))
    if isinstance(value, dict):
        return {name: without_secrets(each, redact) for name, each in value.items()}
    if isinstance(value, list):
        return [without_secrets(each, redact) for each in value]
    return value
