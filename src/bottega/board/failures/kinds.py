"""What kind of error it is, by its words; and what to ask about the root cause of each kind."""

import re
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files
from typing import Any

from bottega.board.failures.patterns import FailureClass

#: What an error is, it says at once; below that is output of the program under test.
READ_AT_MOST = 2_000


class ErrorKind(StrEnum):
    #: The machine lacks something: a browser, a package, space.
    SET_UP = "set_up"
    #: Nobody answered, or the name was unknown.
    NETWORK = "network"
    SNAPSHOT = "snapshot"
    HYDRATION = "hydration"
    NULL_ACCESS = "null_access"
    #: The test itself is broken: a wrong import, a missing fixture, a misspelled name.
    TEST_CODE = "test_code"
    LOCATOR = "locator"
    TIMEOUT = "timeout"
    ASSERTION = "assertion"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Guide:
    #: What will most likely have to change.
    change: str
    questions: tuple[str, ...]


_DATA: dict[str, dict[str, Any]] = tomllib.loads(
    files(__package__).joinpath("kinds.toml").read_text(encoding="utf-8")
)
GUIDES = {
    ErrorKind(name): Guide(kind["change"], tuple(kind["questions"]))
    for name, kind in _DATA["kinds"].items()
}
_SIGNS = {
    ErrorKind(name): re.compile("|".join(kind["signs"]), re.IGNORECASE)
    for name, kind in _DATA["kinds"].items()
    if "signs" in kind
}


def kind_of(message: str) -> ErrorKind:
    said = message[:READ_AT_MOST]
    return next((kind for kind, signs in _SIGNS.items() if signs.search(said)), ErrorKind.OTHER)


def questions_for(kind: ErrorKind, pattern: FailureClass) -> tuple[str, ...]:
    return (*GUIDES[kind].questions, _DATA["patterns"][pattern])
