"""Code in one shape for all languages. Every text in here is a piece of the source."""

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    FUNCTION = "function"
    METHOD = "method"
    CLASS = "class"
    INTERFACE = "interface"
    TYPE = "type"
    ENUM = "enum"

    @property
    def is_callable(self) -> bool:
        return self in (Kind.FUNCTION, Kind.METHOD)


@dataclass(frozen=True, slots=True)
class Parameter:
    #: As written, with its stars or dots; a pattern as a whole.
    name: str
    type: str | None = None
    default: str | None = None


@dataclass(frozen=True, slots=True)
class Definition:
    kind: Kind
    name: str
    line: int
    parameters: tuple[Parameter, ...] = ()
    #: The type that it says it returns.
    result: str | None = None
    bases: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    #: Words such as "async" and "generator".
    traits: tuple[str, ...] = ()
    last_line: int = 0
    #: What its author wrote about it, without the signs of the comment.
    doc: str = ""
    is_test: bool = False


@dataclass(frozen=True, slots=True)
class Import:
    """A name that an import brings in."""

    name: str
    module: str
    #: The import as written.
    statement: str
    line: int


@dataclass(frozen=True, slots=True)
class Call:
    #: The dotted name of what is called; of a longer chain only its last name.
    name: str
    line: int
    #: The definition that it stands in, empty at the top of a file.
    caller: str = ""
