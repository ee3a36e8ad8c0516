"""Text from a report: made fit to keep, and quoted in Markdown so that it stays data."""

import re

from bottega.core.text import words

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
    return words.one_line(clean(text))


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


#: What would mean something inside a line. No more, since names stand in lists as they are here:
#: `test_adds[1]` needs no backslash.
_MARKS = re.compile(
    r"[\\`*<]|~(?=~)|(?<!\S)#|\](?=[(\[:])|&(?=#?\w{1,31};)"
    r"|(?<![^\W_])_|_(?![^\W_])"
)


def inline(text: str, length: int = 200) -> str:
    """As words in a line that begins with ours."""
    return _MARKS.sub(r"\\\g<0>", cut(one_line(text), length))


def code(text: str, length: int = 300) -> str:
    """As a code span on one line."""
    line = cut(one_line(text), length)
    if "`" not in line:
        return f"`{line}`" if line else "` `"
    ticks = "`" * (_longest_run("`", line) + 1)
    return f"{ticks} {line} {ticks}"


def block(text: str) -> str:
    """As a fenced block, with the fence that is shorter and that nothing inside can close."""
    lines = text.strip("\n")
    fences = (mark * max(3, _longest_run(mark, lines) + 1) for mark in "`~")
    fence = min(fences, key=len)
    return f"{fence}text\n{lines}\n{fence}"


def _longest_run(mark: str, text: str) -> int:
    return max((len(run) for run in re.findall(f"{mark}+", text)), default=0)
