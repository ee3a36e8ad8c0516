"""Blocks into numbered paragraphs: every text gets the reference by which a person would cite it.

Explicit numbers win. What has none is counted within the nearest number above it (`4.9.1 ¶2`), or
within its path of headings (`Deploying › Rollback ¶2`), so that it keeps its reference when other
sections change. Bullets, code, tables and the steps of a list stay with the text they follow.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from bottega.library.parsers.blocks import Block, BlockRole
from bottega.library.parsers.document import DocumentProblem, Link, Paragraph
from bottega.library.parsers.markers import Marker, MarkerStyle
from bottega.library.parsers.numbering import Counting, Nesting, find_markers, plain_numbers
from bottega.library.parsers.references import STEP, with_prefix


@dataclass(frozen=True, slots=True)
class Section:
    level: int
    #: As written, with its number.
    heading: str
    #: Without it.
    title: str
    ref: str
    number: str | None = None
    style: MarkerStyle | None = None
    #: The document's title, which stands in no path.
    is_title: bool = False


class Sections:
    def __init__(self, title: str, prefix: str | None, *, running: bool) -> None:
        self._title = title
        self._prefix = prefix
        #: Where paragraphs are counted through, `3. Records` is a heading and not paragraph 3.
        self._running = running
        self._open = [Section(0, title, title, title, is_title=True)]
        self._title_block: Block | None = None
        self.claims = UniqueRefs()

    @property
    def current(self) -> Section:
        return self._open[-1]

    @property
    def title_block(self) -> Block | None:
        return self._title_block

    def open(self, block: Block, marker: Marker | None, *, is_first: bool) -> Section:
        """Below what is open; `is_first` if nothing stands before it in the document."""
        if is_first and marker is None and _is_same(block.text, self._title):
            self._title_block = block
            return self.current
        while self.current.level >= block.level:
            self._open.pop()
        self._open.append(self._section(block, marker))
        return self.current

    def headings(self) -> tuple[str, ...]:
        return tuple(section.heading for section in self._open if not section.is_title)

    def numbered(self) -> Section | None:
        return next((section for section in reversed(self._open) if section.number), None)

    def _section(self, block: Block, marker: Marker | None) -> Section:
        counts = marker is not None and marker.style is not MarkerStyle.NESTED
        if self._running and marker is not None and marker.style is MarkerStyle.SIMPLE:
            counts = False
        if marker is not None and counts:
            ref = self.claims.claim(with_prefix(marker.value, self._prefix), block.start)
            title = marker.rest or block.text
            return Section(block.level, block.text, title, ref, marker.value, marker.style)
        above = "" if self.current.is_title else f"{self.current.ref}{STEP}"
        ref = self.claims.claim(f"{above}{block.text}", block.start)
        return Section(block.level, block.text, block.text, ref)


def _is_same(heading: str, title: str) -> bool:
    """`Standard 100: Roles` heads the document that calls itself `Roles`."""
    said, stated = f" {heading.casefold()} ", f" {title.casefold()} "
    return said in stated or stated in said


_MOST_TOLD = 50


class UniqueRefs:
    """Gives every reference once: a second paragraph of the same one is numbered, and reported."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._counts: dict[str, int] = {}
        self._told: list[DocumentProblem] = []
        self._repeated = 0

    def claim(self, ref: str, start: int) -> str:
        """The reference, or `ref #2` if it is taken."""
        if ref not in self._taken:
            self._taken.add(ref)
            return ref
        own = ref
        while own in self._taken:
            self._counts[ref] = self._counts.get(ref, 1) + 1
            own = f"{ref} #{self._counts[ref]}"
        self._taken.add(own)
        self._repeated += 1
        if len(self._told) < _MOST_TOLD:
            self._told.append(
                DocumentProblem(f"{ref} stands more than once; this one is {own}", start)
            )
        return own

    def problems(self) -> list[DocumentProblem]:
        untold = self._repeated - len(self._told)
        more = (
            [DocumentProblem(f"{untold:,} more references stand more than once")] if untold else []
        )
        return [*self._told, *more]


_ABSOLUTE = frozenset(
    {MarkerStyle.DOTTED, MarkerStyle.LETTERED, MarkerStyle.NAMED, MarkerStyle.LABELLED}
)
#: Longer ones are a text in the clothes of a heading, and would make endless references.
_LONGEST_HEADING = 300
_ATTACHED = frozenset({BlockRole.BULLET, BlockRole.ITEM, BlockRole.CODE, BlockRole.TABLE})


@dataclass(slots=True)
class Outlined:
    paragraphs: list[Paragraph] = field(default_factory=list)
    #: The reference behind each anchor.
    anchors: dict[str, str] = field(default_factory=dict)
    #: Terms that the markup itself marks, with the reference of their paragraph.
    marked_terms: list[tuple[str, str]] = field(default_factory=list)
    problems: list[DocumentProblem] = field(default_factory=list)


def outline(blocks: Sequence[Block], title: str, prefix: str | None) -> Outlined:
    for block in blocks:
        if block.role is BlockRole.HEADING and len(block.text) > _LONGEST_HEADING:
            block.role = BlockRole.TEXT
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
        self._claims = UniqueRefs()
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
        if block.role is BlockRole.HEADING:
            self._open_section(block, marker)
        elif block.role is BlockRole.FOOTNOTE and (label := footnote_label(block.text)):
            self._begin(block, f"footnote {label}", None, block.text)
        elif marker is not None and marker.style is MarkerStyle.NESTED:
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
        if draft.first.role is BlockRole.FOOTNOTE:
            return block.role is BlockRole.FOOTNOTE or block.indent > 0
        if block.role in _ATTACHED:
            return True
        if block.role is not BlockRole.TEXT or block.term:
            return False
        in_list = (
            draft.last.role in (BlockRole.BULLET, BlockRole.ITEM) and draft.last is not draft.first
        )
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
    if section.style is MarkerStyle.LABELLED:
        return f"{section.number}.{value}"
    return f"{section.number}({value})"


_LABEL = re.compile(r"\[\^?([^\]\s]{1,40})\]")


def footnote_label(text: str) -> str | None:
    """What stands in square brackets in front; `None` for a further paragraph of a footnote."""
    found = _LABEL.match(text)
    return found.group(1) if found else None


LONGEST = 1_500
#: Below this a part is not worth being one: better a cut in the middle of a sentence.
_SHORTEST = LONGEST // 3
#: The end of a line, of a sentence, of a clause, of a word: the best that there is, is taken.
_CUTS = (
    re.compile(r"\n\s*"),
    re.compile(r"(?<=[.!?…。！？])[\"'”’)\]]*\s+"),
    re.compile(r"(?<=[;:,])\s+"),
    re.compile(r"\s+"),
)


def split_long(text: str, longest: int = LONGEST) -> Iterator[str]:
    """Parts that a search can hold, cut between sentences where possible; no word is lost."""
    position = 0
    while len(text) - position > longest:
        end, following = _cut(text, position, position + longest)
        if text[position:end].strip():
            yield text[position:end]
        position = following
    if text[position:].strip():
        yield text[position:]


def _cut(text: str, start: int, limit: int) -> tuple[int, int]:
    """Where this part ends, and where the next one begins."""
    for cut in _CUTS:
        last = None
        for found in cut.finditer(text, start + _SHORTEST, limit):
            last = found
        if last is not None:
            # Quotes that close the sentence stay with it.
            closing = len(last.group()) - len(last.group().lstrip("\"'”’)]"))
            return last.start() + closing, last.end()
    return limit, limit
