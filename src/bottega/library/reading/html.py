"""HTML as a stream of tags, from libxml2's forgiving parser: no tree, no scripts, no network.

What is not the text (navigation, scripts, forms) is passed over. If the page marks its main part,
only that is read.
"""

from collections.abc import Mapping

from bottega.library.reading.blocks import Content, Role
from bottega.library.reading.document import Unit
from bottega.library.reading.html_lists import Lists
from bottega.library.reading.html_writer import BlockWriter
from bottega.library.reading.markers import find_marker

_SCRIPTS = frozenset({"script", "style", "template", "noscript"})
_CONTROLS = frozenset({"form", "button", "select", "textarea"})
_EMBEDDED = frozenset({"svg", "iframe", "object", "video", "audio", "canvas"})
_PASSED_OVER = _SCRIPTS | _CONTROLS | _EMBEDDED | {"nav", "footer"}
_PASSED_OVER_ROLES = frozenset({"navigation", "search", "banner", "contentinfo"})
_PASSED_OVER_CLASSES = frozenset({"headerlink", "sphinxsidebar", "toc-backref"})
_PARTS = frozenset({"body", "main", "header", "section", "article", "aside", "div", "details"})
_TEXTS = frozenset({"p", "blockquote", "summary", "caption", "figure", "figcaption", "address"})
_BREAKING = _PARTS | _TEXTS | {"ul", "ol", "dl", "table", "hr", "fieldset", "center"}
_HEADINGS = {f"h{level}": level for level in range(1, 7)}


def read_html(text: str) -> Content:
    from lxml import etree

    page = _Page()
    # Already decoded: what the file says about its encoding is of no use any more.
    parser = etree.HTMLParser(target=page, no_network=True, huge_tree=True, encoding="utf-8")
    parser.feed(text.encode())
    parser.close()
    return page.content()


class _Page:
    """libxml2 closes what the author forgot to close, so tags nest here."""

    def __init__(self) -> None:
        self._writer = BlockWriter()
        self._lists = Lists()
        #: How deep within something that is passed over, and within the main part.
        self._passing = 0
        self._main = 0
        self._in_title = False
        self._title: list[str] = []
        self._language: str | None = None

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if self._passing or _is_passed_over(tag, attributes):
            self._passing += 1
            return
        if self._main or tag == "main" or attributes.get("role") == "main":
            self._main += 1
            self._writer.in_main = True
        if tag == "html":
            self._language = attributes.get("lang") or attributes.get("xml:lang")
        elif tag == "title":
            self._in_title = True
        else:
            self._open(tag, attributes)

    def end(self, tag: str) -> None:
        if self._passing:
            self._passing -= 1
            return
        if tag == "title":
            self._in_title = False
        else:
            self._close(tag)
        if self._main:
            self._main -= 1
            self._writer.in_main = self._main > 0

    def data(self, text: str) -> None:
        if self._in_title:
            self._title.append(text)
        elif not self._passing:
            self._writer.write(text)

    def comment(self, text: str) -> None:
        """Comments are no text."""

    def close(self) -> None:
        self._writer.flush()

    def content(self) -> Content:
        blocks = self._writer.blocks
        first = blocks[0] if blocks else None
        title = " ".join("".join(self._title).split())
        # The heading of the page is its title, unless it is a numbered part of something larger.
        if first is not None and first.role is Role.HEADING:
            title = title if find_marker(first.text, heading=True) else first.text
        return Content(blocks, Unit.BLOCK, title, self._language)

    def _open(self, tag: str, attributes: Mapping[str, str]) -> None:
        writer = self._writer
        if tag in _BREAKING or tag in _HEADINGS or tag in ("li", "dt", "dd", "pre", "tr"):
            writer.flush()
        for name in ("id", "name"):
            if name in attributes and (name == "id" or tag == "a"):
                writer.anchors.append(attributes[name])
        if "footnote" in attributes.get("class", "") and tag != "a":
            writer.enter_footnotes()
        elif writer.footnotes:
            writer.footnotes += 1
        if tag in _HEADINGS:
            writer.leave_table()
            writer.heading = _HEADINGS[tag]
        elif tag in ("ul", "ol"):
            self._lists.open(tag, attributes)
        elif tag == "li":
            writer.marker = self._lists.item(attributes)
        elif tag == "table":
            writer.enter_table()
        elif tag in ("td", "th"):
            writer.begin_cell()
        else:
            self._open_inline(tag, attributes)
        writer.indent = self._lists.indent(writer.marker)

    def _open_inline(self, tag: str, attributes: Mapping[str, str]) -> None:
        writer = self._writer
        if tag == "pre":
            writer.is_code = True
        elif tag == "dt":
            writer.is_term = True
        elif tag == "dfn":
            writer.begin_definition()
        elif tag == "br":
            writer.write("\n" if writer.is_code else " ")
        elif tag == "img":
            writer.write(attributes.get("alt", ""))
        elif tag == "a" and "href" in attributes:
            writer.begin_link(attributes["href"], attributes.get("class", ""))

    def _close(self, tag: str) -> None:
        writer = self._writer
        if tag == "a":
            writer.end_link()
        elif tag == "dfn":
            writer.end_definition()
        elif tag == "tr":
            writer.end_row()
        elif tag in _BREAKING or tag in _HEADINGS or tag in ("li", "dt", "dd", "pre"):
            writer.flush()
        if tag in _HEADINGS:
            writer.heading = 0
        elif tag in ("ul", "ol"):
            self._lists.close()
        elif tag == "pre":
            writer.is_code = False
        elif tag == "dt":
            writer.is_term = False
        elif tag in ("dd", "dl"):
            writer.term = ""
        elif tag == "li":
            writer.marker = ""
        elif tag == "table":
            writer.leave_table()
        if writer.footnotes:
            writer.footnotes -= 1
        writer.indent = self._lists.indent(writer.marker)


def _is_passed_over(tag: str, attributes: Mapping[str, str]) -> bool:
    if tag in _PASSED_OVER or attributes.get("role") in _PASSED_OVER_ROLES:
        return True
    return bool(_PASSED_OVER_CLASSES.intersection(attributes.get("class", "").split()))
