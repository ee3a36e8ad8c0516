"""The one shape that every format is turned into before anything is numbered."""

from dataclasses import dataclass, field
from enum import StrEnum

from bottega.library.reading.document import Link, Problem, Unit


class Role(StrEnum):
    HEADING = "heading"
    TEXT = "text"
    #: Begins with a number or a letter: `12.`, `(a)`.
    ITEM = "item"
    BULLET = "bullet"
    CODE = "code"
    TABLE = "table"
    FOOTNOTE = "footnote"


@dataclass(slots=True)
class Block:
    role: Role
    #: With its number; a bullet with its dash.
    text: str
    start: int
    #: Of a heading, 1 and up.
    level: int = 0
    #: How far in it stands: columns, or depth of lists.
    indent: int = 0
    links: list[Link] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)
    #: What it defines, where the markup says so.
    term: str = ""


@dataclass(slots=True)
class Content:
    """A file as blocks, with what it says about itself."""

    blocks: list[Block]
    unit: Unit
    title: str = ""
    language: str | None = None
    metadata: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
