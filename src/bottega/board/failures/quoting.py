"""Text from a report set into Markdown, as data: it cannot become a heading, a task or a link."""

import re

from bottega.board.failures.plain_text import cut, one_line

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
    words = cut(one_line(text), length)
    if "`" not in words:
        return f"`{words}`" if words else "` `"
    ticks = "`" * (_longest_run("`", words) + 1)
    return f"{ticks} {words} {ticks}"


def block(text: str) -> str:
    """As a fenced block, with the fence that is shorter and that nothing inside can close."""
    lines = text.strip("\n")
    fences = (mark * max(3, _longest_run(mark, lines) + 1) for mark in "`~")
    fence = min(fences, key=len)
    return f"{fence}text\n{lines}\n{fence}"


def _longest_run(mark: str, text: str) -> int:
    return max((len(run) for run in re.findall(f"{mark}+", text)), default=0)
