"""A parsed document of numbered paragraphs that can be cited, or the reason why there is none."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from bottega.errors import InvalidInput


class Kind(StrEnum):
    STANDARD = "standard"
    GUIDE = "guide"


class Format(StrEnum):
    MARKDOWN = "markdown"
    TEXT = "text"
    HTML = "html"
    RESTRUCTURED_TEXT = "restructured_text"
    PDF = "pdf"
    DOCX = "docx"


class Unit(StrEnum):
    """What a place in a file is counted in, always from 1."""

    LINE = "line"
    PAGE = "page"
    BLOCK = "block"


@dataclass(frozen=True, slots=True)
class Link:
    text: str
    #: As written: `#rollback`, `other.md#rollback`, `https://…`.
    target: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    #: How a person cites it: `315.12(a)`, `4.9.1 ¶2`, `Deploying › Rollback ¶1`. Unique.
    ref: str
    #: Without its number, so that the number is not taken for a fact of the text.
    text: str
    #: From the outermost heading to the nearest, as written.
    headings: tuple[str, ...]
    #: Within its document, without the document's own: `12(a)`.
    number: str | None
    start: int
    order: int
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class DefinedTerm:
    term: str
    definition: str
    ref: str


@dataclass(frozen=True, slots=True)
class DocumentProblem:
    """Something to tell the person about a file that could be read all the same."""

    message: str
    start: int | None = None


@dataclass(frozen=True, slots=True)
class Document:
    name: str
    title: str
    kind: Kind
    format: Format
    #: The document's own number, which its references begin with: `315`.
    prefix: str | None
    language: str | None
    metadata: Mapping[str, str]
    unit: Unit
    paragraphs: tuple[Paragraph, ...]
    terms: tuple[DefinedTerm, ...]
    #: Where a link within the document leads: the reference behind each anchor.
    anchors: Mapping[str, str]
    problems: tuple[DocumentProblem, ...]


class Reason(StrEnum):
    """Why a file cannot be read: a closed set, so that a report can count and explain."""

    EMPTY = "empty"
    TOO_LARGE = "too_large"
    UNKNOWN_TYPE = "unknown_type"
    #: Bytes that are no text, under the name of a text.
    NOT_TEXT = "not_text"
    ENCRYPTED = "encrypted"
    #: Pages are there, words are not: a scan.
    NO_TEXT = "no_text"
    #: Small on disk, vast when unpacked.
    BOMB = "bomb"
    MALFORMED = "malformed"
    #: A table of contents or an index: nothing but links to other pages.
    NAVIGATION = "navigation"


class Unreadable(InvalidInput):
    type = "unreadable_document"

    def __init__(self, name: str, reason: Reason, explanation: str) -> None:
        super().__init__(f"{name}: {explanation}", file=name, reason=reason.value)
        self.name = name
        self.reason = reason
