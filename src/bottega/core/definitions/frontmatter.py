"""Frontmatter as data, with the place of each value, from the YAML node graph.

Only plain data is built: a tag that names Python code is refused, never run.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from bottega.core.definitions.problems import DocumentError, KeyPath, Positions, Problem

#: Far more than any hand-written frontmatter has; an alias bomb passes it after a few lines.
MAX_VALUES = 10_000

OPENING = re.compile(r"---[ \t]*\n")
CLOSING = re.compile(r"^(---|\.\.\.)[ \t]*(\n|\Z)", re.MULTILINE)


def split(text: str, path: str | Path, *, required: bool) -> tuple[str, str]:
    """The YAML and the body. An opening `---` that is never closed is a rule drawn in prose."""
    opening = OPENING.match(text)
    closing = CLOSING.search(text, opening.end()) if opening else None
    if opening and closing:
        return text[opening.end() : closing.start()], text[closing.end() :]
    if not required:
        return "", text
    if opening:
        message = "the frontmatter never ends: close it with a line `---`"
    else:
        message = "no frontmatter: the first line must be `---`"
    raise DocumentError(path, Problem(1, 1, message))


def read(text: str, path: str | Path) -> tuple[dict[str, Any] | None, Positions]:
    """The metadata and the place of each of its values; `None` if it is no mapping."""
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        if node is None:
            return {}, {}
        if not isinstance(node, yaml.MappingNode):
            return None, {}
        # Before the data is built, because building it resolves merge keys within the graph.
        positions = _positions(node, path)
        return loader.construct_document(node), positions
    except yaml.MarkedYAMLError as error:
        raise DocumentError(path, _explain(error)) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 2
        problem = Problem(line, 1, f"the character {error.character!r} is not allowed in YAML")
        raise DocumentError(path, problem) from None
    except RecursionError:
        raise DocumentError(path, Problem(2, 1, "the YAML is nested too deeply")) from None
    except ValueError as error:  # a date such as 2026-13-45
        raise DocumentError(path, Problem(2, 1, f"not valid YAML: {error}")) from None


def _positions(root: yaml.MappingNode, path: str | Path) -> Positions:
    positions: dict[KeyPath, tuple[int, int]] = {}
    duplicates: list[Problem] = []
    todo: list[tuple[KeyPath, yaml.Node]] = [((), root)]
    while todo:
        parent, node = todo.pop()
        for step, named_by, child in _children(node):
            where = (*parent, step)
            # Marks count from 0, and the file has the line `---` before the YAML.
            at = named_by.start_mark.line + 2, named_by.start_mark.column + 1
            if where in positions:
                first = positions[where][0]
                duplicates.append(Problem(*at, f"duplicate key {step!r}, first on line {first}"))
            positions[where] = at
            todo.append((where, child))
        if len(positions) + len(duplicates) > MAX_VALUES:
            raise DocumentError(path, Problem(2, 1, f"more than {MAX_VALUES} values"))
    if duplicates:
        raise DocumentError(path, *duplicates)
    return positions


def _children(node: yaml.Node) -> Iterator[tuple[str | int, yaml.Node, yaml.Node]]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            yield str(key.value), key, value
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            yield index, value, value


def _explain(error: yaml.MarkedYAMLError) -> Problem:
    mark = error.problem_mark or error.context_mark
    said = ", ".join(part for part in (error.context, error.problem) if part)
    line, column = (mark.line + 2, mark.column + 1) if mark else (2, 1)
    return Problem(line, column, f"not valid YAML: {said}")
