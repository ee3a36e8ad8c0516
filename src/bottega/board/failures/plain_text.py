"""Text from a report, made fit to keep: no colours, no control characters, no endless output."""

import re

#: Colours, cursor movements, and links as terminals write them; pytest's XML spells colours out.
_ESCAPES = re.compile(
    r"#x1B\[[0-9;]*m|"
    r"\x1b\[[0-?]*[ -/]*[@-~]"
    r"|\x1b\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\)"
    r"|\x1b[@-Z\\^_]"
)
#: PostgreSQL takes no NUL, UTF-8 no lone surrogate; the rest could turn a line around on screen.
_UNFIT = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff]"
)


def clean(text: str) -> str:
    unix = text.replace("\r\n", "\n").replace("\r", "\n")
    return _UNFIT.sub("", _ESCAPES.sub("", unix))


def one_line(text: str) -> str:
    return " ".join(clean(text).split())


def cut(text: str, length: int, *, of: int | None = None) -> str:
    """At most `length` characters; if there were more, the last ones say so."""
    total = of or len(text)
    if total <= length:
        return text
    note = f"… [cut; {total:,} characters in all]"
    return text[: max(0, length - len(note))] + note


def kept(text: str, length: int) -> str:
    """Cleaned and cut, without cleaning megabytes that are cut away anyway."""
    # Colours may take up much of the beginning, so more is read than is kept.
    if len(text) > 4 * length:
        return cut(clean(text[: 4 * length]).strip(), length, of=len(text))
    return cut(clean(text).strip(), length)
