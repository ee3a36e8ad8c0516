"""JSON that people write, with the place of everything that is wrong in it.

labels/config.json:4:7: unknown key 'colour'; did you mean 'color'?
"""

import bisect
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from bottega.core.definitions.document import check
from bottega.core.definitions.problems import DocumentError, KeyPath, Positions, Problem

Model = TypeVar("Model", bound=BaseModel)

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


def parse_json(text: str, path: str | Path, model: type[Model]) -> Model:
    """Read an object and check it against a model; every problem is found at once."""
    data, positions = read_json(text, path)
    return check(data, positions, path, model)


def read_json(text: str, path: str | Path) -> tuple[dict[str, Any], Positions]:
    """An object, and where its keys and items stand."""
    text = text.removeprefix("\ufeff")
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        problem = Problem(error.lineno, error.colno, f"not valid JSON: {error.msg}")
        raise DocumentError(path, problem) from None
    except RecursionError:
        raise DocumentError(path, Problem(1, 1, "the JSON is nested too deeply")) from None
    except ValueError as error:  # a number of thousands of digits
        raise DocumentError(path, Problem(1, 1, f"not usable JSON: {error}")) from None
    if not isinstance(data, dict):
        raise DocumentError(path, Problem(1, 1, "the file must hold one object: { … }"))
    positions: dict[KeyPath, tuple[int, int]] = {}
    duplicates: list[Problem] = []
    for where, at in _places(text):
        if where in positions:
            first = positions[where][0]
            duplicates.append(Problem(*at, f"duplicate key {where[-1]!r}, first on line {first}"))
        positions[where] = at
    if duplicates:
        raise DocumentError(path, *duplicates)
    return data, positions


def _places(text: str) -> Iterator[tuple[KeyPath, tuple[int, int]]]:
    """Each key and each item of valid JSON, with its line and column."""
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    #: The way to here: a key in each object, an index in each list.
    way: list[str | int] = []
    expects_key = False
    for match in TOKEN.finditer(text):
        piece = match[0]
        if piece in ("}", "]"):
            way.pop()
            expects_key = False
            continue
        if piece == ",":
            here = way[-1]
            expects_key = isinstance(here, str)
            way[-1] = here if isinstance(here, str) else here + 1
            continue
        if piece == ":":
            continue
        line = bisect.bisect_right(starts, match.start())
        at = line, match.start() - starts[line - 1] + 1
        if expects_key:
            way[-1] = json.loads(piece)
            yield tuple(way), at
            expects_key = False
            continue
        if way and isinstance(way[-1], int):
            yield tuple(way), at
        if piece in ("{", "["):
            way.append("" if piece == "{" else 0)
            expects_key = piece == "{"
