"""Reads one big JSON object member by member, and its long arrays element by element.

A report of 50,000 tests is a few hundred megabytes as Python objects; here only one file's tests
are ever objects at the same time.
"""

import json
import re
from collections.abc import Collection, Generator, Iterator
from typing import Any, NamedTuple

from bottega.errors import InvalidInput

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


class Member(NamedTuple):
    key: str
    value: Any  # whatever JSON can hold; the formats check it
    #: For an element of a streamed array.
    position: int | None = None


def read_members(text: str, streamed: Collection[str]) -> Iterator[Member]:
    """The members of the object in `text`; of those named in `streamed`, each element alone."""
    try:
        yield from _object(text, streamed)
    except json.JSONDecodeError as error:
        raise InvalidInput(
            f"The report is not valid JSON: {error.msg} at line {error.lineno}, column "
            f"{error.colno}. Was it cut off? Send the file as the reporter wrote it."
        ) from error
    except RecursionError as error:
        raise InvalidInput("The report is nested too deeply to be one of tests.") from error
    except ValueError as error:  # a number with thousands of digits
        raise InvalidInput(f"The report holds a value that cannot be read: {error}") from error


def _object(text: str, streamed: Collection[str]) -> Iterator[Member]:
    at = _expect(text, _skip(text, 0), "{")
    if text[at : at + 1] == "}":
        at = _skip(text, at + 1)
    else:
        while True:
            key, at = _decode(text, at)
            if not isinstance(key, str):
                raise json.JSONDecodeError("A member's name was expected", text, at)
            at = _expect(text, at, ":")
            if key in streamed and text[at : at + 1] == "[":
                at = yield from _array(key, text, at)
            else:
                value, at = _decode(text, at)
                yield Member(key, value)
            if text[at : at + 1] != ",":
                break
            at = _skip(text, at + 1)
        at = _expect(text, at, "}")
    if at != len(text):
        raise json.JSONDecodeError("Something follows the report", text, at)


def _array(key: str, text: str, at: int) -> Generator[Member, None, int]:
    at = _skip(text, at + 1)
    index = 0
    while text[at : at + 1] != "]":
        if index:
            at = _expect(text, at, ",")
        value, at = _decode(text, at)
        yield Member(key, value, index)
        index += 1
    return _skip(text, at + 1)


def _decode(text: str, at: int) -> tuple[Any, int]:
    value, at = _DECODER.raw_decode(text, at)
    return value, _skip(text, at)


def _expect(text: str, at: int, sign: str) -> int:
    if text[at : at + 1] != sign:
        raise json.JSONDecodeError(f"'{sign}' was expected", text, at)
    return _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at
