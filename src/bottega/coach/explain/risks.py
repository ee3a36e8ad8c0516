"""What often goes wrong with code of a certain shape, each in one sentence.

A danger is a shape, not a verdict: the sentence says when it matters.
"""

import tomllib
from enum import StrEnum
from functools import cache
from pathlib import Path

WARNINGS = Path(__file__).with_name("risks.toml")
#: Names that usually stand for money.
MONEY_WORDS = ("price", "amount", "cost", "money", "balance", "salary", "invoice", "vat", "tax")


class Danger(StrEnum):
    MUTABLE_DEFAULT = "mutable default"
    BARE_EXCEPT = "catches everything"
    SWALLOWED_ERROR = "swallowed error"
    SHADOWING = "shadowed built-in"
    FLOAT_MONEY = "money as float"
    FORGOTTEN_AWAIT = "forgotten await"
    AWAIT_IN_LOOP = "await in a loop"
    ASYNC_CALLBACK = "async callback"
    LOOSE_EQUALITY = "loose equality"
    IDENTITY_COMPARISON = "identity for equality"
    CHANGED_WHILE_LOOPING = "changed while looping"
    LATE_BINDING = "late binding"
    UNCLOSED_FILE = "unclosed file"
    ASSERT_TUPLE = "assertion that never fails"
    RUNS_TEXT = "runs text as code"
    SHELL = "shell command"
    FUNCTION_SCOPE = "function-wide variable"
    ANY_TYPE = "unchecked type"
    NON_NULL = "unchecked null"
    ASSIGNED_CONDITION = "assignment as condition"
    RAW_HTML = "raw HTML"
    MISSING_KEY = "list without keys"
    DEFERRED_IN_LOOP = "deferred in a loop"
    UNWRAPPED = "unchecked value"
    UNSAFE = "unchecked memory"


@cache
def _warnings() -> dict[Danger, str]:
    read = tomllib.loads(WARNINGS.read_text(encoding="utf-8"))
    return {Danger[name.upper()]: text for name, text in read.items()}


def warning(danger: Danger) -> str:
    """What goes wrong and when it matters, without a full stop."""
    return _warnings()[danger]


def is_about_money(name: str) -> bool:
    return any(word in name.lower().split("_") for word in MONEY_WORDS) or name.lower().endswith(
        ("price", "amount", "balance")
    )
