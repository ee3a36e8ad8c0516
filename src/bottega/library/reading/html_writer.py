"""Text and tags of a page, collected into blocks."""

import re

from bottega.library.reading.blocks import Block, Role
from bottega.library.reading.document import Link
from bottega.library.reading.markers import find_marker

_LABEL = re.compile(r"\[?(\d{1,4})\]?(?=\s|$)")


class BlockWriter:
    def __init__(self) -> None:
        self.heading = 0
        #: What stands before the next item, until its first text is written.
        self.marker = ""
        self.indent = 0
        self.is_code = False
        #: Within a term of a definition list; then the term, until its definition is written.
        self.is_term = False
        self.term = ""
        #: How deep within footnotes.
        self.footnotes = 0
        self.anchors: list[str] = []
        self.in_main = False
        self._text: list[str] = []
        self._links: list[Link] = []
        self._link: tuple[str, int, bool] | None = None
        self._definition: int | None = None
        self._defined = ""
        self._cells: list[str] | None = None
        self._everything: list[Block] = []
        self._main: list[Block] = []

    @property
    def blocks(self) -> list[Block]:
        return self._main or self._everything

    def write(self, text: str) -> None:
        self._text.append(text)

    def flush(self) -> None:
        """What was written since the last block is one."""
        if self._cells is not None:
            self._text.append(" ")
            return
        text = self._taken()
        links, self._links = self._links, []
        if not text:
            return
        if self.is_term:
            self.term = f"{self.term}, {text}" if self.term else text
            return
        block = self._block(text)
        block.links, block.anchors = links, self.anchors
        block.term, self._defined = block.term or self._defined, ""
        self.anchors, self.marker = [], ""
        self._add(block)

    def _block(self, text: str) -> Block:
        start = len(self._everything) + 1
        if self.heading:
            return Block(Role.HEADING, text, start, level=self.heading)
        if self.is_code:
            return Block(Role.CODE, text, start, indent=self.indent)
        if self.footnotes:
            return Block(Role.FOOTNOTE, self._footnote(text), start)
        if self.term:
            term, self.term = self.term, ""
            return Block(Role.TEXT, f"{term}\n{text}", start, indent=self.indent, term=term)
        if find_marker(text):
            return Block(Role.ITEM, text, start, indent=self.indent)
        if self.marker:
            role = Role.BULLET if self.marker == "-" else Role.ITEM
            return Block(role, f"{self.marker} {text}", start, indent=self.indent)
        return Block(Role.TEXT, text, start, indent=self.indent)

    def _footnote(self, text: str) -> str:
        label, self.term = self.term or self.marker.strip(".-()"), ""
        if label:
            return f"[{label.strip('[]')}] {text}"
        return _LABEL.sub(r"[\1]", text, count=1) if _LABEL.match(text) else text

    def _add(self, block: Block) -> None:
        self._everything.append(block)
        if self.in_main:
            self._main.append(block)

    def _taken(self) -> str:
        text, self._text = "".join(self._text), []
        return text.strip("\n").rstrip() if self.is_code else " ".join(text.split())

    def begin_link(self, target: str, classes: str) -> None:
        self._link = target, len(self._text), "footnote" in classes

    def end_link(self) -> None:
        if self._link is None:
            return
        (target, begin, is_footnote), self._link = self._link, None
        text = " ".join("".join(self._text[begin:]).split())
        if is_footnote and text:
            self._text[begin:] = [f"[{text.strip('[]')}]"]
        elif text and target.strip():
            self._links.append(Link(text, target.strip()))

    def begin_definition(self) -> None:
        self._definition = len(self._text)

    def end_definition(self) -> None:
        if self._definition is not None:
            said = " ".join("".join(self._text[self._definition :]).split())
            self._defined = self._defined or said
            self._definition = None

    def enter_footnotes(self) -> None:
        self.footnotes += 1

    def enter_table(self) -> None:
        self._cells = []

    def begin_cell(self) -> None:
        if self._cells is not None and (cell := self._taken()):
            self._cells.append(cell)

    def end_row(self) -> None:
        if self._cells is None:
            self.flush()
            return
        self.begin_cell()
        cells, self._cells = self._cells, []
        if not cells:
            return
        row = " | ".join(cells)
        last = self.blocks[-1] if self.blocks else None
        if last is not None and last.role is Role.TABLE and not self.anchors:
            last.text += f"\n{row}"
            last.links.extend(self._links)
        else:
            start = len(self._everything) + 1
            table = Block(Role.TABLE, row, start, links=self._links, anchors=self.anchors)
            self._add(table)
            self.anchors = []
        self._links = []

    def leave_table(self) -> None:
        """At its end; and a table with headings in it was only there for the layout."""
        if self._cells is not None:
            self.end_row()
            self._cells = None
            self.flush()
