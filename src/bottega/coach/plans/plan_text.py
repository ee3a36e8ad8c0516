"""A plan's own structure: the steps that whoever wrote it had in mind.

Plans come as markdown of any shape. The clearest sign of steps wins: headings that are numbered,
then a numbered list, then boxes to tick, then plain headings, then bullets, then paragraphs.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

MOST_STEPS = 8
#: A step of fewer words ("Run tests") goes with the one before it.
FEWEST_WORDS = 3
LONGEST_TITLE = 64
#: Of a passage, when its markup is taken off.
LONGEST_READ = 1_000
#: Deeper than any plan; what is nested deeper is read as text.
DEEPEST = 40

ORDINAL = re.compile(
    r"^(?:(?:step|phase|part|stage|task)\s*\d+\s*[.):–—-]*|\d+\s*[.):–—-])\s*", re.IGNORECASE
)
MARKER = re.compile(r"^\s*(?:#+|[-*+]|\d+[.)])\s+(?:\[[ xX]?\]\s*)?")
BOLD_LEAD = re.compile(r"^\*\*(.+?)\*\*\s*[:.–—-]*\s*")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`])|:\s*$|\s[–—]\s|;\s")
#: Headings under which plans explain themselves instead of saying what to do.
ASIDES = re.compile(
    r"^(?:overview|context|background|summary|introduction|goals?|non-?goals|motivation|problem|"
    r"(?:key )?risks?|notes?|assumptions|out of scope|open questions|references|dependencies|"
    r"success criteria|acceptance criteria|definition of done|estimates?|timeline)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PlanStep:
    title: str
    #: All of it as it was written, the title's line included.
    text: str


class PlanBlock(NamedTuple):
    """A heading, a list item or a paragraph at the plan's outermost level; lines from 0."""

    kind: str
    start: int
    end: int
    level: int = 0
    ordered: bool = False


def read_steps(plan: str) -> list[PlanStep]:
    """1 to 8 steps, in the plan's order; none only for a plan without words."""
    lines = re.sub(r"\r\n?", "\n", plan).expandtabs(4).split("\n")
    blocks = _blocks("\n".join(lines))
    spans = next(filter(None, (find(lines, blocks) for find in SIGNS)), [])
    texts = ["\n".join(lines[start:end]).strip() for start, end in spans]
    return [PlanStep(title_of(text), text) for text in _sized([text for text in texts if text])]


def title_of(text: str) -> str:
    """The step's first words, without its number, box and markup."""
    first = unnumbered(next(iter(passages(text)), ""))[:LONGEST_READ]
    lead = BOLD_LEAD.match(first)
    said = plain(lead[1] if lead else SENTENCE_END.split(first)[0])
    name, _, more = said.partition(": ")
    # "Round late: only when a total is shown" has its title in front; "Note: …" has not.
    title = (name if more and len(name.split()) > 1 else said).rstrip(".:;, ")
    return _shortened(title[:1].upper() + title[1:])


def passages(text: str) -> list[str]:
    """Headings, items and paragraphs, each on one line and without its marker."""
    found: list[list[str]] = []
    fresh = True
    for line in text.splitlines():
        marker = MARKER.match(line)
        words = line[marker.end() :].strip() if marker else line.strip()
        if words and (fresh or marker):
            found.append([words])
        elif words:
            found[-1].append(words)
        fresh = not words or line.lstrip().startswith("#")
    return [" ".join(lines) for lines in found]


def unnumbered(text: str) -> str:
    """Without `Step 3:` or `3.` in front, unless that is all there is."""
    return ORDINAL.sub("", text) or text


def plain(text: str) -> str:
    """Without the marks of emphasis and links, as far as anyone would read."""
    unlinked = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text[:LONGEST_READ])
    unmarked = re.sub(r"(\*\*|__)(.+?)\1", r"\2", unlinked)
    return " ".join(unmarked.split())


def _shortened(title: str) -> str:
    if len(title) <= LONGEST_TITLE:
        return title
    cut = title[:LONGEST_TITLE].rsplit(" ", 1)[0].rstrip(",;:. ")
    # Half a name in backticks would not be one.
    return (cut + "`" if cut.count("`") % 2 else cut) + "…"


Span = tuple[int, int]


def _numbered_headings(lines: list[str], blocks: list[PlanBlock]) -> list[Span]:
    return _sections(lines, blocks, lambda title: ORDINAL.match(title) is not None)


def _numbered_items(lines: list[str], blocks: list[PlanBlock]) -> list[Span]:
    return _items(block for block in blocks if block.ordered)


def _boxes(lines: list[str], blocks: list[PlanBlock]) -> list[Span]:
    items = (block for block in blocks if block.kind == "item")
    return _items(item for item in items if re.match(r"\s*[-*+]\s+\[[ xX]?\]", lines[item.start]))


def _plain_headings(lines: list[str], blocks: list[PlanBlock]) -> list[Span]:
    return _sections(lines, blocks, lambda title: not ASIDES.match(title))


def _bullets(lines: list[str], blocks: list[PlanBlock]) -> list[Span]:
    return _items(block for block in blocks if block.kind == "item")


def _paragraphs(lines: list[str], blocks: list[PlanBlock]) -> list[Span]:
    found = [block for block in blocks if block.kind != "heading"] or blocks
    return [(block.start, block.end) for block in found]


SIGNS = (_numbered_headings, _numbered_items, _boxes, _plain_headings, _bullets, _paragraphs)


def _items(items: Iterator[PlanBlock]) -> list[Span]:
    """One item alone is no list of steps."""
    found = [(item.start, item.end) for item in items]
    return found if len(found) > 1 else []


def _sections(
    lines: list[str], blocks: list[PlanBlock], wanted: Callable[[str], bool]
) -> list[Span]:
    """The outermost level of headings that has several steps, each with all that is below it."""
    headings = [block for block in blocks if block.kind == "heading"]
    for level in sorted({heading.level for heading in headings}):
        peers = [heading for heading in headings if heading.level <= level]
        ends = {a.start: b.start for a, b in pairwise([*peers, PlanBlock("end", len(lines), 0)])}
        spans = [
            (heading.start, ends[heading.start])
            for heading in peers
            if heading.level == level and wanted(_heading_title(lines[heading.start]))
        ]
        if len(spans) > 1:
            return spans
    return []


def _heading_title(line: str) -> str:
    return plain(line.strip().lstrip("#").strip())


def _blocks(plan: str) -> list[PlanBlock]:
    """Nested items and everything else inside an item belong to it."""
    found: list[PlanBlock] = []
    ordered = False
    for token in _markdown().parse(plan):
        start, end = token.map or (0, 0)
        match token.level, token.type:
            case 0, "heading_open":
                found.append(PlanBlock("heading", start, end, level=int(token.tag[1:])))
            case 0, "ordered_list_open" | "bullet_list_open":
                ordered = token.type == "ordered_list_open"
            case 1, "list_item_open":
                found.append(PlanBlock("item", start, end, ordered=ordered))
            case 0, "paragraph_open" | "fence" | "code_block" | "blockquote_open" | "html_block":
                found.append(PlanBlock("paragraph", start, end))
            case _:
                pass
    return found


def _sized(texts: list[str]) -> list[str]:
    """Tiny steps joined to the one before; more than fit in a day's work in even groups."""
    groups: list[list[str]] = []
    for text in texts:
        if groups and len(MARKER.sub("", text).split()) < FEWEST_WORDS:
            groups[-1].append(text)
        else:
            groups.append([text])
    joined = ["\n".join(group) for group in groups]
    if len(joined) <= MOST_STEPS:
        return joined
    cuts = [round(place * len(joined) / MOST_STEPS) for place in range(MOST_STEPS + 1)]
    return ["\n".join(joined[start:end]) for start, end in pairwise(cuts)]


@cache
def _markdown() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    # Only the blocks: what is inside them is not asked for, and hostile text makes it slow.
    return MarkdownIt("commonmark", {"maxNesting": DEEPEST}).disable("inline")
