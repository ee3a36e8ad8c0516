"""Word documents from their XML: headings by style, numbers as Word prints them, tables, footnotes.

Read without python-docx, which knows neither printed numbers nor footnotes nor inserted text.
"""

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from bottega.library.reading.blocks import Block, Content, Role
from bottega.library.reading.document import Link, Unit
from bottega.library.reading.lines import BULLET
from bottega.library.reading.markers import find_marker
from bottega.library.reading.unreadable import Reason, Unreadable
from bottega.library.reading.word_numbering import W, WordNumbering
from bottega.library.reading.word_package import WordPackage
from bottega.library.reading.word_styles import Style, Styles

_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_RELATIONSHIP = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_TITLE = "{http://purl.org/dc/elements/1.1/}title"
#: Not what the document says any more, or the same said twice.
_PASSED_OVER = frozenset({f"{W}del", f"{W}moveFrom", f"{W}pPr", f"{W}rPr", _FALLBACK})
_SPACES = frozenset({f"{W}tab", f"{W}br", f"{W}cr"})
_INDENT = 2
#: What Word's and python-docx's empty templates call themselves.
_NO_TITLES = frozenset({"", "word document"})


def read_docx(data: bytes, name: str) -> Content:
    package = WordPackage(data, name)
    root = package.tree("word/document.xml")
    body = None if root is None else root.find(f"{W}body")
    if body is None:
        raise Unreadable(name, Reason.MALFORMED, "is a zip file without a Word document in it.")
    reading = _Reading(package)
    blocks = [*reading.blocks(body), *reading.footnotes()]
    for number, block in enumerate(blocks, start=1):
        block.start = number
    return Content(blocks, Unit.BLOCK, reading.title or _stated_title(package, blocks))


def _stated_title(package: WordPackage, blocks: list[Block]) -> str:
    if blocks and blocks[0].role is Role.HEADING:
        return ""  # the first heading is
    core = package.tree("docProps/core.xml")
    title = "" if core is None else (core.findtext(_TITLE) or "").strip()
    return "" if title.lower() in _NO_TITLES else title


class _Reading:
    def __init__(self, package: WordPackage) -> None:
        self._styles = Styles(package.tree("word/styles.xml"))
        self._numbering = WordNumbering(package.tree("word/numbering.xml"))
        self._notes = package.tree("word/footnotes.xml")
        relations = package.tree("word/_rels/document.xml.rels")
        self._targets = {
            relation.get("Id", ""): relation.get("Target", "")
            for relation in (() if relations is None else relations.iter(_RELATIONSHIP))
        }
        self.title = ""

    def blocks(self, body: Element) -> Iterator[Block]:
        todo = list(reversed(body))
        while todo:
            element = todo.pop()
            if element.tag == f"{W}p":
                block = self._paragraph(element)
                if block.text:
                    yield block
            elif element.tag == f"{W}tbl":
                yield self._table(element)
            elif element.tag in (f"{W}sdt", f"{W}sdtContent", f"{W}ins", f"{W}customXml"):
                todo.extend(reversed(element))

    def footnotes(self) -> Iterator[Block]:
        for note in () if self._notes is None else self._notes.iter(f"{W}footnote"):
            words = Block(Role.FOOTNOTE, "", 0)
            for paragraph in note.iter(f"{W}p"):
                self._take_words(paragraph, words)
            if words.text:
                words.text = f"[{note.get(f'{W}id', '')}] {words.text}"
                yield words

    def _paragraph(self, element: Element) -> Block:
        style = self._styles.of(element.find(f"{W}pPr"))
        block = Block(Role.TEXT, "", 0, indent=_INDENT * style.depth)
        self._take_words(element, block)
        if not block.text:
            return block
        if style.is_title and not self.title:
            self.title = block.text
        if style.number_id:
            printed = _closed(self._numbering.next(style.number_id, style.depth))
            block.text = f"{printed} {block.text}".strip()
        block.role = _role(block.text, style)
        block.level = style.level
        return block

    def _table(self, element: Element) -> Block:
        table = Block(Role.TABLE, "", 0)
        rows = []
        for row in element.iter(f"{W}tr"):
            cells = []
            for cell in row.findall(f"{W}tc"):
                words = Block(Role.TEXT, "", 0)
                for paragraph in cell.findall(f"{W}p"):
                    self._take_words(paragraph, words)
                table.links.extend(words.links)
                cells.append(words.text)
            rows.append(" | ".join(cells))
        table.text = "\n".join(row for row in rows if row.strip(" |"))
        return table

    def _take_words(self, element: Element, block: Block) -> None:
        """The words of a paragraph as they stand now: what was inserted, not what was deleted."""
        words: list[str] = []
        todo = list(reversed(element))
        while todo:
            child = todo.pop()
            if child.tag in _PASSED_OVER:
                continue
            if child.tag == f"{W}t":
                words.append(child.text or "")
            elif child.tag in _SPACES:
                words.append(" ")
            elif child.tag == f"{W}noBreakHyphen":
                words.append("-")
            elif child.tag == f"{W}footnoteReference":
                words.append(f"[{child.get(f'{W}id', '')}]")
            elif child.tag == f"{W}bookmarkStart":
                block.anchors.append(child.get(f"{W}name", ""))
            elif child.tag == f"{W}hyperlink":
                self._take_link(child, block)
            todo.extend(reversed(child))
        block.text = " ".join([block.text, *"".join(words).split()]).strip()

    def _take_link(self, element: Element, block: Block) -> None:
        anchor = element.get(f"{W}anchor")
        target = f"#{anchor}" if anchor else self._targets.get(element.get(f"{_R}id", ""), "")
        text = "".join(words.text or "" for words in element.iter(f"{W}t")).strip()
        if text and target:
            block.links.append(Link(text, target))


def _role(text: str, style: Style) -> Role:
    if style.level:
        return Role.HEADING
    if BULLET.match(text):
        return Role.BULLET
    return Role.ITEM if find_marker(text) else Role.TEXT


def _closed(printed: str) -> str:
    """Word prints `12` where the style says so; with a dot it is a number to everyone."""
    return f"{printed}." if printed.isdigit() else printed
