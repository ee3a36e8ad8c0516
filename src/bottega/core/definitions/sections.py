"""A document cut at its headings, each piece with its place in the file."""

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from bottega.core.definitions.document import Document

if TYPE_CHECKING:
    from markdown_it import MarkdownIt


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands under it, up to the next heading of any level."""

    #: The titles from the outermost heading to this one; empty before the first heading.
    path: tuple[str, ...]
    level: int
    #: The file's lines, both included.
    start_line: int
    end_line: int
    text: str


def sections(document: Document[Any]) -> list[Section]:
    """All sections in order; text before the first heading is one without a path."""
    lines = document.body.removesuffix("\n").split("\n")
    headings = _headings(document.body)
    ends = [*(start for start, _, _ in headings[1:]), len(lines)]
    found: list[Section] = []
    outline: list[tuple[int, str]] = []
    for (start, level, title), end in zip(headings, ends, strict=True):
        text = "\n".join(lines[start:end])
        if level:
            outline = [*((above, name) for above, name in outline if above < level), (level, title)]
        elif not text.strip():
            continue
        first, last = document.body_line + start, document.body_line + end - 1
        found.append(Section(tuple(name for _, name in outline), level, first, last, text))
    return found


def _headings(body: str) -> list[tuple[int, int, str]]:
    """Line, level and title of each; the document's start counts as one of level 0."""
    tokens = _markdown().parse(body)
    return [(0, 0, "")] + [
        (token.map[0], int(token.tag[1:]), inline.content)
        for token, inline in pairwise(tokens)
        # Those inside quotes and lists do not divide the document.
        if token.type == "heading_open" and token.level == 0 and token.map
    ]


@cache
def _markdown() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark")
