"""Blocks into numbered paragraphs: every text gets the reference by which a person would cite it.

Explicit numbers win. What has none is counted within the nearest number above it (`4.9.1 ¶2`), or
within its path of headings (`Deploying › Rollback ¶2`), so that it keeps its reference when other
sections change. Bullets, code, tables and the steps of a list stay with the text they follow.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from bottega.library.reading.blocks import Block, Role
from bottega.library.reading.claims import Claims
from bottega.library.reading.document import Link, Paragraph, Problem
from bottega.library.reading.footnotes import footnote_label
from bottega.library.reading.markers import Marker, Style
from bottega.library.reading.nesting import Nesting
from bottega.library.reading.numbering import Counting, find_markers, plain_numbers
from bottega.library.reading.references import with_prefix
from bottega.library.reading.sections import Section, Sections
from bottega.library.reading.splitting import split_long

_ABSOLUTE = frozenset({Style.DOTTED, Style.LETTERED, Style.NAMED, Style.LABELLED})
#: Longer ones are a text in the clothes of a heading, and would make endless references.
_LONGEST_HEADING = 300
_ATTACHED = frozenset({Role.BULLET, Role.ITEM, Role.CODE, Role.TABLE})


@dataclass(slots=True)
class Outlined:
    paragraphs: list[Paragraph] = field(default_factory=list)
    #: The reference behind each anchor.
    anchors: dict[str, str] = field(default_factory=dict)
    #: Terms that the markup itself marks, with the reference of their paragraph.
    marked_terms: list[tuple[str, str]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def outline(blocks: Sequence[Block], title: str, prefix: str | None) -> Outlined:
    for block in blocks:
        if block.role is Role.HEADING and len(block.text) > _LONGEST_HEADING:
            block.role = Role.TEXT
    markers = find_markers(blocks)
    counting = plain_numbers(blocks, markers)
    running = Counting.RUNNING in counting.values()
    builder = _Builder(Sections(title, prefix, running=running), prefix)
    for index, block in enumerate(blocks):
        following = markers[index + 1] if index + 1 < len(markers) else None
        builder.add(block, markers[index], counting.get(index), following)
    return builder.finish()


@dataclass(slots=True)
class _Owner:
    """What unnumbered texts are counted in, or letters are added to."""

    ref: str
    number: str | None


@dataclass(slots=True)
class _Draft:
    ref: str
    number: str | None
    headings: tuple[str, ...]
    first: Block
    last: Block
    texts: list[str]
    links: list[Link]
    #: A number whose text has not come yet.
    is_bare: bool = False


class _Builder:
    def __init__(self, sections: Sections, prefix: str | None) -> None:
        self._sections = sections
        self._prefix = prefix
        self._claims = Claims()
        self._counts: dict[str, int] = {}
        self._nesting = Nesting()
        self._context = self._owner = _Owner(sections.current.ref, None)
        self._draft: _Draft | None = None
        #: A heading below which no text has come yet, and anchors that wait for one.
        self._untold: Block | None = None
        self._anchors: list[str] = []
        self._outlined = Outlined()

    def add(
        self,
        block: Block,
        marker: Marker | None,
        counting: Counting | None,
        following: Marker | None,
    ) -> None:
        if block.role is Role.HEADING:
            self._open_section(block, marker)
        elif block.role is Role.FOOTNOTE and (label := footnote_label(block.text)):
            self._begin(block, f"footnote {label}", None, block.text)
        elif marker is not None and marker.style is Style.NESTED:
            self._add_lettered(block, marker, following)
        elif marker is not None and (marker.style in _ABSOLUTE or counting is not None):
            self._add_numbered(block, marker, counting)
        elif self._belongs_to_draft(block):
            self._attach(block)
        else:
            self._add_unnumbered(block)

    def finish(self) -> Outlined:
        self._tell_heading()
        self._close()
        if not self._outlined.paragraphs and self._sections.title_block is not None:
            block = self._sections.title_block
            self._begin(block, self._sections.current.ref, None, block.text)
            self._close()
        self._outlined.problems = [*self._sections.claims.problems(), *self._claims.problems()]
        return self._outlined

    def _open_section(self, block: Block, marker: Marker | None) -> None:
        self._tell_heading()
        self._close()
        section = self._sections.open(block, marker, is_first=not self._outlined.paragraphs)
        self._anchors.extend(block.anchors)
        self._untold = None if section.is_title else block
        self._context = self._owner = _Owner(section.ref, section.number)
        self._nesting.clear()

    def _tell_heading(self) -> None:
        """A heading without a text of its own is a paragraph, so that it can be cited and found."""
        if self._untold is not None:
            section = self._sections.current
            self._begin(self._untold, section.ref, section.number, section.title)

    def _add_numbered(self, block: Block, marker: Marker, counting: Counting | None) -> None:
        base, *letters = marker.value.replace(")", "").split("(")
        if counting is Counting.WITHIN:
            base = _within(self._sections.numbered(), base)
        self._nesting.clear()
        for letter in letters:
            self._nesting.enter(letter, block.indent)
        self._context = self._owner = _Owner(with_prefix(base, self._prefix), base)
        ref = self._begin_marked(block, marker)
        if not letters:
            self._context.ref = ref

    def _add_lettered(self, block: Block, marker: Marker, following: Marker | None) -> None:
        self._nesting.enter(marker.value, block.indent, following.value if following else None)
        self._begin_marked(block, marker)

    def _begin_marked(self, block: Block, marker: Marker) -> str:
        owner = self._owner
        number = f"{owner.number}{self._nesting}" if owner.number is not None else None
        # A path of headings keeps a distance from the letter.
        gap = " " if self._nesting and owner.number is None and "¶" not in owner.ref else ""
        text = marker.rest or block.text
        ref = self._begin(block, f"{owner.ref}{gap}{self._nesting}", number, text)
        self._counts[ref] = 1
        assert self._draft is not None
        self._draft.is_bare = not marker.rest
        return ref

    def _add_unnumbered(self, block: Block) -> None:
        if self._context.number is None:
            self._nesting.clear()
        else:
            self._nesting.leave(block.indent)
        within = f"{self._owner.ref}{self._nesting}" if self._nesting else self._context.ref
        count = self._counts[within] = self._counts.get(within, 0) + 1
        number = self._context.number if count == 1 else None
        ref = self._begin(block, within if number else f"{within} ¶{count}", number, block.text)
        if not self._nesting:
            self._owner = _Owner(ref, number)

    def _belongs_to_draft(self, block: Block) -> bool:
        draft = self._draft
        if draft is None:
            return False
        if draft.first.role is Role.FOOTNOTE:
            return block.role is Role.FOOTNOTE or block.indent > 0
        if block.role in _ATTACHED:
            return True
        if block.role is not Role.TEXT or block.term:
            return False
        in_list = draft.last.role in (Role.BULLET, Role.ITEM) and draft.last is not draft.first
        return draft.is_bare or (in_list and block.indent > draft.last.indent)

    def _attach(self, block: Block) -> None:
        draft = self._draft
        assert draft is not None
        if draft.is_bare:
            draft.texts, draft.is_bare = [], False
        draft.texts.append(block.text)
        draft.links.extend(block.links)
        draft.last = block
        self._point(block.anchors, draft.ref)

    def _begin(self, block: Block, ref: str, number: str | None, text: str) -> str:
        self._close()
        self._untold = None
        ref = self._claims.claim(ref, block.start)
        headings = self._sections.headings()
        self._draft = _Draft(ref, number, headings, block, block, [text], list(block.links))
        self._point([*self._anchors, *block.anchors], ref)
        self._anchors.clear()
        if block.term:
            self._outlined.marked_terms.append((block.term, ref))
        return ref

    def _point(self, anchors: Sequence[str], ref: str) -> None:
        for anchor in anchors:
            self._outlined.anchors.setdefault(anchor, ref)

    def _close(self) -> None:
        draft, self._draft = self._draft, None
        if draft is None:
            return
        parts = split_long("\n".join(draft.texts).strip())
        for count, text in enumerate(parts, start=1):
            ref = draft.ref
            if count > 1:
                ref = self._claims.claim(f"{ref} part {count}", draft.first.start)
            links = tuple(link for link in draft.links if count == 1)
            order = len(self._outlined.paragraphs)
            self._outlined.paragraphs.append(
                Paragraph(ref, text, draft.headings, draft.number, draft.first.start, order, links)
            )


def _within(section: Section | None, value: str) -> str:
    """A number that counts within a numbered heading: `7(1)`, but `Appendix 2.1`."""
    if section is None:
        return value
    if section.style is Style.LABELLED:
        return f"{section.number}.{value}"
    return f"{section.number}({value})"
