"""HTML as a stream of tags, from libxml2's forgiving parser: no tree, no scripts, no network.

What is not the text (navigation, scripts, forms) is passed over. If the page marks its main part,
only that is read.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bottega.library.parsers.blocks import Block, BlockRole, ParsedContent
from bottega.library.parsers.document import Link, Unit
from bottega.library.parsers.markers import find_marker, printed_number

_SCRIPTS = frozenset({"script", "style", "template", "noscript"})
_CONTROLS = frozenset({"form", "button", "select", "textarea"})
_EMBEDDED = frozenset({"svg", "iframe", "object", "video", "audio", "canvas"})
_PASSED_OVER = _SCRIPTS | _CONTROLS | _EMBEDDED | {"nav", "footer"}
_PASSED_OVER_ROLES = frozenset({"navigation", "search", "banner", "contentinfo"})
_PASSED_OVER_CLASSES = frozenset({"headerlink", "sphinxsidebar", "toc-backref"})
_PARTS = frozenset({"body", "main", "header", "section", "article", "aside", "div", "details"})
_TEXTS = frozenset({"p", "blockquote", "summary", "caption", "figure", "figcaption", "address"})
_LISTS = frozenset({"ul", "ol", "dl", "li", "dt", "dd"})
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
#: What begins a block of its own, and ends the one before.
_BREAKING = (
    _PARTS | _TEXTS | _LISTS | _HEADINGS.keys() | {"table", "pre", "hr", "fieldset", "center"}
)
#: A page of so many links, which are so much of its text, is there to lead to others. Of 300 pages
#: of Debian's manuals that parts tables of contents and indexes from pages that say something.
FEWEST_LINKS, LINKED = 10, 0.75
#: Items of the outermost list stand here, each list within it this much further in.
_STEP = 2
_LABEL = re.compile(r"\[?(\d{1,4})\]?(?=\s|$)")


def read_html(text: str) -> ParsedContent:
    from lxml import etree

    page = _Page()
    # Already decoded: what the file says about its encoding is of no use any more.
    parser = etree.HTMLParser(target=page, no_network=True, huge_tree=True, encoding="utf-8")
    parser.feed(text.encode())
    parser.close()
    return page.content()


def is_navigation(blocks: Sequence[Block]) -> bool:
    """Whether a page is a table of contents, an index, a list of links."""
    texts = [block for block in blocks if block.role is not BlockRole.HEADING]
    links = [link for block in texts for link in block.links]
    said = sum(len(block.text) for block in texts)
    return len(links) >= FEWEST_LINKS and sum(len(link.text) for link in links) >= LINKED * said


@dataclass(slots=True)
class _List:
    #: Of `<ol>`: `1`, `a`, `A`, `i`, `I`; empty for bullets.
    type: str
    next: int
    #: Where it begins is said.
    is_numbered: bool


class _Page:
    """libxml2 closes what the author forgot to close, so tags nest here."""

    def __init__(self) -> None:
        self._title: list[str] = []
        self._in_title = False
        #: How deep within something that is passed over.
        self._passing = 0
        #: Of the elements that are open: their attributes, where their text begins in what is being
        #: written, and whether the main part and footnotes were around them.
        self._elements: list[tuple[Mapping[str, str], int, tuple[bool, bool]]] = []
        self._language: str | None = None
        self._everything: list[Block] = []
        self._main: list[Block] = []
        #: Within what the page marks as its main part, within footnotes, code, a term.
        self._in_main = self._in_footnotes = self._in_code = self._in_term = False
        self._heading = 0
        self._lists: list[_List] = []
        #: What stands before the next item, until its first text is written; and whether the number
        #: in it is only the item's place in its list.
        self._marker = ""
        self._is_counted = False
        #: A term of a definition list, until its definition is written.
        self._term = ""
        #: Of the next block: its text, links, anchors and the term that it marks.
        self._text: list[str] = []
        self._links: list[Link] = []
        self._anchors: list[str] = []
        self._defined = ""
        #: Of the row that is being read, within a table.
        self._cells: list[str] | None = None

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if self._passing or _is_passed_over(tag, attributes):
            self._passing += 1
            return
        outside = self._in_main, self._in_footnotes
        self._in_main |= tag == "main" or attributes.get("role") == "main"
        if tag == "html":
            self._language = attributes.get("lang") or attributes.get("xml:lang")
        elif tag == "title":
            self._in_title = True
        else:
            self._open(tag, attributes)
        self._elements.append((attributes, len(self._text), outside))

    def end(self, tag: str) -> None:
        if self._passing:
            self._passing -= 1
            return
        attributes, begin, outside = self._elements.pop()
        if tag == "title":
            self._in_title = False
        else:
            self._close(tag, attributes, begin)
        self._in_main, self._in_footnotes = outside

    def data(self, text: str) -> None:
        if self._in_title:
            self._title.append(text)
        elif not self._passing:
            self._text.append(text)

    def comment(self, text: str) -> None:
        """Comments are no text."""

    def close(self) -> None:
        self._flush()

    def content(self) -> ParsedContent:
        blocks = self._blocks
        first = blocks[0] if blocks else None
        title = " ".join("".join(self._title).split())
        # The heading of the page is its title, unless it is a numbered part of something larger.
        if first is not None and first.role is BlockRole.HEADING:
            title = title if find_marker(first.text, heading=True) else first.text
        return ParsedContent(blocks, Unit.BLOCK, title, self._language)

    @property
    def _blocks(self) -> list[Block]:
        return self._main or self._everything

    def _open(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag in _BREAKING or tag == "tr":
            self._flush()
        for name in ("id", "name"):
            if name in attributes and (name == "id" or tag == "a"):
                self._anchors.append(attributes[name])
        self._in_footnotes |= tag != "a" and "footnote" in attributes.get("class", "")
        if tag in _HEADINGS:
            self._leave_table()
            self._heading = _HEADINGS[tag]
        elif tag in ("ul", "ol"):
            kind = attributes.get("type", "1") if tag == "ol" else ""
            first = _number(attributes.get("start"), 1)
            self._lists.append(_List(kind, first, "start" in attributes))
        elif tag == "li":
            self._begin_item(attributes)
        elif tag == "table":
            self._cells = []
        elif tag in ("td", "th"):
            self._end_cell()
        elif tag == "br":
            self._text.append("\n" if self._in_code else " ")
        elif tag == "img":
            self._text.append(attributes.get("alt", ""))
        self._in_code |= tag == "pre"
        self._in_term |= tag == "dt"

    def _close(self, tag: str, attributes: Mapping[str, str], begin: int) -> None:
        if tag == "a" and "href" in attributes:
            self._end_link(attributes, begin)
        elif tag == "dfn":
            self._defined = self._defined or self._said(begin)
        elif tag == "tr":
            self._end_row()
        elif tag in _BREAKING:
            self._flush()
        if tag in _HEADINGS:
            self._heading = 0
        elif tag in ("ul", "ol"):
            self._lists.pop()
        elif tag == "li":
            self._marker = ""
        elif tag in ("dd", "dl"):
            self._term = ""
        elif tag == "table":
            self._leave_table()
        self._in_code &= tag != "pre"
        self._in_term &= tag != "dt"

    def _begin_item(self, attributes: Mapping[str, str]) -> None:
        """With what a browser prints before it and no text holds: `-`, `12.`, `(a)`."""
        current = self._lists[-1] if self._lists else _List("", 1, is_numbered=False)
        self._is_counted = "value" not in attributes and not current.is_numbered
        number = _number(attributes.get("value"), current.next)
        current.next = number + 1
        self._marker = printed_number(number, current.type) if current.type else "-"

    def _said(self, begin: int) -> str:
        return " ".join("".join(self._text[begin:]).split())

    def _end_link(self, attributes: Mapping[str, str], begin: int) -> None:
        text, target = self._said(begin), attributes["href"].strip()
        if text and "footnote" in attributes.get("class", ""):
            self._text[begin:] = [f"[{text.strip('[]')}]"]
        elif text and target:
            self._links.append(Link(text, target))

    def _flush(self) -> None:
        """What was written since the last block is one."""
        if self._cells is not None:
            self._text.append(" ")
            return
        text = self._taken()
        links, self._links = self._links, []
        if not text:
            return
        if self._in_term:
            self._term = f"{self._term}, {text}" if self._term else text
            return
        block = self._block(text)
        block.links, block.anchors = links, self._anchors
        block.term, self._defined = block.term or self._defined, ""
        self._anchors, self._marker = [], ""
        self._add(block)

    def _block(self, text: str) -> Block:
        start = len(self._everything) + 1
        if self._heading:
            return Block(BlockRole.HEADING, text, start, level=self._heading)
        if self._in_footnotes and not self._in_code:
            return Block(BlockRole.FOOTNOTE, self._footnote(text), start)
        # A text within an item stands further in than the item itself.
        indent = _STEP * len(self._lists) - bool(self._marker) if self._lists else 0
        block = Block(BlockRole.TEXT, text, start, indent=indent)
        if self._in_code:
            block.role = BlockRole.CODE
        elif self._term:
            block.term, self._term = self._term, ""
            block.text = f"{block.term}\n{text}"
        elif find_marker(text):
            block.role = BlockRole.ITEM
        elif self._marker:
            block.role = BlockRole.BULLET if self._marker == "-" else BlockRole.ITEM
            block.text, block.is_counted = f"{self._marker} {text}", self._is_counted
        return block

    def _footnote(self, text: str) -> str:
        label, self._term = self._term or self._marker.strip(".-()"), ""
        if label:
            return f"[{label.strip('[]')}] {text}"
        return _LABEL.sub(r"[\1]", text, count=1) if _LABEL.match(text) else text

    def _taken(self) -> str:
        text, self._text = "".join(self._text), []
        return text.strip("\n").rstrip() if self._in_code else " ".join(text.split())

    def _add(self, block: Block) -> None:
        self._everything.append(block)
        if self._in_main:
            self._main.append(block)

    def _end_cell(self) -> None:
        if self._cells is not None and (cell := self._taken()):
            self._cells.append(cell)

    def _end_row(self) -> None:
        if self._cells is None:
            self._flush()
            return
        self._end_cell()
        cells, self._cells = self._cells, []
        if not cells:
            return
        row = " | ".join(cells)
        last = self._blocks[-1] if self._blocks else None
        if last is not None and last.role is BlockRole.TABLE and not self._anchors:
            last.text += f"\n{row}"
            last.links.extend(self._links)
        else:
            start = len(self._everything) + 1
            table = Block(BlockRole.TABLE, row, start, links=self._links, anchors=self._anchors)
            self._add(table)
            self._anchors = []
        self._links = []

    def _leave_table(self) -> None:
        """At its end; and a table with headings in it was only there for the layout."""
        if self._cells is not None:
            self._end_row()
            self._cells = None
            self._flush()


def _is_passed_over(tag: str, attributes: Mapping[str, str]) -> bool:
    if tag in _PASSED_OVER or attributes.get("role") in _PASSED_OVER_ROLES:
        return True
    return bool(_PASSED_OVER_CLASSES.intersection(attributes.get("class", "").split()))


def _number(stated: str | None, otherwise: int) -> int:
    digits = (stated or "").strip()
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 7 else otherwise
