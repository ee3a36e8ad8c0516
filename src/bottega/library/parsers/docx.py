"""Word documents from their XML: headings by style, numbers as Word prints them, tables, footnotes.

Read without python-docx, which knows neither printed numbers nor footnotes nor inserted text.

The zip file and the XML inside a DOCX, opened with care: sizes first, no document types.

A few kilobytes of zip can unpack to gigabytes, and so can entities of XML, which can also name
files to be read. Word writes neither; a document type is refused before anything in it is read.
"""

import io
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from xml.etree import ElementTree
from xml.etree.ElementTree import Element
from xml.parsers import expat

from bottega.library.parsers.blocks import BULLET, Block, BlockRole, ParsedContent
from bottega.library.parsers.document import Link, Reason, Unit, Unreadable
from bottega.library.parsers.markers import find_marker, printed_number

#: Styles build on each other; a circle of them must end.
_MOST_STEPS = 20
_HEADING = re.compile(r"heading ([1-9])$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class WordStyle:
    #: Of a heading, 1 and up.
    level: int = 0
    is_title: bool = False
    #: The list that numbers it, and how deep in it.
    number_id: str = ""
    depth: int = 0


class WordStyles:
    def __init__(self, tree: Element | None) -> None:
        elements = () if tree is None else tree.iter(f"{W}style")
        self._elements = {element.get(f"{W}styleId", ""): element for element in elements}
        self._resolved: dict[str, WordStyle] = {}

    def of(self, properties: Element | None) -> WordStyle:
        """The style of a paragraph, with what the paragraph itself says on top."""
        if properties is None:
            return WordStyle()
        named = properties.find(f"{W}pStyle")
        style = WordStyle() if named is None else self._named(named.get(f"{W}val", ""))
        return _with(style, properties)

    def _named(self, style_id: str) -> WordStyle:
        if style_id not in self._resolved:
            chain: list[Element] = []
            element = self._elements.get(style_id)
            while element is not None and len(chain) < _MOST_STEPS:
                chain.append(element)
                base = element.find(f"{W}basedOn")
                element = None if base is None else self._elements.get(base.get(f"{W}val", ""))
            style = WordStyle()
            for element in reversed(chain):
                style = _with(_by_name(style, element), element.find(f"{W}pPr"))
            self._resolved[style_id] = style
        return self._resolved[style_id]


def _by_name(style: WordStyle, element: Element) -> WordStyle:
    name = element.find(f"{W}name")
    said = "" if name is None else name.get(f"{W}val", "")
    if said.lower() == "title":
        return replace(style, level=1, is_title=True)
    found = _HEADING.match(said)
    return replace(style, level=int(found.group(1))) if found else style


def _with(style: WordStyle, properties: Element | None) -> WordStyle:
    if properties is None:
        return style
    outline = properties.find(f"{W}outlineLvl")
    if outline is not None:
        level = number_of(outline, "val", 9)
        style = replace(style, level=level + 1 if level < 9 else 0)
    numbers = properties.find(f"{W}numPr")
    if numbers is not None:
        number_id, depth = numbers.find(f"{W}numId"), numbers.find(f"{W}ilvl")
        if number_id is not None:
            said = number_id.get(f"{W}val", "")
            style = replace(style, number_id="" if said == "0" else said)
        if depth is not None:
            style = replace(style, depth=number_of(depth, "val", 0))
    return style


W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_PLACE = re.compile(r"%(\d)")
_KINDS = {"lowerLetter": "a", "upperLetter": "A", "lowerRoman": "i", "upperRoman": "I"}
_LEVELS = 9


@dataclass(frozen=True, slots=True)
class _Level:
    format: str
    #: As Word writes it: `%1.%2`, `(%3)`.
    text: str
    start: int


class WordNumbering:
    """The numbers that Word prints and no text holds, counted as Word counts them."""

    def __init__(self, tree: Element | None) -> None:
        self._levels: dict[str, dict[int, _Level]] = {}
        self._lists: dict[str, str] = {}
        self._counters: dict[str, list[int | None]] = {}
        if tree is None:
            return
        for kind in tree.iter(f"{W}abstractNum"):
            levels = {number_of(level, "ilvl", 0): _level(level) for level in kind.iter(f"{W}lvl")}
            self._levels[kind.get(f"{W}abstractNumId", "")] = levels
        for number in tree.iter(f"{W}num"):
            kind_of = number.find(f"{W}abstractNumId")
            if kind_of is not None:
                self._lists[number.get(f"{W}numId", "")] = kind_of.get(f"{W}val", "")

    def next(self, number_id: str, depth: int) -> str:
        """What Word prints before the next paragraph of this list; `-` for a bullet."""
        kind = self._lists.get(number_id)
        levels = self._levels.get(kind or "", {})
        level = levels.get(depth)
        if kind is None or level is None or not 0 <= depth < _LEVELS:
            return ""
        counters = self._counters.setdefault(kind, [None] * _LEVELS)
        last = counters[depth]
        counters[depth] = level.start if last is None else last + 1
        counters[depth + 1 :] = [None] * (_LEVELS - depth - 1)
        if level.format in ("bullet", "none"):
            return "-" if level.format == "bullet" else ""

        def count(found: re.Match[str]) -> str:
            place = int(found.group(1)) - 1
            other = levels.get(place)
            value = counters[place] if 0 <= place < _LEVELS else None
            if value is None:
                value = other.start if other else 1
            kind = _KINDS.get(other.format, "1") if other else "1"
            return printed_number(value, kind).strip("().")

        return _PLACE.sub(count, level.text).strip()


def _level(element: Element) -> _Level:
    start = element.find(f"{W}start")
    return _Level(
        _value(element, "numFmt", "decimal"),
        _value(element, "lvlText", ""),
        1 if start is None else number_of(start, "val", 1),
    )


def _value(element: Element, child: str, otherwise: str) -> str:
    found = element.find(f"{W}{child}")
    return otherwise if found is None else found.get(f"{W}val", otherwise)


def number_of(element: Element, attribute: str, otherwise: int) -> int:
    text = element.get(f"{W}{attribute}", "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else otherwise


MOST_UNPACKED = 200_000_000
MOST_PART = 100_000_000
#: Text shrinks to a tenth, rarely to a fiftieth; a bomb to a thousandth.
MOST_RATIO = 200
_SMALL = 1_000_000
_MOST_FILES = 10_000


class WordPackage:
    def __init__(self, data: bytes, name: str) -> None:
        self._name = name
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, EOFError, OverflowError) as error:
            raise Unreadable(
                name, Reason.MALFORMED, f"is a damaged Word document: {error}."
            ) from None
        self._parts: Mapping[str, zipfile.ZipInfo] = {
            part.filename: part for part in self._zip.infolist()
        }
        self._check_sizes()

    def _check_sizes(self) -> None:
        parts = self._parts.values()
        unpacked = sum(part.file_size for part in parts)
        if len(parts) > _MOST_FILES or unpacked > MOST_UNPACKED:
            raise self._bomb(f"{len(parts):,} files of {unpacked:,} bytes")
        for part in parts:
            ratio = part.file_size / max(1, part.compress_size)
            if part.file_size > _SMALL and ratio > MOST_RATIO:
                raise self._bomb(f"{part.filename[:80]} grows {ratio:,.0f} times")
            if part.flag_bits & 1:
                message = "is protected by a password. Save it without one."
                raise Unreadable(self._name, Reason.ENCRYPTED, message)

    def tree(self, part: str) -> ElementTree.Element | None:
        """A part as a tree, `None` if there is no such part."""
        found = self._parts.get(part)
        if found is None:
            return None
        builder = ElementTree.TreeBuilder()
        parser = expat.ParserCreate(namespace_separator="}")
        parser.buffer_text = True
        parser.StartElementHandler = lambda tag, attributes: builder.start(
            _named(tag), {_named(name): value for name, value in attributes.items()}
        )
        parser.EndElementHandler = lambda tag: builder.end(_named(tag))
        parser.CharacterDataHandler = builder.data
        parser.StartDoctypeDeclHandler = self._refuse_document_type
        try:
            parser.Parse(self._bytes(found), True)
        except expat.ExpatError as error:
            message = f"is a damaged Word document: {part}: {error}."
            raise Unreadable(self._name, Reason.MALFORMED, message) from None
        root: ElementTree.Element = builder.close()
        return root

    def _bytes(self, part: zipfile.ZipInfo) -> bytes:
        # A zip may lie about its sizes, so no more is unpacked than is allowed.
        try:
            with self._zip.open(part) as file:
                data = file.read(MOST_PART + 1)
        except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError, EOFError) as error:
            message = f"is a damaged Word document: {error}."
            raise Unreadable(self._name, Reason.MALFORMED, message) from None
        if len(data) > MOST_PART:
            raise self._bomb(f"{part.filename[:80]} has over {MOST_PART:,} bytes")
        return data

    def _refuse_document_type(self, *_: object) -> None:
        raise Unreadable(
            self._name, Reason.BOMB, "declares XML entities, which no Word document does."
        )

    def _bomb(self, what: str) -> Unreadable:
        return Unreadable(self._name, Reason.BOMB, f"unpacks to far more than it should: {what}.")


def _named(name: str) -> str:
    """As ElementTree looks for it: `{namespace}name`."""
    return f"{{{name}" if "}" in name else name


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


def read_docx(data: bytes, name: str) -> ParsedContent:
    package = WordPackage(data, name)
    root = package.tree("word/document.xml")
    body = None if root is None else root.find(f"{W}body")
    if body is None:
        raise Unreadable(name, Reason.MALFORMED, "is a zip file without a Word document in it.")
    reading = _DocxReader(package)
    blocks = [*reading.blocks(body), *reading.footnotes()]
    for number, block in enumerate(blocks, start=1):
        block.start = number
    return ParsedContent(blocks, Unit.BLOCK, reading.title or _stated_title(package, blocks))


def _stated_title(package: WordPackage, blocks: list[Block]) -> str:
    if blocks and blocks[0].role is BlockRole.HEADING:
        return ""  # the first heading is
    core = package.tree("docProps/core.xml")
    title = "" if core is None else (core.findtext(_TITLE) or "").strip()
    return "" if title.lower() in _NO_TITLES else title


class _DocxReader:
    def __init__(self, package: WordPackage) -> None:
        self._styles = WordStyles(package.tree("word/styles.xml"))
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
            words = Block(BlockRole.FOOTNOTE, "", 0)
            for paragraph in note.iter(f"{W}p"):
                self._take_words(paragraph, words)
            if words.text:
                words.text = f"[{note.get(f'{W}id', '')}] {words.text}"
                yield words

    def _paragraph(self, element: Element) -> Block:
        style = self._styles.of(element.find(f"{W}pPr"))
        block = Block(BlockRole.TEXT, "", 0, indent=_INDENT * style.depth)
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
        table = Block(BlockRole.TABLE, "", 0)
        rows = []
        for row in element.iter(f"{W}tr"):
            cells = []
            for cell in row.findall(f"{W}tc"):
                words = Block(BlockRole.TEXT, "", 0)
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


def _role(text: str, style: WordStyle) -> BlockRole:
    if style.level:
        return BlockRole.HEADING
    if BULLET.match(text):
        return BlockRole.BULLET
    return BlockRole.ITEM if find_marker(text) else BlockRole.TEXT


def _closed(printed: str) -> str:
    """Word prints `12` where the style says so; with a dot it is a number to everyone."""
    return f"{printed}." if printed.isdigit() else printed
