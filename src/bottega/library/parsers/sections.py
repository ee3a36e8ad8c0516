"""The headings that are open above a text, and the reference that they make."""

from dataclasses import dataclass

from bottega.library.parsers.blocks import Block
from bottega.library.parsers.document import DocumentProblem
from bottega.library.parsers.markers import Marker, MarkerStyle
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
